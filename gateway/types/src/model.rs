//! What passes between the agent loop and a model, in no provider's wire format.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One content block of a model's response, whole. Kept in order, by index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
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
    ToolUse {
        id: String,
        name: String,
        input: serde_json::Value,
    },
}

/// One message of the conversation as the model sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    User { content: Vec<UserBlock> },
    Assistant { content: Vec<Block> },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserBlock {
    Text { text: String },
    ToolResult(ToolResult),
}

/// A tool call's result. Every tool_use gets exactly one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    pub tool_use_id: String,
    pub content: String,
    #[serde(default)]
    pub is_error: bool,
}

/// A tool as the model is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON schema of the input.
    pub input_schema: serde_json::Value,
}

/// What running a tool twice means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolClass {
    /// May run again.
    Pure,
    /// May be repeated with the same key.
    Keyed,
    /// Never repeated once started.
    Effect,
}

/// One request to a model. The prefix (tools, system, messages) is byte-stable between the steps
/// of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRequest {
    pub system: String,
    pub tools: Vec<ToolSpec>,
    pub messages: Vec<Message>,
    pub max_tokens: u32,
}

/// What a model stream says, in order. `index` counts the response's blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamEvent {
    /// A piece of visible text of the block `index`.
    TextDelta { index: usize, text: String },
    /// The block `index` is closed and whole; for a tool call its input is parsed.
    BlockStop { index: usize, block: Block },
    /// The provider's end-of-message event: the response is whole.
    End {
        stop_reason: StopReason,
        usage: Usage,
    },
    /// The stream ended without it, or the request failed. Nothing follows.
    Failed(ModelError),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    EndTurn,
    ToolUse,
    MaxTokens,
    StopSequence,
    PauseTurn,
    Refusal,
    /// The stream broke after a tool call had closed: the closed blocks are the step.
    Cut,
    #[serde(untagged)]
    Other(String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    #[serde(default)]
    pub cache_read_tokens: u64,
    #[serde(default)]
    pub cache_write_tokens: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorKind {
    /// Connection refused, reset, timed out, or the stream ended early.
    Network,
    Overloaded,
    RateLimited,
    /// 5xx.
    Server,
    /// Wrong or missing key (401, 403).
    Auth,
    /// No credit or quota left.
    Billing,
    /// The prompt is longer than the model takes.
    TooLong,
    /// Any other refusal of the request (400, 404, 413, 422).
    Invalid,
    /// The stream did not follow its protocol.
    Protocol,
}

impl ModelErrorKind {
    /// Whether asking again, later, can help.
    #[must_use]
    pub fn is_transient(self) -> bool {
        match self {
            Self::Network
            | Self::Overloaded
            | Self::RateLimited
            | Self::Server
            | Self::Protocol => true,
            Self::Auth | Self::Billing | Self::TooLong | Self::Invalid => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind:?}: {detail}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    /// What the provider asked for.
    pub retry_after: Option<Duration>,
    /// For the operator; secrets are scrubbed, the prompt is not in it.
    pub detail: String,
}
