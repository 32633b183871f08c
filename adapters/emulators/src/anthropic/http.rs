//! From an HTTP request to a reply (API reference: "Create a Message", "Errors").

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State as AxumState};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::check::{check, invalid};
use super::content::{hex, tokens};
use super::control::{Outcome, RequestLog};
use super::plan::{self, Head};
use super::reply::{Message, Refusal, Reply};
use super::shared::{Settings, Shared};
use super::{demo, stream};
use crate::clock::now_us;
use crate::server::Cutter;

/// API reference: "Errors", request_too_large.
const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;

pub(crate) async fn messages(
    AxumState(shared): AxumState<Arc<Shared>>,
    ConnectInfo(cutter): ConnectInfo<Cutter>,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response<Body> {
    let parsed: Result<Value, _> = serde_json::from_slice(&bytes);
    let body = parsed.as_ref().ok().cloned().unwrap_or_default();
    let (number, settings) = arrive(&shared, &bytes, body.clone());
    let checked = authorize(&headers, &settings)
        .and_then(|()| size(&bytes))
        .and_then(|()| {
            parsed.map_err(|why| invalid(format!("The request body is not valid JSON: {why}")))
        })
        .and_then(|body| check(&body, settings.rules));
    if let Err(refusal) = checked {
        return refuse(&shared, number, &refusal);
    }
    let reply = shared.change(|state| state.scripted(&body));
    match reply.unwrap_or_else(|| demo::answer(&body)) {
        Reply::Refusal(refusal) => refuse(&shared, number, &refusal),
        Reply::Message(message) => {
            let message = within_budget(message, &body);
            let head = Head {
                id: format!("msg_emulator{number:012}"),
                model: body["model"].as_str().unwrap_or_default().to_owned(),
                input_tokens: tokens(&body.to_string()),
                chunk_tokens: message.chunk_tokens.unwrap_or(settings.chunk_tokens),
            };
            let speed = message
                .tokens_per_second
                .unwrap_or(settings.tokens_per_second);
            if body["stream"] == true {
                let plan = plan::events(&message, &head);
                let first = Duration::from_millis(message.first_byte_ms);
                let sender = stream::Sender::new(shared, number, plan, cutter, speed, first);
                return sender.response(&request_id(number));
            }
            whole(&shared, number, &message, &head, speed).await
        }
    }
}

pub(crate) async fn not_found() -> Response<Body> {
    let refusal = Refusal {
        status: 404,
        kind: "not_found_error".to_owned(),
        message: "Not Found".to_owned(),
        retry_after: None,
    };
    error_response(&refusal, "req_emulator_none")
}

pub(crate) fn request_id(number: usize) -> String {
    format!("req_emulator{number:012}")
}

fn arrive(shared: &Shared, bytes: &[u8], body: Value) -> (usize, Settings) {
    shared.change(|state| {
        let number = state.requests.len();
        state.requests.push(RequestLog {
            number,
            at_us: now_us(),
            stream: body["stream"] == true,
            body,
            body_hash: hex(&Sha256::digest(bytes)),
            status: 0,
            outcome: Outcome::Running,
            error: None,
            events: 0,
            first_delta_us: None,
            last_delta_us: None,
            end_us: None,
        });
        (number, state.settings.clone())
    })
}

/// API reference: "Authentication", "Versions".
fn authorize(headers: &HeaderMap, settings: &Settings) -> Result<(), Refusal> {
    let get = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(wanted) = &settings.api_key {
        let refused = |message: &str| Refusal {
            status: 401,
            kind: "authentication_error".to_owned(),
            message: message.to_owned(),
            retry_after: None,
        };
        match get("x-api-key") {
            None => return Err(refused("x-api-key header is required")),
            Some(key) if key != wanted => return Err(refused("invalid x-api-key")),
            Some(_) => {}
        }
    }
    match get("anthropic-version") {
        None => Err(invalid("anthropic-version: header is required")),
        Some("2023-06-01" | "2023-01-01") => Ok(()),
        Some(other) => Err(invalid(format!(
            "anthropic-version: \"{other}\" is not a valid version"
        ))),
    }
}

fn size(bytes: &[u8]) -> Result<(), Refusal> {
    if bytes.len() <= MAX_BODY_BYTES {
        return Ok(());
    }
    Err(Refusal {
        status: 413,
        kind: "request_too_large".to_owned(),
        message: "Request exceeds the maximum size".to_owned(),
        retry_after: None,
    })
}

/// Cuts the text at `max_tokens`, with the stop reason of that name.
fn within_budget(mut message: Message, body: &Value) -> Message {
    let budget = body["max_tokens"]
        .as_u64()
        .and_then(|n| usize::try_from(n).ok());
    let mut left = budget.unwrap_or(usize::MAX);
    for index in 0..message.blocks.len() {
        let Some(super::reply::Block::Text { text }) = message.blocks.get_mut(index) else {
            continue;
        };
        let cost = tokens(text);
        if cost > left {
            let mut end = (left * 4).min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            message.blocks.truncate(index + 1);
            message.stop_reason = Some("max_tokens".to_owned());
            break;
        }
        left -= cost;
    }
    message
}

fn refuse(shared: &Shared, number: usize, refusal: &Refusal) -> Response<Body> {
    shared.change(|state| {
        if let Some(log) = state.requests.get_mut(number) {
            log.status = refusal.status;
            log.outcome = Outcome::Refused;
            log.error = Some(refusal.message.clone());
            log.end_us = Some(now_us());
        }
    });
    error_response(refusal, &request_id(number))
}

fn error_response(refusal: &Refusal, request_id: &str) -> Response<Body> {
    let body = json!({
        "type": "error", "error": {"type": refusal.kind, "message": refusal.message},
        "request_id": request_id,
    });
    let mut response = json_response(refusal.status, &body, request_id);
    if let Some(seconds) = refusal.retry_after {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// The answer to a request that does not stream: it takes as long as the stream would.
async fn whole(
    shared: &Shared,
    number: usize,
    message: &Message,
    head: &Head,
    speed: f64,
) -> Response<Body> {
    let body = plan::whole(message, head);
    let output = body["usage"]["output_tokens"].as_u64().unwrap_or_default();
    let wait = stream::pause(usize::try_from(output).unwrap_or_default(), speed);
    tokio::time::sleep(wait + Duration::from_millis(message.first_byte_ms)).await;
    shared.change(|state| {
        if let Some(log) = state.requests.get_mut(number) {
            log.status = 200;
            log.outcome = Outcome::Finished;
            log.end_us = Some(now_us());
        }
    });
    json_response(200, &body, &request_id(number))
}

fn json_response(status: u16, body: &Value, request_id: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert("request-id", id);
    }
    response
}
