//! One block while it grows.

use serde_json::{Map, Value};
use talaria_types::model::Block;

use crate::anthropic::wire::{WireBlock, WireDelta};

/// A block that has not closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Partial {
    Text(String),
    Thinking {
        thinking: String,
        signature: String,
    },
    Redacted(String),
    /// `start` is the input given with the block's start; `json` what came after it.
    Tool {
        id: String,
        name: String,
        start: Value,
        json: String,
    },
}

impl Partial {
    pub(super) fn is_known(kind: &str) -> bool {
        matches!(kind, "text" | "thinking" | "redacted_thinking" | "tool_use")
    }

    pub(super) fn is_known_delta(kind: &str) -> bool {
        matches!(
            kind,
            "text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta"
        )
    }

    /// None for a kind that is left out.
    pub(super) fn new(block: WireBlock<'_>) -> Option<Self> {
        match block.kind.as_ref() {
            "text" => Some(Self::Text(block.text.unwrap_or_default())),
            "thinking" => Some(Self::Thinking {
                thinking: block.thinking.unwrap_or_default(),
                signature: block.signature.unwrap_or_default(),
            }),
            "redacted_thinking" => Some(Self::Redacted(block.data.unwrap_or_default())),
            "tool_use" => Some(Self::Tool {
                id: block.id.unwrap_or_default(),
                name: block.name.unwrap_or_default(),
                start: block.input.unwrap_or_default(),
                json: String::new(),
            }),
            _ => None,
        }
    }

    /// Roughly the bytes held.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Text(text) | Self::Redacted(text) => text.len(),
            Self::Thinking {
                thinking,
                signature,
            } => thinking.len() + signature.len(),
            Self::Tool { id, name, json, .. } => id.len() + name.len() + json.len(),
        }
    }

    /// Adds a delta that fits the block; answers the bytes added. Others are left out.
    pub(super) fn push(&mut self, kind: &str, delta: &WireDelta<'_>) -> usize {
        let add = |to: &mut String, piece: Option<&str>| {
            let piece = piece.unwrap_or_default();
            to.push_str(piece);
            piece.len()
        };
        match (kind, self) {
            ("text_delta", Self::Text(text)) => add(text, delta.text.as_deref()),
            ("thinking_delta", Self::Thinking { thinking, .. }) => {
                add(thinking, delta.thinking.as_deref())
            }
            ("signature_delta", Self::Thinking { signature, .. }) => {
                // Comes once, whole, just before the block's end.
                signature.clear();
                add(signature, delta.signature.as_deref())
            }
            ("input_json_delta", Self::Tool { json, .. }) => {
                add(json, delta.partial_json.as_deref())
            }
            _ => 0,
        }
    }

    /// The closed block, or why a tool call is no finished one.
    pub(super) fn finish(&self) -> Result<Block, &'static str> {
        Ok(match self {
            Self::Text(text) => Block::Text { text: text.clone() },
            Self::Thinking {
                thinking,
                signature,
            } => Block::Thinking {
                thinking: thinking.clone(),
                signature: signature.clone(),
            },
            Self::Redacted(data) => Block::RedactedThinking { data: data.clone() },
            Self::Tool {
                id,
                name,
                start,
                json,
            } => {
                if id.is_empty() || name.is_empty() {
                    return Err("a tool call has no id or no name");
                }
                let input = tool_input(start, json)?;
                Block::ToolUse {
                    id: id.clone(),
                    name: name.clone(),
                    input,
                }
            }
        })
    }
}

/// The input: the pieces' JSON, or the start's where no piece came; no input at all is `{}`.
fn tool_input(start: &Value, json: &str) -> Result<Value, &'static str> {
    let input = if json.trim().is_empty() {
        start.clone()
    } else {
        serde_json::from_str(json).map_err(|_| "the input of a tool call is not JSON")?
    };
    match input {
        Value::Null => Ok(Value::Object(Map::new())),
        Value::Object(_) => Ok(input),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err("the input of a tool call is not a JSON object")
        }
    }
}
