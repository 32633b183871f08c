//! The client against a server of a few lines, over real sockets.

mod server;

use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream;
use serde_json::Value;
use talaria_types::Secret;
use talaria_types::model::{Block, Message, ModelErrorKind, ModelRequest, StreamEvent, UserBlock};
use tokio::net::TcpListener;

use self::server::{Answer, STREAM_HEAD, chunk, plain_answer, serve, stream_answer};
use super::{Anthropic, AnthropicSettings, Reading};
use crate::anthropic::decode::StreamDecoder;
use crate::http::{Http, Timeouts};
use crate::{Error, Model};

const SAMPLE: &[u8] = include_bytes!("../../replay/samples/all_kinds.sse");

/// Each test has a deadline of its own.
async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), work)
        .await
        .expect("the test hangs")
}

fn quick() -> Timeouts {
    Timeouts {
        first_byte: Duration::from_millis(200),
        idle: Duration::from_millis(200),
        ..Timeouts::default()
    }
}

fn model(url: &str, timeouts: Timeouts) -> Anthropic {
    let http = Http::new(timeouts, || SystemTime::UNIX_EPOCH).unwrap();
    Anthropic::new(http, settings(url, "test-key-0123456789")).unwrap()
}

fn settings(url: &str, key: &str) -> AnthropicSettings {
    AnthropicSettings {
        provider: "anthropic".to_owned(),
        base_url: url.to_owned(),
        api_key: Secret::new(key),
        model: "model-1".to_owned(),
    }
}

fn request() -> ModelRequest {
    let content = vec![UserBlock::Text {
        text: "hi".to_owned(),
    }];
    ModelRequest {
        system: "s".to_owned(),
        tools: vec![],
        messages: vec![Message::User { content }],
        max_tokens: 100,
    }
}

async fn ask(model: &Anthropic) -> Vec<StreamEvent> {
    in_time(model.ask(request()).collect()).await
}

fn failure(events: &[StreamEvent]) -> (ModelErrorKind, Option<Duration>, String) {
    match events.last() {
        Some(StreamEvent::Failed(error)) => (error.kind, error.retry_after, error.detail.clone()),
        other => panic!("no failure: {other:?}"),
    }
}

#[tokio::test]
async fn a_stream_becomes_its_events() {
    let mut server = serve(Answer::Keep(stream_answer(SAMPLE))).await;
    let model = model(&format!("{}/", server.url), Timeouts::default());
    let mut want = Vec::new();
    StreamDecoder::new().feed(SAMPLE, &mut want);
    assert_eq!(ask(&model).await, want);
    assert!(
        matches!(want.last(), Some(StreamEvent::End { .. })) && want.len() == 8,
        "{want:?}"
    );

    let (head, body) = server.requests.recv().await.unwrap();
    assert!(head.starts_with("post /v1/messages http/1.1"), "{head}");
    for line in [
        "x-api-key: test-key-0123456789",
        "anthropic-version: 2023-06-01",
        "content-type: application/json",
        "accept: text/event-stream",
    ] {
        assert!(head.lines().any(|l| l == line), "{line} is not in {head}");
    }
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (&body["model"], &body["stream"]),
        (&"model-1".into(), &true.into())
    );
    assert_eq!(model.name(), "anthropic/model-1");
}

