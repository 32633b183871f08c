//! What the emulated model answers, as data.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An answer to one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// A message, streamed or not as the request asks.
    Message(Message),
    /// An HTTP error instead.
    Refusal(Refusal),
}

/// An error answer (API reference: "Errors").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// HTTP status: 429, 500, 529, …
    pub status: u16,
    /// `overloaded_error`, `rate_limit_error`, …
    pub kind: String,
    /// The text.
    pub message: String,
    /// Seconds, as header `retry-after`.
    #[serde(default)]
    pub retry_after: Option<u64>,
}

/// A message of the model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Message {
    /// The content blocks, in order.
    pub blocks: Vec<Block>,
    /// Absent: `tool_use` if there is a tool call, else `end_turn`.
    pub stop_reason: Option<String>,
    /// Wait before the first byte, milliseconds.
    pub first_byte_ms: u64,
    /// Absent: the emulator's setting; 0 or less: no pauses.
    pub tokens_per_second: Option<f64>,
    /// Tokens in one delta; absent: the emulator's setting.
    pub chunk_tokens: Option<usize>,
    /// What goes wrong while it is sent.
    pub fault: Option<Fault>,
}

/// A content block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Prose.
    Text {
        /// The text.
        text: String,
    },
    /// Extended thinking.
    Thinking {
        /// The thinking.
        thinking: String,
        /// Absent: one that the emulator recognises when it comes back.
        #[serde(default)]
        signature: Option<String>,
    },
    /// Encrypted thinking.
    RedactedThinking {
        /// Opaque.
        data: String,
    },
    /// A tool call.
    ToolUse {
        /// Absent: a fresh one.
        #[serde(default)]
        id: Option<String>,
        /// The tool.
        name: String,
        /// Its input.
        input: Value,
        /// Sent instead of `input`, to show broken JSON.
        #[serde(default)]
        raw_input: Option<String>,
    },
}

/// Something that goes wrong at a place of the stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What.
    pub trouble: Trouble,
}

/// A place in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// After this many events.
    Events(usize),
    /// After this many bytes of the body, possibly inside an event.
    Bytes(usize),
    /// After this many deltas of the block with this index.
    Deltas {
        /// The block.
        block: usize,
        /// Deltas.
        deltas: usize,
    },
    /// Right after the `content_block_stop` of the block with this index.
    BlockStop(usize),
    /// After `message_delta`, before `message_stop`.
    BeforeStop,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// An `error` event, then the end of the body.
    ErrorEvent {
        /// `overloaded_error`, …
        kind: String,
        /// The text.
        message: String,
    },
    /// The connection is cut.
    Cut,
    /// The body ends properly, without its last events.
    End,
    /// Nothing comes any more; the connection stays open.
    Stall,
}

/// Which requests a scripted reply is for.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matcher {
    /// Every request.
    #[default]
    Any,
    /// The last user message has a text block that contains this.
    LastUserContains(String),
    /// The last user message has a result for this tool call.
    HasToolResult(String),
    /// The condition on the request body holds.
    #[serde(skip)]
    When(Arc<dyn Fn(&Value) -> bool + Send + Sync>),
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("Any"),
            Self::LastUserContains(text) => f.debug_tuple("LastUserContains").field(text).finish(),
            Self::HasToolResult(id) => f.debug_tuple("HasToolResult").field(id).finish(),
            Self::When(_) => f.write_str("When"),
        }
    }
}

impl Matcher {
    /// A condition on the request body.
    pub fn when(condition: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Self {
        Self::When(Arc::new(condition))
    }

    pub(crate) fn fits(&self, body: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::LastUserContains(text) => {
                super::content::last_user_text(body).contains(text.as_str())
            }
            Self::HasToolResult(id) => super::content::last_tool_results(body)
                .iter()
                .any(|r| r.id == *id),
            Self::When(condition) => condition(body),
        }
    }
}

impl Reply {
    /// A text answer with the emulator's timing.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Message::text(text).into()
    }

    /// One tool call.
    #[must_use]
    pub fn tool(id: &str, name: &str, input: Value) -> Self {
        Message {
            blocks: vec![Block::tool(id, name, input)],
            ..Message::default()
        }
        .into()
    }

    /// The API is overloaded (HTTP 529).
    #[must_use]
    pub fn overloaded() -> Self {
        Self::error(529, "overloaded_error", "Overloaded")
    }

    /// An HTTP error.
    #[must_use]
    pub fn error(status: u16, kind: &str, message: &str) -> Self {
        Self::Refusal(Refusal {
            status,
            kind: kind.to_owned(),
            message: message.to_owned(),
            retry_after: None,
        })
    }
}

impl From<Message> for Reply {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl Message {
    /// One text block.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self {
            blocks: vec![Block::text(text)],
            ..Self::default()
        }
    }

    /// These blocks.
    #[must_use]
    pub fn blocks(blocks: Vec<Block>) -> Self {
        Self {
            blocks,
            ..Self::default()
        }
    }

    /// Its speed; 0 for no pauses.
    #[must_use]
    pub fn at(self, tokens_per_second: f64) -> Self {
        Self {
            tokens_per_second: Some(tokens_per_second),
            ..self
        }
    }

    /// Something goes wrong at a place.
    #[must_use]
    pub fn with_fault(self, place: Place, trouble: Trouble) -> Self {
        Self {
            fault: Some(Fault { place, trouble }),
            ..self
        }
    }
}

impl Block {
    /// A text block.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text {
            text: text.to_owned(),
        }
    }

    /// A thinking block with a signature that the emulator recognises.
    #[must_use]
    pub fn thinking(thinking: &str) -> Self {
        Self::Thinking {
            thinking: thinking.to_owned(),
            signature: None,
        }
    }

    /// A tool call.
    #[must_use]
    pub fn tool(id: &str, name: &str, input: Value) -> Self {
        Self::ToolUse {
            id: Some(id.to_owned()),
            name: name.to_owned(),
            input,
            raw_input: None,
        }
    }
}
