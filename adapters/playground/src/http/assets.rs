//! The page's files, embedded.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::App;

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const DRAWING: &str = "image/svg+xml";

const INDEX: &str = include_str!("../page/index.html");

/// Name, type and content of each file under `/app/`.
const FILES: &[(&str, &str, &str)] = &[
    ("app.js", SCRIPT, include_str!("../page/app.js")),
    ("chat.js", SCRIPT, include_str!("../page/chat.js")),
    ("composer.js", SCRIPT, include_str!("../page/composer.js")),
    ("bubble.js", SCRIPT, include_str!("../page/bubble.js")),
    ("text.js", SCRIPT, include_str!("../page/text.js")),
    ("dom.js", SCRIPT, include_str!("../page/dom.js")),
    ("server.js", SCRIPT, include_str!("../page/server.js")),
    ("strip.js", SCRIPT, include_str!("../page/strip.js")),
    ("guide.js", SCRIPT, include_str!("../page/guide.js")),
    ("skins.js", SCRIPT, include_str!("../page/skins.js")),
    ("page.css", STYLE, include_str!("../page/page.css")),
    ("telegram.css", STYLE, include_str!("../page/telegram.css")),
    ("icon.svg", DRAWING, include_str!("../page/icon.svg")),
    (
        "wallpaper.svg",
        DRAWING,
        include_str!("../page/wallpaper.svg"),
    ),
    (
        "wallpaper-dark.svg",
        DRAWING,
        include_str!("../page/wallpaper-dark.svg"),
    ),
];

/// The page. Token and instance are hex digits, so nothing needs escaping.
pub(crate) async fn index(State(app): State<Arc<App>>) -> Response {
    let html = INDEX
        .replace("{{token}}", &app.token)
        .replace("{{instance}}", &app.instance);
    ([(header::CONTENT_TYPE, HTML)], html).into_response()
}

pub(crate) async fn file(Path(name): Path<String>) -> Response {
    FILES.iter().find(|(known, ..)| *known == name).map_or_else(
        || (StatusCode::NOT_FOUND, "no such file\n").into_response(),
        |(_, kind, content)| ([(header::CONTENT_TYPE, *kind)], *content).into_response(),
    )
}

pub(crate) async fn favicon() -> Response {
    file(Path("icon.svg".to_owned())).await
}

#[cfg(test)]
mod tests;
