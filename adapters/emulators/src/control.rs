//! The control API over HTTP, for tests in other languages: the control handles' powers as
//! `POST /control/telegram/<action>` and `POST /control/anthropic/<action>`, JSON in and out.
//!
//! An answer is `{"ok":true,"result":…}`, or HTTP 400 with `{"ok":false,"error":"…"}`. The actions
//! and their arguments are the variants of [`TelegramAction`] and [`AnthropicAction`].

mod anthropic;
mod telegram;

use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::post;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub use self::anthropic::AnthropicAction;
pub use self::telegram::TelegramAction;
use crate::server::Server;
use crate::{AnthropicControl, Error, TelegramControl};

/// The longest wait of a `wait_*` action.
const MAX_WAIT_MS: u64 = 120_000;

/// A running control server. It ends when this is dropped.
#[derive(Debug)]
pub struct ControlServer {
    server: Server,
}

impl ControlServer {
    /// Starts the server inside the current tokio runtime. Bind it to the loopback interface:
    /// whoever reaches it is in control.
    ///
    /// # Errors
    /// [`Error::Bind`].
    pub async fn start(
        bind: SocketAddr,
        telegram: TelegramControl,
        anthropic: AnthropicControl,
    ) -> Result<Self, Error> {
        let router = Router::new()
            .route(
                "/control/telegram/{action}",
                post(on_telegram).with_state(telegram),
            )
            .route(
                "/control/anthropic/{action}",
                post(on_anthropic).with_state(anthropic),
            );
        Ok(Self {
            server: Server::start(bind, router).await?,
        })
    }

    /// Its address, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.server.addr())
    }
}

async fn on_telegram(
    State(control): State<TelegramControl>,
    Path(action): Path<String>,
    body: Bytes,
) -> Response<Body> {
    let (control, action) = match telegram::parse(&control, &action, &body) {
        Ok(parsed) => parsed,
        Err(error) => return answer(Err(error)),
    };
    answer(
        telegram::run(&control, action)
            .await
            .map_err(|error| error.to_string()),
    )
}

async fn on_anthropic(
    State(control): State<AnthropicControl>,
    Path(action): Path<String>,
    body: Bytes,
) -> Response<Body> {
    match action_of::<AnthropicAction>(&action, &body) {
        Ok(action) => answer(Ok(anthropic::run(&control, action).await)),
        Err(error) => answer(Err(error)),
    }
}

/// An action from its name and its JSON arguments.
fn action_of<T: DeserializeOwned>(name: &str, body: &[u8]) -> Result<T, String> {
    let mut fields = match body {
        [] => json!({}),
        body => serde_json::from_slice(body).map_err(|error| error.to_string())?,
    };
    let Some(object) = fields.as_object_mut() else {
        return Err("expected an object".to_owned());
    };
    object.insert("action".to_owned(), json!(name));
    serde_json::from_value(fields).map_err(|error| error.to_string())
}

fn answer(result: Result<Value, String>) -> Response<Body> {
    let (status, body) = match result {
        Ok(result) => (StatusCode::OK, json!({"ok": true, "result": result})),
        Err(error) => (
            StatusCode::BAD_REQUEST,
            json!({"ok": false, "error": error}),
        ),
    };
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
