//! Answers in the server's form: `{"ok":true,"result":…}` or `{"ok":false,"error_code":…,
//! "description":…,"parameters":…}`, HTTP status equal to the error code (server source: Query).

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};

/// What a method answers.
pub(crate) type Answer = Result<Value, ApiError>;

/// A refusal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ApiError {
    pub(crate) code: u16,
    pub(crate) description: String,
    pub(crate) retry_after: Option<u64>,
}

impl ApiError {
    pub(crate) fn new(code: u16, description: impl Into<String>) -> Self {
        Self {
            code,
            description: description.into(),
            retry_after: None,
        }
    }

    /// 400, with the server's prefix.
    pub(crate) fn bad(text: &str) -> Self {
        Self::new(400, format!("Bad Request: {text}"))
    }

    /// 403, with the server's prefix.
    pub(crate) fn forbidden(text: &str) -> Self {
        Self::new(403, format!("Forbidden: {text}"))
    }

    /// 409, with the server's prefix.
    pub(crate) fn conflict(text: &str) -> Self {
        Self::new(409, format!("Conflict: {text}"))
    }

    /// 429 exactly as the server prints it.
    pub(crate) fn too_many(retry_after: u64) -> Self {
        Self {
            code: 429,
            description: format!("Too Many Requests: retry after {retry_after}"),
            retry_after: Some(retry_after),
        }
    }

    fn body(&self) -> Value {
        let mut body =
            json!({"ok": false, "error_code": self.code, "description": self.description});
        if let Some(seconds) = self.retry_after {
            body["parameters"] = json!({"retry_after": seconds});
        }
        body
    }
}

/// The HTTP response for an answer; a 429 carries the `Retry-After` header too.
pub(crate) fn respond(answer: &Answer) -> Response<Body> {
    match answer {
        Ok(result) => json_response(StatusCode::OK, &json!({"ok": true, "result": result})),
        Err(error) => {
            let status =
                StatusCode::from_u16(error.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let mut response = json_response(status, &error.body());
            if let Some(seconds) = error.retry_after {
                response
                    .headers_mut()
                    .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            }
            response
        }
    }
}

fn json_response(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// A page that no API server sends: what a proxy in between answers.
pub(crate) fn html(status: u16, body: &str) -> Response<Body> {
    let page = if body.is_empty() {
        format!("<html><head><title>{status}</title></head><body><h1>{status}</h1></body></html>")
    } else {
        body.to_owned()
    };
    let mut response = Response::new(Body::from(page));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let kind = HeaderValue::from_static("text/html");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
