use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::json;
use talaria_types::Secret;
use talaria_types::model::ModelErrorKind::{self, *};

use super::{MAX_RETRY_AFTER, http_error, retry_after, stream_error};

/// 2026-11-30T15:00:00Z.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_050_800)
}

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        })
        .collect()
}

fn kind(status: u16, body: &str) -> ModelErrorKind {
    http_error(status, &HeaderMap::new(), body.as_bytes(), now()).kind
}

fn api(name: &str, message: &str) -> String {
    json!({ "type": "error", "error": { "type": name, "message": message } }).to_string()
}

#[test]
fn statuses_of_the_api() {
    for (status, name, message, want) in [
        (400, "invalid_request_error", "messages.3: bad", Invalid),
        (
            400,
            "invalid_request_error",
            "prompt is too long: 215000 tokens > 200000 maximum",
            TooLong,
        ),
        (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
            TooLong,
        ),
        (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the API.",
            Billing,
        ),
        (
            400,
            "invalid_request_error",
            "You have reached your specified API usage limits.",
            Billing,
        ),
        (401, "authentication_error", "invalid x-api-key", Auth),
        (402, "billing_error", "x", Billing),
        (403, "permission_error", "x", Auth),
        (404, "not_found_error", "model: nope", Invalid),
        (409, "conflict", "x", Network),
        (413, "request_too_large", "x", TooLong),
        (422, "unprocessable", "x", Invalid),
        (429, "rate_limit_error", "x", RateLimited),
        (500, "api_error", "x", Server),
        (504, "timeout_error", "x", Network),
        (529, "overloaded_error", "x", Overloaded),
        (503, "overloaded_error", "repacked", Overloaded),
        (
            429,
            "insufficient_quota",
            "You exceeded your quota: billing",
            Billing,
        ),
    ] {
        assert_eq!(
            kind(status, &api(name, message)),
            want,
            "{status} {name} {message}"
        );
    }
}

#[test]
fn bodies_that_are_not_the_apis() {
    for (status, want) in [
        (301, Invalid),
        (400, Invalid),
        (401, Auth),
        (403, Auth),
        (408, Network),
        (413, TooLong),
        (429, RateLimited),
        (500, Server),
        (502, Server),
        (529, Overloaded),
    ] {
        for body in [
            "",
            "<html>\n<h1>Bad gateway</h1></html>",
            "{\"a\":",
            "[]",
            "{\"error\":null}",
        ] {
            assert_eq!(kind(status, body), want, "{status} {body}");
        }
    }
    assert_eq!(kind(500, r#"{"error":"boom"}"#), Server);
    let error = http_error(502, &HeaderMap::new(), b"<html>\n\n<b>nginx\xff</b>", now());
    assert_eq!(
        error.detail,
        "HTTP 502, not the API's JSON: <html> <b>nginx\u{fffd}</b>"
    );
}

#[test]
fn details_are_scrubbed_and_bounded() {
    let key = Secret::new("local-key-123456");
    key.register();
    let message = format!(
        "bad key {} or sk-ant-REDACTED {}",
        key.expose(),
        "x".repeat(9000)
    );
    let error = http_error(
        401,
        &HeaderMap::new(),
        api("authentication_error", &message).as_bytes(),
        now(),
    );
    assert!(!error.detail.contains("local-key") && !error.detail.contains("abcdefgh"));
    assert!(
        error
            .detail
            .starts_with("HTTP 401: authentication_error: bad key [redacted]")
    );
    assert!(
        error.detail.chars().count() <= 501,
        "{}",
        error.detail.len()
    );
}

#[test]
fn error_events() {
    for (name, want) in [
        ("overloaded_error", Overloaded),
        ("api_error", Server),
        ("rate_limit_error", RateLimited),
        ("invalid_request_error", Invalid),
        ("authentication_error", Auth),
        ("something_new", Server),
    ] {
        let error = stream_error(&json!({ "type": name, "message": "m" }));
        assert_eq!((error.kind, error.detail), (want, format!("{name}: m")));
    }
    assert_eq!(stream_error(&json!(null)).kind, Server);
}

#[test]
fn retry_after_in_its_forms() {
    let seconds = |s| Some(Duration::from_secs(s));
    for (value, want) in [
        ("7", seconds(7)),
        ("0", seconds(0)),
        (" 1.5 ", Some(Duration::from_millis(1500))),
        ("Mon, 30 Nov 2026 15:00:30 GMT", seconds(30)),
        ("Mon, 30 Nov 2026 14:59:30 GMT", None),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
        ("-3", None),
        ("soon", None),
        ("", None),
        ("NaN", None),
        ("inf", None),
        ("86400", seconds(86400)),
        ("1e300", Some(MAX_RETRY_AFTER)),
    ] {
        assert_eq!(
            retry_after(&headers(&[("retry-after", value)]), now()),
            want,
            "{value}"
        );
    }
    let ms = headers(&[("retry-after-ms", "250"), ("retry-after", "7")]);
    assert_eq!(retry_after(&ms, now()), Some(Duration::from_millis(250)));
    assert_eq!(retry_after(&HeaderMap::new(), now()), None);
}

#[test]
fn a_date_counts_from_the_servers_own_clock() {
    let dates = headers(&[
        ("date", "Mon, 30 Nov 2026 18:00:00 GMT"),
        ("retry-after", "Mon, 30 Nov 2026 18:00:05 GMT"),
    ]);
    assert_eq!(retry_after(&dates, now()), Some(Duration::from_secs(5)));
}

#[test]
fn only_a_failure_that_may_pass_keeps_the_wait() {
    let wait = headers(&[("retry-after", "7")]);
    assert!(http_error(429, &wait, b"", now()).retry_after.is_some());
    assert!(http_error(503, &wait, b"", now()).retry_after.is_some());
    assert!(http_error(401, &wait, b"", now()).retry_after.is_none());
}
