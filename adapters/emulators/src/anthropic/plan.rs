//! A reply as a list of server-sent events with the tokens that each one costs (API reference:
//! "Streaming messages"). Pure: time is added by the sender.

use bytes::Bytes;
use serde_json::{Value, json};

use super::content::{signature, tokens};
use super::reply::{Block, Fault, Message, Place, Trouble};

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) bytes: Bytes,
    /// Tokens that the model needs before it can be sent.
    pub(crate) tokens: usize,
    place: Option<Place>,
}

/// How a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// With its last event.
    Whole,
    /// Properly, but early.
    Early,
    /// By cutting the connection.
    Cut,
    /// Never.
    Stall,
}

/// What is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub(crate) events: Vec<Event>,
    pub(crate) end: End,
}

/// What a message needs from its request.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) id: String,
    pub(crate) model: String,
    pub(crate) input_tokens: usize,
    pub(crate) chunk_tokens: usize,
}

/// The whole message as one JSON object, for requests that do not stream.
pub(crate) fn whole(message: &Message, head: &Head) -> Value {
    let content: Vec<Value> = message
        .blocks
        .iter()
        .enumerate()
        .map(|(index, block)| full(block, head, index))
        .collect();
    json!({
        "id": head.id, "type": "message", "role": "assistant", "model": head.model,
        "content": content, "stop_reason": stop_reason(message), "stop_sequence": null,
        "usage": usage(head, output_tokens(message)),
    })
}

/// The events of a message, cut where its fault says.
pub(crate) fn events(message: &Message, head: &Head) -> Plan {
    let mut events = vec![event(
        "message_start",
        &json!({"type": "message_start", "message": {
            "id": head.id, "type": "message", "role": "assistant", "model": head.model,
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage(head, 1),
        }}),
    )];
    for (index, block) in message.blocks.iter().enumerate() {
        let start = json!({
            "type": "content_block_start", "index": index, "content_block": empty(block, head, index),
        });
        events.push(event("content_block_start", &start));
        if index == 0 {
            events.push(event("ping", &json!({"type": "ping"})));
        }
        for (number, (delta, cost)) in deltas(block, head.chunk_tokens).into_iter().enumerate() {
            let body = json!({"type": "content_block_delta", "index": index, "delta": delta});
            let mut event = event("content_block_delta", &body);
            event.tokens = cost;
            event.place = Some(Place::Deltas {
                block: index,
                deltas: number + 1,
            });
            events.push(event);
        }
        let mut stop = event(
            "content_block_stop",
            &json!({"type": "content_block_stop", "index": index}),
        );
        stop.place = Some(Place::BlockStop(index));
        events.push(stop);
    }
    let delta = json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(message), "stop_sequence": null},
        "usage": {"output_tokens": output_tokens(message)},
    });
    let mut delta = event("message_delta", &delta);
    delta.place = Some(Place::BeforeStop);
    events.push(delta);
    events.push(event("message_stop", &json!({"type": "message_stop"})));
    let plan = Plan {
        events,
        end: End::Whole,
    };
    match &message.fault {
        None => plan,
        Some(fault) => plan.broken(fault),
    }
}

impl Plan {
    fn broken(self, fault: &Fault) -> Self {
        let mut kept = Vec::new();
        let mut room = match fault.place {
            Place::Bytes(bytes) => bytes,
            Place::Events(_) | Place::Deltas { .. } | Place::BlockStop(_) | Place::BeforeStop => {
                usize::MAX
            }
        };
        for (index, event) in self.events.into_iter().enumerate() {
            if fault.place == Place::Events(index) || room == 0 {
                break;
            }
            let len = event.bytes.len().min(room);
            room -= len;
            // A place of zero deltas is right after the block's start.
            let here = event.place == Some(fault.place);
            let before_first = matches!(
                (fault.place, event.place),
                (Place::Deltas { block, deltas: 0 }, Some(Place::Deltas { block: b, .. }))
                    if block == b
            );
            if before_first {
                break;
            }
            kept.push(Event {
                bytes: event.bytes.slice(..len),
                ..event
            });
            if here {
                break;
            }
        }
        let end = match &fault.trouble {
            Trouble::Cut => End::Cut,
            Trouble::Stall => End::Stall,
            Trouble::End => End::Early,
            Trouble::ErrorEvent { kind, message } => {
                let error = json!({"type": "error", "error": {"type": kind, "message": message}});
                kept.push(self::event("error", &error));
                End::Early
            }
        };
        Self { events: kept, end }
    }
}

