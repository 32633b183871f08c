//! Requests of the page: state, the two gateway buttons, the user's messages.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use super::App;
use crate::chats::{Chat, ChatError};
use crate::child::Refused;

#[derive(Deserialize)]
pub(crate) struct Send {
    text: String,
}

#[derive(Deserialize)]
pub(crate) struct Press {
    message: i64,
    row: usize,
    column: usize,
}

/// The whole state, once.
pub(crate) async fn state(State(app): State<Arc<App>>) -> Response {
    Json(app.hub.snapshot()).into_response()
}

/// What the model server said, oldest first: `{"answers":[{"text":..,...}]}`. For tests: the text
/// that must stand in the chat.
pub(crate) async fn model_answers(State(app): State<Arc<App>>) -> Response {
    Json(json!({ "answers": (app.model_answers)() })).into_response()
}

/// SIGKILL; answers when the process is gone.
pub(crate) async fn kill(State(app): State<Arc<App>>) -> Response {
    match app.child.kill().await {
        Ok(()) => Json(json!({ "ok": {} })).into_response(),
        Err(refused) => no(status_of(&refused), refused.to_string()),
    }
}

/// Starts the gateway; answers when the process exists, not when it is ready.
pub(crate) async fn start(State(app): State<Arc<App>>) -> Response {
    match app.child.start().await {
        Ok(pid) => Json(json!({ "ok": { "pid": pid } })).into_response(),
        Err(refused) => no(status_of(&refused), refused.to_string()),
    }
}

pub(crate) async fn send(
    State(app): State<Arc<App>>,
    Path(chat): Path<String>,
    Json(request): Json<Send>,
) -> Response {
    with_chat(&app, &chat, |chat| chat.send(&request.text))
}

pub(crate) async fn press(
    State(app): State<Arc<App>>,
    Path(chat): Path<String>,
    Json(request): Json<Press>,
) -> Response {
    with_chat(&app, &chat, |chat| {
        chat.press(request.message, request.row, request.column)
    })
}

fn with_chat(
    app: &App,
    id: &str,
    act: impl FnOnce(&dyn Chat) -> Result<(), ChatError>,
) -> Response {
    let Some(chat) = app.hub.chats.iter().find(|chat| chat.view().head.id == id) else {
        return no(StatusCode::NOT_FOUND, "no such chat".to_owned());
    };
    match act(chat.as_ref()) {
        Ok(()) => Json(json!({ "ok": {} })).into_response(),
        Err(error) => no(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()),
    }
}

fn status_of(refused: &Refused) -> StatusCode {
    match refused {
        Refused::AlreadyRunning | Refused::NotRunning => StatusCode::CONFLICT,
        Refused::NotStarted(_) => StatusCode::INTERNAL_SERVER_ERROR,
        Refused::Ending => StatusCode::SERVICE_UNAVAILABLE,
    }
}

fn no(status: StatusCode, why: String) -> Response {
    (status, Json(json!({ "error": why }))).into_response()
}
