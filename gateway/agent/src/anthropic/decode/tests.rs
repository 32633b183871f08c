use serde_json::json;
use talaria_types::model::{Block, ModelErrorKind, StopReason, StreamEvent, Usage};

use super::{MAX_BLOCKS, MAX_CONTENT, StreamDecoder};

/// The events of a stream of these JSON events.
fn decode(wire: &[serde_json::Value]) -> Vec<StreamEvent> {
    let mut out = run(wire).0;
    out.shrink_to_fit();
    out
}

fn run(wire: &[serde_json::Value]) -> (Vec<StreamEvent>, StreamDecoder) {
    let mut decoder = StreamDecoder::new();
    let mut out = Vec::new();
    for event in wire {
        decoder.feed(format!("data: {event}\n\n").as_bytes(), &mut out);
    }
    (out, decoder)
}

fn start(index: u64, block: serde_json::Value) -> serde_json::Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn tool(index: u64, id: &str) -> serde_json::Value {
    start(
        index,
        json!({ "type": "tool_use", "id": id, "name": "f", "input": {} }),
    )
}

fn delta(index: u64, delta: serde_json::Value) -> serde_json::Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn text(index: u64, text: &str) -> serde_json::Value {
    delta(index, json!({ "type": "text_delta", "text": text }))
}

fn json_piece(index: u64, piece: &str) -> serde_json::Value {
    delta(
        index,
        json!({ "type": "input_json_delta", "partial_json": piece }),
    )
}

fn stop(index: u64) -> serde_json::Value {
    json!({ "type": "content_block_stop", "index": index })
}

fn reason(reason: &str) -> serde_json::Value {
    json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 7 } })
}

fn message_stop() -> serde_json::Value {
    json!({ "type": "message_stop" })
}

fn call(index: usize, id: &str, input: serde_json::Value) -> StreamEvent {
    let block = Block::ToolUse {
        id: id.to_owned(),
        name: "f".to_owned(),
        input,
    };
    StreamEvent::BlockStop { index, block }
}

fn failed(out: &[StreamEvent]) -> Option<ModelErrorKind> {
    match out.last() {
        Some(StreamEvent::Failed(error)) => Some(error.kind),
        Some(_) | None => None,
    }
}

#[test]
fn a_call_waits_until_the_model_goes_on() {
    let closed = [tool(0, "a"), json_piece(0, "{\"x\":1}"), stop(0)];
    let given = call(0, "a", json!({ "x": 1 }));
    assert_eq!(decode(&closed), vec![]);
    let next = start(1, json!({ "type": "text", "text": "" }));
    assert_eq!(
        decode(&[&closed[..], &[next]].concat()),
        vec![given.clone()]
    );
    // The reason alone is not yet the end; the end is.
    let all = [&closed[..], &[reason("tool_use"), message_stop()]].concat();
    let usage = Usage {
        output_tokens: 7,
        ..Usage::default()
    };
    let end = StreamEvent::End {
        stop_reason: StopReason::ToolUse,
        usage,
    };
    assert_eq!(decode(&all), vec![given, end]);
}

#[test]
fn a_call_at_which_the_response_was_cut_off_is_not_given() {
    for name in ["max_tokens", "refusal", "model_context_window_exceeded"] {
        let out = decode(&[
            tool(0, "a"),
            json_piece(0, "{}"),
            stop(0),
            tool(1, "b"),
            json_piece(1, "{}"),
            stop(1),
            reason(name),
            message_stop(),
        ]);
        assert_eq!(out.len(), 2, "{name}: {out:?}");
        assert_eq!(
            out[0],
            call(0, "a", json!({})),
            "the model went on after it"
        );
        assert!(matches!(out[1], StreamEvent::End { .. }));
    }
}

#[test]
fn a_broken_stream_gives_its_closed_calls_first() {
    let closed = [tool(0, "a"), stop(0)];
    let (mut out, mut decoder) = run(&closed);
    decoder.end(Some("reset"), &mut out);
    assert_eq!(out[0], call(0, "a", json!({})));
    assert_eq!(failed(&out), Some(ModelErrorKind::Network));

    let (mut out, mut decoder) = run(&[tool(0, "a"), json_piece(0, "{}")]);
    decoder.end(None, &mut out);
    assert_eq!(out.len(), 1, "an open call is none: {out:?}");

    let error = json!({ "type": "error", "error": { "type": "api_error", "message": "x" } });
    let out = decode(&[&closed[..], &[error]].concat());
    assert_eq!((out.len(), failed(&out)), (2, Some(ModelErrorKind::Server)));

    let (mut out, mut decoder) = run(&[&closed[..], &[reason("max_tokens")]].concat());
    decoder.end(None, &mut out);
    assert_eq!(out.len(), 1, "known to be cut off: {out:?}");
}

#[test]
fn inputs_that_are_no_objects_are_no_calls() {
    for piece in ["{\"a\":", "[1]", "\"x\"", "{} {}", "null x"] {
        let wire = [
            tool(0, "a"),
            json_piece(0, piece),
            stop(0),
            reason("tool_use"),
            message_stop(),
        ];
        let out = decode(&wire);
        assert_eq!(
            (out.len(), failed(&out)),
            (1, Some(ModelErrorKind::Protocol)),
            "{piece}"
        );
    }
    for piece in ["", "  ", "null"] {
        let wire = [
            tool(0, "a"),
            json_piece(0, piece),
            stop(0),
            reason("tool_use"),
            message_stop(),
        ];
        assert_eq!(decode(&wire)[0], call(0, "a", json!({})), "{piece:?}");
    }
}