fn event(name: &str, data: &Value) -> Event {
    Event {
        bytes: Bytes::from(format!("event: {name}\ndata: {data}\n\n")),
        tokens: 0,
        place: None,
    }
}

fn usage(head: &Head, output: usize) -> Value {
    json!({
        "input_tokens": head.input_tokens, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0, "output_tokens": output,
    })
}

fn output_tokens(message: &Message) -> usize {
    let count = |block: &Block| match block {
        Block::Text { text } => tokens(text),
        Block::Thinking { thinking, .. } => tokens(thinking),
        Block::RedactedThinking { data } => tokens(data),
        Block::ToolUse { input, .. } => tokens(&input.to_string()) + 10,
    };
    message.blocks.iter().map(count).sum::<usize>().max(1)
}

fn stop_reason(message: &Message) -> String {
    let calls = message
        .blocks
        .iter()
        .any(|block| matches!(block, Block::ToolUse { .. }));
    let default = if calls { "tool_use" } else { "end_turn" };
    message
        .stop_reason
        .clone()
        .unwrap_or_else(|| default.to_owned())
}

fn tool_id(id: Option<&String>, head: &Head, index: usize) -> String {
    let fresh = || format!("toolu_{}{index:02}", head.id.trim_start_matches("msg_"));
    id.cloned().unwrap_or_else(fresh)
}

fn full(block: &Block, head: &Head, index: usize) -> Value {
    match block {
        Block::Text { text } => json!({"type": "text", "text": text}),
        Block::Thinking {
            thinking,
            signature: given,
        } => json!({
            "type": "thinking", "thinking": thinking,
            "signature": given.clone().unwrap_or_else(|| signature(thinking)),
        }),
        Block::RedactedThinking { data } => json!({"type": "redacted_thinking", "data": data}),
        Block::ToolUse {
            id, name, input, ..
        } => json!({
            "type": "tool_use", "id": tool_id(id.as_ref(), head, index), "name": name,
            "input": input,
        }),
    }
}

/// The block as `content_block_start` shows it.
fn empty(block: &Block, head: &Head, index: usize) -> Value {
    let mut start = full(block, head, index);
    match block {
        Block::Text { .. } => start["text"] = json!(""),
        Block::Thinking { .. } => {
            start["thinking"] = json!("");
            start["signature"] = json!("");
        }
        Block::RedactedThinking { .. } => {}
        Block::ToolUse { .. } => start["input"] = json!({}),
    }
    start
}

fn deltas(block: &Block, chunk_tokens: usize) -> Vec<(Value, usize)> {
    let chunked = |text: &str, kind: &str, key: &str| {
        let delta = |piece: String| {
            let cost = tokens(&piece);
            (json!({"type": kind, key: piece}), cost)
        };
        pieces(text, chunk_tokens)
            .into_iter()
            .map(delta)
            .collect::<Vec<_>>()
    };
    match block {
        Block::Text { text } => chunked(text, "text_delta", "text"),
        Block::Thinking {
            thinking,
            signature: given,
        } => {
            let mut out = chunked(thinking, "thinking_delta", "thinking");
            let given = given.clone().unwrap_or_else(|| signature(thinking));
            out.push((json!({"type": "signature_delta", "signature": given}), 0));
            out
        }
        Block::RedactedThinking { .. } => Vec::new(),
        Block::ToolUse {
            input, raw_input, ..
        } => {
            let json = raw_input.clone().unwrap_or_else(|| input.to_string());
            // The first piece is empty, as in the real stream.
            let mut out = vec![(json!({"type": "input_json_delta", "partial_json": ""}), 0)];
            out.extend(chunked(&json, "input_json_delta", "partial_json"));
            out
        }
    }
}

/// Pieces of about so many tokens; never inside a character, but anywhere in a word.
fn pieces(text: &str, chunk_tokens: usize) -> Vec<String> {
    let size = chunk_tokens.max(1) * 4;
    let mut out = Vec::new();
    let mut piece = String::new();
    for c in text.chars() {
        piece.push(c);
        if piece.len() >= size {
            out.push(std::mem::take(&mut piece));
        }
    }
    if !piece.is_empty() {
        out.push(piece);
    }
    out
}
