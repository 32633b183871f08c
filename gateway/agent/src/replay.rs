//! What a captured model stream becomes. Pure; no command prints it yet.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use talaria_types::model::{Block, StopReason, StreamEvent, Usage};

use crate::anthropic::decode::{Partial, StreamDecoder};

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The provider's end-of-message event came; the stop reason tells the rest.
    Complete,
    /// The bytes ended without it.
    Incomplete,
    /// An error event came, or the stream broke its protocol.
    Error,
}

/// What a captured stream becomes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replay {
    /// In order. What is unfinished is here as far as it came.
    pub blocks: Vec<ReplayBlock>,
    /// The provider's, if it said one.
    pub stop_reason: Option<StopReason>,
    pub usage: Option<Usage>,
    pub outcome: Outcome,
    pub error: Option<ReplayError>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReplayBlock {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    /// Only a finished call has an input.
    ToolUse {
        id: String,
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
    },
}

/// Why the gateway would not take the stream as an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplayError {
    /// The provider's type of an error event; else `stream_incomplete`, `protocol_error` or
    /// `tool_input_invalid`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Scrubbed.
    pub message: String,
}

/// Replays the body of a streamed Messages API response.
#[must_use]
pub fn replay_anthropic(bytes: &[u8]) -> Replay {
    let mut decoder = StreamDecoder::new();
    let mut events = Vec::new();
    decoder.feed(bytes, &mut events);
    decoder.end(None, &mut events);
    let summary = decoder.into_summary();
    let mut blocks: BTreeMap<usize, ReplayBlock> = summary
        .unfinished
        .into_iter()
        .map(|(index, partial)| (index, unfinished(partial)))
        .collect();
    for event in events {
        match event {
            StreamEvent::BlockStop { index, block } => {
                blocks.insert(index, finished(block));
            }
            StreamEvent::TextDelta { .. } | StreamEvent::End { .. } | StreamEvent::Failed(_) => {}
        }
    }
    let error = summary
        .error
        .map(|(kind, message)| ReplayError { kind, message });
    let outcome = match &error {
        _ if summary.ended => Outcome::Complete,
        Some(error) if error.kind == "stream_incomplete" => Outcome::Incomplete,
        Some(_) => Outcome::Error,
        None => Outcome::Incomplete,
    };
    Replay {
        blocks: blocks.into_values().collect(),
        stop_reason: summary.stop_reason,
        usage: summary.usage,
        outcome,
        error,
    }
}

fn finished(block: Block) -> ReplayBlock {
    match block {
        Block::Text { text } => ReplayBlock::Text { text },
        Block::Thinking {
            thinking,
            signature,
        } => ReplayBlock::Thinking {
            thinking,
            signature,
        },
        Block::RedactedThinking { data } => ReplayBlock::RedactedThinking { data },
        Block::ToolUse { id, name, input } => ReplayBlock::ToolUse {
            id,
            name,
            input: Some(input),
        },
    }
}

fn unfinished(partial: Partial) -> ReplayBlock {
    match partial {
        Partial::Text(text) => ReplayBlock::Text { text },
        Partial::Thinking {
            thinking,
            signature,
        } => ReplayBlock::Thinking {
            thinking,
            signature,
        },
        Partial::Redacted(data) => ReplayBlock::RedactedThinking { data },
        Partial::Tool { id, name, .. } => ReplayBlock::ToolUse {
            id,
            name,
            input: None,
        },
    }
}

#[cfg(test)]
mod tests;
