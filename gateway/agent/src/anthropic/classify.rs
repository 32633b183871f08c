//! What a failed request means. Messages API, "Errors": status, `error.type`, `error.message`.
//! Pure.

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;
use talaria_types::model::{ModelError, ModelErrorKind};
use talaria_types::secret::scrub;

/// The longest detail of an error, in characters.
const MAX_DETAIL: usize = 500;

/// The longest wait that is believed; what is longer reads as this. The turn machine gives up far
/// below it.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);

/// The failure that an HTTP answer other than 200 is.
#[must_use]
pub fn http_error(status: u16, headers: &HeaderMap, body: &[u8], now: SystemTime) -> ModelError {
    let (kind, detail) = match error_of(body) {
        Some((name, message)) => (
            kind_of(Some(status), &name, &message),
            format!("HTTP {status}: {name}: {message}"),
        ),
        None => {
            let text = String::from_utf8_lossy(body);
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            (
                kind_of(Some(status), "", ""),
                format!("HTTP {status}, not the API's JSON: {text}"),
            )
        }
    };
    let retry_after = kind
        .is_transient()
        .then(|| retry_after(headers, now))
        .flatten();
    ModelError {
        kind,
        retry_after,
        detail: detail_text(&detail),
    }
}

/// The failure that an error event inside a stream is. `error` is the event's `error` object.
#[must_use]
pub fn stream_error(error: &Value) -> ModelError {
    let field = |name| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let (name, message) = (field("type"), field("message"));
    let kind = kind_of(None, name, message);
    ModelError {
        kind,
        retry_after: None,
        detail: detail_text(&format!("{name}: {message}")),
    }
}

/// A failure of our own words.
pub(crate) fn failure(kind: ModelErrorKind, detail: &str) -> ModelError {
    ModelError {
        kind,
        retry_after: None,
        detail: detail_text(detail),
    }
}

/// How long the server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. A
/// date counts from the server's own `date` where there is one, else from `now`. What does not
/// parse, or lies in the past, says nothing.
#[must_use]
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    let number = |text: &str, unit: f64| {
        let seconds = text.parse::<f64>().ok()? * unit;
        (seconds.is_finite() && seconds >= 0.0)
            .then(|| Duration::try_from_secs_f64(seconds).unwrap_or(MAX_RETRY_AFTER))
    };
    let wait = text("retry-after-ms")
        .and_then(|ms| number(ms, 0.001))
        .or_else(|| {
            let value = text(RETRY_AFTER.as_str())?;
            number(value, 1.0).or_else(|| {
                let until = http_date(value)?;
                let from = text(DATE.as_str()).and_then(http_date).unwrap_or(now);
                until.duration_since(from).ok()
            })
        })?;
    Some(wait.min(MAX_RETRY_AFTER))
}

fn http_date(text: &str) -> Option<SystemTime> {
    jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(text)
        .ok()
        .and_then(|at| SystemTime::try_from(at).ok())
}

/// `error.type` and `error.message` of a JSON body.
fn error_of(body: &[u8]) -> Option<(String, String)> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let error = body.get("error")?;
    if let Some(message) = error.as_str() {
        return Some((String::new(), message.to_owned()));
    }
    let field = |name| {
        error
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Some((field("type"), field("message")))
}

/// The type decides where it says more than the status (servers that stand between repack errors
/// under other statuses), then the status.
fn kind_of(status: Option<u16>, name: &str, message: &str) -> ModelErrorKind {
    let message = message.to_ascii_lowercase();
    if says_no_credit(&message) {
        return ModelErrorKind::Billing;
    }
    match name {
        "overloaded_error" => return ModelErrorKind::Overloaded,
        "rate_limit_error" => return ModelErrorKind::RateLimited,
        "authentication_error" | "permission_error" => return ModelErrorKind::Auth,
        "billing_error" => return ModelErrorKind::Billing,
        "request_too_large" => return ModelErrorKind::TooLong,
        "timeout_error" => return ModelErrorKind::Network,
        "invalid_request_error" if says_too_long(&message) => return ModelErrorKind::TooLong,
        // No more than the status says, or not known here.
        _ => {}
    }
    match (status, name) {
        (Some(401 | 403), _) => ModelErrorKind::Auth,
        (Some(402), _) => ModelErrorKind::Billing,
        (Some(413), _) => ModelErrorKind::TooLong,
        (Some(429), _) => ModelErrorKind::RateLimited,
        (Some(408 | 409 | 425), _) => ModelErrorKind::Network,
        (Some(529), _) => ModelErrorKind::Overloaded,
        (Some(500..), _) => ModelErrorKind::Server,
        (Some(400), _) if says_too_long(&message) => ModelErrorKind::TooLong,
        (Some(_), _) | (None, "invalid_request_error" | "not_found_error") => {
            ModelErrorKind::Invalid
        }
        (None, _) => ModelErrorKind::Server,
    }
}

fn says_no_credit(message: &str) -> bool {
    [
        "credit balance",
        "billing",
        "insufficient_quota",
        "usage limits",
        "spend limit",
    ]
    .iter()
    .any(|words| message.contains(words))
}

fn says_too_long(message: &str) -> bool {
    [
        "prompt is too long",
        "context window",
        "context limit",
        "context length",
        "maximum context",
        "context_length_exceeded",
        "request too large",
        "exceeds the maximum allowed number of tokens",
    ]
    .iter()
    .any(|words| message.contains(words))
}

/// Scrubbed, on one line, bounded.
fn detail_text(text: &str) -> String {
    // Cut far above the bound first: scrubbing and the lines cost what the text is long.
    let head: String = text.chars().take(MAX_DETAIL * 8).collect();
    let clean = scrub(&head);
    let mut line = clean
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_DETAIL)
        .collect::<String>();
    if line.len() < clean.len() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests;
