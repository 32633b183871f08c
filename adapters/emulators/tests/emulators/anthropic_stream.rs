//! The wire format of streams, timing, scripted faults.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use talaria_emulators::AnthropicControl;
use talaria_emulators::anthropic::{
    Block, Matcher, Message, Outcome, Place, Refusal, Reply, Trouble,
};

use crate::rig::{Model, SOON, says, streams};

fn names(events: &[(String, Value)]) -> Vec<&str> {
    events.iter().map(|(name, _)| name.as_str()).collect()
}

fn joined(events: &[(String, Value)], key: &str) -> String {
    events
        .iter()
        .filter_map(|(_, data)| data["delta"][key].as_str())
        .collect()
}

#[tokio::test]
async fn every_kind_of_block_is_streamed_as_the_api_streams_it() {
    let model = Model::start().await;
    let input = json!({"expression": "1 + 2", "note": "äöü"});
    let blocks = vec![
        Block::thinking("Let me think."),
        Block::RedactedThinking {
            data: "opaque".to_owned(),
        },
        Block::text("Wait."),
        Block::tool("toolu_1", "calculator", input.clone()),
    ];
    model.control.script(Matcher::Any, Message::blocks(blocks));
    let (events, whole) = model.stream(&streams("x")).await;
    assert!(whole);
    for (name, data) in &events {
        assert_eq!(data["type"], name.as_str());
    }
    let start = &events[0].1["message"];
    assert_eq!(start["role"], "assistant");
    assert_eq!(start["content"], json!([]));
    assert_eq!(start["stop_reason"], Value::Null);
    assert!(start["usage"]["input_tokens"].as_u64().unwrap() > 0);
    assert_eq!(
        names(&events)[..3],
        ["message_start", "content_block_start", "ping"]
    );
    assert_eq!(joined(&events, "thinking"), "Let me think.");
    assert!(!joined(&events, "signature").is_empty());
    assert_eq!(joined(&events, "text"), "Wait.");
    let pieces = events
        .iter()
        .filter(|(_, data)| data["delta"]["type"] == "input_json_delta");
    assert!(pieces.count() > 2);
    let sent: Value = serde_json::from_str(&joined(&events, "partial_json")).unwrap();
    assert_eq!(sent, input);
    let starts: Vec<&Value> = events
        .iter()
        .filter(|(name, _)| name == "content_block_start")
        .map(|(_, data)| &data["content_block"])
        .collect();
    assert_eq!(
        starts[0],
        &json!({"type": "thinking", "thinking": "", "signature": ""})
    );
    assert_eq!(
        starts[1],
        &json!({"type": "redacted_thinking", "data": "opaque"})
    );
    assert_eq!(starts[2], &json!({"type": "text", "text": ""}));
    assert_eq!(
        starts[3],
        &json!({"type": "tool_use", "id": "toolu_1", "name": "calculator", "input": {}})
    );
    let count = |name: &str| names(&events).iter().filter(|n| **n == name).count();
    assert_eq!(
        (count("content_block_start"), count("content_block_stop")),
        (4, 4)
    );
    let (_, delta) = &events[events.len() - 2];
    assert_eq!(
        delta["delta"],
        json!({"stop_reason": "tool_use", "stop_sequence": null})
    );
    assert!(delta["usage"]["output_tokens"].as_u64().unwrap() > 0);
    assert_eq!(names(&events).last(), Some(&"message_stop"));
    let request = model.control.requests().pop().unwrap();
    assert_eq!(
        (request.outcome, request.events),
        (Outcome::Finished, events.len())
    );
}

#[tokio::test]
async fn the_same_message_comes_without_a_stream() {
    let model = Model::start().await;
    model.control.script(Matcher::Any, Reply::text("Hi."));
    let (status, body) = model.ask(&says("x")).await;
    assert_eq!(status, 200);
    assert_eq!(body["content"], json!([{"type": "text", "text": "Hi."}]));
    assert_eq!(body["stop_reason"], "end_turn");
    let mut small = says("long");
    small["max_tokens"] = json!(5);
    let (_, body) = model.ask(&small).await;
    assert_eq!(body["stop_reason"], "max_tokens");
    assert_eq!(body["content"][0]["text"].as_str().unwrap().len(), 20);
}

#[tokio::test]
async fn speed_and_first_byte_are_kept() {
    let model = Model::start().await;
    let message = Message {
        first_byte_ms: 200,
        ..Message::text(&"abcd".repeat(40)).at(100.0)
    };
    model.control.script(Matcher::Any, message);
    let start = Instant::now();
    model.stream(&streams("x")).await;
    // 40 tokens at 100 a second after 200 ms.
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(590), "{took:?}");
    let log = model.control.requests().pop().unwrap();
    let spread = log.last_delta_us.unwrap() - log.first_delta_us.unwrap();
    assert!(spread >= 370_000, "{spread}");
}

