//! The page's server: static files, one event stream, a handful of requests.

mod api;
mod assets;
mod events;
mod guard;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::child::Child;
use crate::hub::Hub;

/// The largest request that makes sense: a message of 4,096 characters, escaped.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// What the server gives out about the model: the text of each answer, as the model server said it.
pub(crate) type ModelAnswers = Arc<dyn Fn() -> serde_json::Value + Send + Sync>;

/// What every request can reach.
pub(crate) struct App {
    pub(crate) hub: Arc<Hub>,
    pub(crate) child: Child,
    /// Proves that a request comes from our page: random, new at each start, told to the page alone.
    pub(crate) token: String,
    /// Random, new at each start: an open page notices that it speaks to another playground.
    pub(crate) instance: String,
    pub(crate) hosts: guard::Hosts,
    pub(crate) model_answers: ModelAnswers,
}

pub(crate) use guard::Hosts;

pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(assets::index))
        .route("/app/{name}", get(assets::file))
        .route("/favicon.ico", get(assets::favicon))
        .route("/api/state", get(api::state))
        .route("/api/events", get(events::events))
        .route("/api/gateway/kill", post(api::kill))
        .route("/api/gateway/start", post(api::start))
        .route("/api/chats/{chat}/send", post(api::send))
        .route("/api/chats/{chat}/press", post(api::press))
        .route("/api/debug/model-answers", get(api::model_answers))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(from_fn_with_state(Arc::clone(&app), guard::guard))
        .with_state(app)
}