#[tokio::test]
async fn the_connection_is_used_again() {
    let server = serve(Answer::Keep(stream_answer(SAMPLE))).await;
    let model = model(&server.url, Timeouts::default());
    for _ in 0..3 {
        ask(&model).await;
    }
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_stream_that_is_cut_gives_its_closed_blocks_and_fails() {
    let cut = SAMPLE.len() - 400;
    let chunked = [STREAM_HEAD.as_bytes(), &chunk(&SAMPLE[..cut])].concat();
    let plain_head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
    let plain = [plain_head.as_bytes(), &SAMPLE[..cut]].concat();
    for (bytes, says) in [(chunked, "connection broke"), (plain, "ended early")] {
        let server = serve(Answer::Close(bytes)).await;
        let events = ask(&model(&server.url, Timeouts::default())).await;
        let (kind, _, detail) = failure(&events);
        assert_eq!(kind, ModelErrorKind::Network);
        assert!(detail.contains(says), "{detail}");
        let calls = events.iter().filter(|event| {
            matches!(
                event,
                StreamEvent::BlockStop {
                    block: Block::ToolUse { .. },
                    ..
                }
            )
        });
        assert_eq!(calls.count(), 1, "{events:?}");
    }
}

#[tokio::test]
async fn error_statuses_keep_their_meaning_and_wait() {
    let body = |name: &str, message: &str| {
        format!(r#"{{"type":"error","error":{{"type":"{name}","message":"{message}"}}}}"#)
    };
    for (status, headers, body, want, wait) in [
        (
            401,
            "",
            body("authentication_error", "invalid x-api-key"),
            ModelErrorKind::Auth,
            None,
        ),
        (
            400,
            "",
            body(
                "invalid_request_error",
                "prompt is too long: 2 tokens > 1 maximum",
            ),
            ModelErrorKind::TooLong,
            None,
        ),
        (
            429,
            "retry-after: 7\r\n",
            body("rate_limit_error", "x"),
            ModelErrorKind::RateLimited,
            Some(7),
        ),
        (
            529,
            "",
            body("overloaded_error", "Overloaded"),
            ModelErrorKind::Overloaded,
            None,
        ),
        (
            502,
            "content-type: text/html\r\n",
            "<html>bad gateway</html>".to_owned(),
            ModelErrorKind::Server,
            None,
        ),
        (
            302,
            "location: /elsewhere\r\n",
            String::new(),
            ModelErrorKind::Invalid,
            None,
        ),
        (
            200,
            "content-type: application/json\r\n",
            "{}".to_owned(),
            ModelErrorKind::Protocol,
            None,
        ),
        (200, "", String::new(), ModelErrorKind::Network, None),
    ] {
        let mut server = serve(Answer::Keep(plain_answer(status, headers, &body))).await;
        let events = ask(&model(&server.url, Timeouts::default())).await;
        assert_eq!(events.len(), 1, "{status}: {events:?}");
        let (kind, retry_after, detail) = failure(&events);
        assert_eq!(
            (kind, retry_after),
            (want, wait.map(Duration::from_secs)),
            "{status}: {detail}"
        );
        server.requests.recv().await.unwrap();
        assert!(
            server.requests.try_recv().is_err(),
            "{status}: nothing is asked twice"
        );
    }
}

#[tokio::test]
async fn an_error_body_without_end_is_bounded() {
    let head = "HTTP/1.1 500 X\r\ncontent-length: 100000000\r\n\r\n";
    let bytes = [head.as_bytes(), &vec![b'x'; 200_000]].concat();
    let server = serve(Answer::Keep(bytes)).await;
    let (kind, _, detail) = failure(&ask(&model(&server.url, Timeouts::default())).await);
    assert_eq!(kind, ModelErrorKind::Server);
    assert!(detail.len() < 600);
}

#[tokio::test]
async fn silence_before_the_answer_and_in_it_is_a_failure() {
    let server = serve(Answer::Keep(vec![])).await;
    let (kind, _, detail) = failure(&ask(&model(&server.url, quick())).await);
    assert_eq!(kind, ModelErrorKind::Network);
    assert!(detail.contains("no answer within 200ms"), "{detail}");

    let head_and_text = [
        STREAM_HEAD.as_bytes(),
        &chunk(&SAMPLE[..SAMPLE.len() - 400]),
    ]
    .concat();
    let mut server = serve(Answer::Keep(head_and_text)).await;
    let events = ask(&model(&server.url, quick())).await;
    let (kind, _, detail) = failure(&events);
    assert_eq!(kind, ModelErrorKind::Network);
    assert!(
        detail.contains("silent for 200ms") && events.len() > 3,
        "{detail}"
    );
    in_time(server.closed.recv())
        .await
        .expect("the connection is closed");
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let head_and_text = [
        STREAM_HEAD.as_bytes(),
        &chunk(&SAMPLE[..SAMPLE.len() - 400]),
    ]
    .concat();
    let mut server = serve(Answer::Keep(head_and_text)).await;
    let model = model(&server.url, Timeouts::default());
    let mut events = model.ask(request());
    in_time(events.next()).await.unwrap();
    assert!(server.closed.try_recv().is_err());
    drop(events);
    in_time(server.closed.recv()).await.unwrap();

    // Also while the answer's head is awaited.
    let mut server = serve(Answer::Keep(vec![])).await;
    let model = self::model(&server.url, Timeouts::default());
    let mut events = model.ask(request());
    tokio::select! {
        _ = events.next() => panic!("there is no answer"),
        seen = in_time(server.requests.recv()) => assert!(seen.is_some()),
    }
    drop(events);
    in_time(server.closed.recv()).await.unwrap();
}

#[tokio::test]
async fn nothing_leaves_before_the_first_poll() {
    let server = serve(Answer::Keep(stream_answer(SAMPLE))).await;
    let model = model(&server.url, Timeouts::default());
    drop(model.ask(request()));
    ask(&model).await;
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_refused_connection_is_a_network_failure_without_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/secret-path", listener.local_addr().unwrap());
    drop(listener);
    let (kind, _, detail) = failure(&ask(&model(&url, Timeouts::default())).await);
    assert_eq!(kind, ModelErrorKind::Network);
    assert!(
        detail.starts_with("can't connect") && !detail.contains("secret-path"),
        "{detail}"
    );
}

/// A body that sends `pieces` pings, each after `wait`, then is silent.
fn pinging(pieces: u32, wait: Duration) -> Reading {
    let body = stream::unfold(0, move |n| async move {
        if n == pieces {
            return futures::future::pending().await;
        }
        tokio::time::sleep(wait).await;
        Some((
            Ok(Bytes::from_static(
                b"event: ping\ndata: {\"type\":\"ping\"}\n\n",
            )),
            n + 1,
        ))
    });
    Reading {
        body: body.boxed(),
        decoder: StreamDecoder::new(),
        patience: Duration::from_secs(120),
        idle: Duration::from_secs(90),
        out: Vec::new(),
    }
}

#[tokio::test(start_paused = true)]
async fn pings_count_as_life() {
    let start = tokio::time::Instant::now();
    let mut reading = pinging(10, Duration::from_secs(80));
    while !reading.decoder.is_done() {
        reading.read().await;
    }
    assert_eq!(start.elapsed().as_secs(), 10 * 80 + 90);
    assert!(failure(&reading.out).2.contains("silent for 90s"));

    // The first piece may take longer.
    let start = tokio::time::Instant::now();
    let mut reading = pinging(0, Duration::ZERO);
    reading.read().await;
    assert_eq!(start.elapsed().as_secs(), 120);
}

#[test]
fn settings_are_checked_and_do_not_print_the_key() {
    let http = || Http::new(Timeouts::default(), || SystemTime::UNIX_EPOCH).unwrap();
    for url in ["", "api.example", "ftp://x", "http://", "file:///etc"] {
        let made = Anthropic::new(http(), settings(url, "k"));
        assert!(matches!(made, Err(Error::BaseUrl(_))), "{url}");
    }
    let made = Anthropic::new(http(), settings("http://x", "a\nb"));
    assert!(matches!(made, Err(Error::ApiKey)));
    let key = "test-key-0123456789";
    assert!(!format!("{:?}", settings("http://x", key)).contains(key));
    assert!(!format!("{:?}", model("http://x", Timeouts::default())).contains(key));
}