#[tokio::test]
async fn a_stream_can_break_at_every_place() {
    let model = Model::start().await;
    let message = || Message::blocks(vec![Block::text("one two three"), Block::text("four")]);
    let all = [
        "message_start",
        "content_block_start",
        "ping",
        "content_block_delta",
    ];
    let break_at = async |place: Place, trouble: Trouble| {
        model
            .control
            .script(Matcher::Any, message().with_fault(place, trouble));
        model.stream(&streams("x")).await
    };
    let (events, whole) = break_at(Place::Events(4), Trouble::Cut).await;
    assert_eq!((names(&events), whole), (all.to_vec(), false));
    let (events, whole) = break_at(Place::Events(4), Trouble::End).await;
    assert_eq!((names(&events), whole), (all.to_vec(), true));
    let (events, _) = break_at(
        Place::Deltas {
            block: 0,
            deltas: 1,
        },
        Trouble::Cut,
    )
    .await;
    assert_eq!(names(&events), all);
    let (events, _) = break_at(
        Place::Deltas {
            block: 1,
            deltas: 0,
        },
        Trouble::Cut,
    )
    .await;
    assert_eq!(names(&events).last(), Some(&"content_block_start"));
    let (events, _) = break_at(Place::BlockStop(0), Trouble::Cut).await;
    assert_eq!(names(&events).last(), Some(&"content_block_stop"));
    assert_eq!(joined(&events, "text"), "one two three");
    let (events, whole) = break_at(Place::BeforeStop, Trouble::Cut).await;
    assert_eq!(
        (names(&events).last(), whole),
        (Some(&"message_delta"), false)
    );
    let trouble = Trouble::ErrorEvent {
        kind: "overloaded_error".to_owned(),
        message: "Overloaded".to_owned(),
    };
    let (events, whole) = break_at(Place::Events(3), trouble).await;
    assert!(whole);
    let error =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    assert_eq!(events.last(), Some(&("error".to_owned(), error)));
    // In the middle of an event: what arrives of it is no event.
    let (events, whole) = break_at(Place::Bytes(400), Trouble::Cut).await;
    assert!(!whole && names(&events).first() == Some(&"message_start") && events.len() < 6);
    let outcomes: Vec<Outcome> = model.control.requests().iter().map(|r| r.outcome).collect();
    assert!(
        outcomes.iter().all(|outcome| *outcome == Outcome::Cut),
        "{outcomes:?}"
    );
}

#[tokio::test]
async fn a_stalled_stream_is_silent_until_the_client_goes() {
    let model = Model::start().await;
    let message = Message::text("one two three").with_fault(Place::Events(4), Trouble::Stall);
    model.control.script(Matcher::Any, message);
    let mut response = model.request(&streams("x")).send().await.unwrap();
    let sent = |control: &AnthropicControl| control.requests()[0].events == 4;
    assert!(model.control.wait_until(SOON, sent).await);
    let silent = async { while let Ok(Some(_)) = response.chunk().await {} };
    assert!(
        tokio::time::timeout(Duration::from_millis(300), silent)
            .await
            .is_err()
    );
    assert_eq!(model.control.requests()[0].outcome, Outcome::Running);
    drop(response);
    let gone = |control: &AnthropicControl| control.requests()[0].outcome == Outcome::ClientGone;
    assert!(model.control.wait_until(SOON, gone).await);
}

#[tokio::test]
async fn scripted_replies_are_matched_in_order() {
    let model = Model::start().await;
    let control = &model.control;
    control.script_times(
        Matcher::LastUserContains("weather".to_owned()),
        2,
        Reply::text("rain"),
    );
    control.script(
        Matcher::when(|body| body["model"] == "demo"),
        Reply::text("first"),
    );
    let refusal = Refusal {
        status: 429,
        kind: "rate_limit_error".to_owned(),
        message: "slow down".to_owned(),
        retry_after: Some(3),
    };
    control.script(Matcher::Any, Reply::Refusal(refusal));
    let text = async |says_what: &str| model.ask(&says(says_what)).await.1;
    assert_eq!(text("a").await["content"][0]["text"], "first");
    assert_eq!(text("the weather").await["content"][0]["text"], "rain");
    let response = model.request(&says("b")).send().await.unwrap();
    assert_eq!(response.status(), 429);
    assert_eq!(response.headers()["retry-after"], "3");
    let body: Value = response.json().await.unwrap();
    assert_eq!(
        body["error"],
        json!({"type": "rate_limit_error", "message": "slow down"})
    );
    assert_eq!(text("weather again").await["content"][0]["text"], "rain");
    assert_eq!(control.scripted(), 0);
    let hashes: Vec<String> = control
        .requests()
        .into_iter()
        .map(|r| r.body_hash)
        .collect();
    text("a").await;
    assert_eq!(control.requests()[4].body_hash, hashes[0]);
    assert_ne!(hashes[0], hashes[1]);
}