#[test]
fn a_call_needs_its_own_id_and_a_close() {
    let twice = [
        tool(0, "a"),
        stop(0),
        tool(1, "a"),
        stop(1),
        reason("tool_use"),
        message_stop(),
    ];
    let out = decode(&twice);
    assert_eq!(
        (out.len(), failed(&out)),
        (2, Some(ModelErrorKind::Protocol))
    );
    let nameless = [tool(0, ""), stop(0), message_stop()];
    assert_eq!(failed(&decode(&nameless)), Some(ModelErrorKind::Protocol));
    let open = [
        tool(0, "a"),
        json_piece(0, "{}"),
        reason("tool_use"),
        message_stop(),
    ];
    assert_eq!(failed(&decode(&open)), Some(ModelErrorKind::Protocol));
}

#[test]
fn text_is_kept_although_its_frame_got_lost() {
    let out = decode(&[
        text(4, "a"),
        text(4, "b"),
        reason("end_turn"),
        message_stop(),
    ]);
    let block = Block::Text {
        text: "ab".to_owned(),
    };
    assert_eq!(out[2], StreamEvent::BlockStop { index: 0, block });
    assert!(matches!(
        &out[3],
        StreamEvent::End {
            stop_reason: StopReason::EndTurn,
            ..
        }
    ));
}

#[test]
fn an_index_may_come_again_after_its_stop_but_not_before() {
    let block = || start(0, json!({ "type": "text", "text": "" }));
    let out = decode(&[
        block(),
        text(0, "a"),
        stop(0),
        block(),
        text(0, "b"),
        stop(0),
        message_stop(),
    ]);
    let given = |index, text: &str| StreamEvent::BlockStop {
        index,
        block: Block::Text {
            text: text.to_owned(),
        },
    };
    assert!(
        out.contains(&given(0, "a")) && out.contains(&given(1, "b")),
        "{out:?}"
    );
    assert_eq!(
        failed(&decode(&[block(), block()])),
        Some(ModelErrorKind::Protocol)
    );
}

#[test]
fn a_missing_stop_reason_is_inferred() {
    let reason_of = |wire: &[serde_json::Value]| match decode(wire).pop() {
        Some(StreamEvent::End { stop_reason, .. }) => Some(stop_reason),
        Some(_) | None => None,
    };
    assert_eq!(reason_of(&[message_stop()]), Some(StopReason::EndTurn));
    assert_eq!(
        reason_of(&[tool(0, "a"), stop(0), message_stop()]),
        Some(StopReason::ToolUse)
    );
    let named = Some(StopReason::Other("later".to_owned()));
    assert_eq!(reason_of(&[reason("later"), message_stop()]), named);
}

#[test]
fn usage_is_cumulative() {
    let out = decode(&[
        json!({ "type": "message_start", "message": { "usage": {
            "input_tokens": 5, "output_tokens": 1,
            "cache_read_input_tokens": 10, "cache_creation_input_tokens": 20,
        } } }),
        json!({ "type": "message_delta", "delta": {}, "usage": { "input_tokens": 0, "output_tokens": 4 } }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 9, "cache_read_input_tokens": null } }),
        message_stop(),
    ]);
    let usage = Usage {
        input_tokens: 5,
        output_tokens: 9,
        cache_read_tokens: 10,
        cache_write_tokens: 20,
    };
    assert_eq!(
        out,
        vec![StreamEvent::End {
            stop_reason: StopReason::EndTurn,
            usage
        }]
    );
}

#[test]
fn nothing_follows_the_end() {
    let out = decode(&[message_stop(), text(0, "late"), message_stop()]);
    assert_eq!(out.len(), 1);
    let (mut out, mut decoder) = run(&[message_stop()]);
    decoder.end(None, &mut out);
    assert!(decoder.is_done() && out.len() == 1);
}

#[test]
fn malformed_events_fail_without_quoting_them() {
    for data in [
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":[\"private\"]}}",
        "{\"type\":\"content_block_delta\",\"private",
        "private",
        "{\"type\":\"content_block_stop\"}",
    ] {
        let mut out = Vec::new();
        StreamDecoder::new().feed(format!("data: {data}\n\n").as_bytes(), &mut out);
        assert_eq!(failed(&out), Some(ModelErrorKind::Protocol), "{data}");
        let Some(StreamEvent::Failed(error)) = out.pop() else {
            panic!("{data}")
        };
        assert!(!error.detail.contains("private"), "{}", error.detail);
    }
    let mut out = Vec::new();
    StreamDecoder::new().feed(b"event: error\ndata: upstream went away\n\n", &mut out);
    assert_eq!(failed(&out), Some(ModelErrorKind::Server));
    let out = decode(&[json!({ "error": { "type": "overloaded_error", "message": "x" } })]);
    assert_eq!(failed(&out), Some(ModelErrorKind::Overloaded));
}

#[test]
fn blocks_and_content_are_bounded() {
    let many: Vec<_> = (0..=MAX_BLOCKS as u64)
        .map(|index| start(index, json!({ "type": "text", "text": "" })))
        .collect();
    assert_eq!(failed(&decode(&many)), Some(ModelErrorKind::Protocol));
    let megabyte = "x".repeat(1024 * 1024);
    let much: Vec<_> = (0..=MAX_CONTENT / megabyte.len())
        .map(|_| text(0, &megabyte))
        .collect();
    assert_eq!(failed(&decode(&much)), Some(ModelErrorKind::Protocol));
    assert_eq!(failed(&decode(&much[1..])), None);
}
