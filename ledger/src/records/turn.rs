//! A turn and its journal.

use serde::{Deserialize, Serialize};
use talaria_types::model::{Block, ModelErrorKind, StopReason, ToolClass, ToolResult, Usage};
use talaria_types::{ConversationId, InboundKey, MessageId, Place, Seq, TurnId, UserId, Wall};

use crate::record::Unknown;

/// One or more inbounds answered by one reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    pub id: TurnId,
    pub conversation: ConversationId,
    pub place: Place,
    pub generation: u64,
    /// The reply's place in the conversation's order (P8).
    pub reply: u64,
    /// Frozen by the start commit: an edit accepted later is another inbound.
    pub inbounds: Vec<FrozenInbound>,
    pub started: Wall,
    pub state: TurnState,
    /// How often a restart continued it without a new journal record since (P13).
    #[serde(default)]
    pub continuations: u32,
    #[serde(default)]
    pub usage: Usage,
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// An inbound as it was when the turn started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrozenInbound {
    pub seq: Seq,
    pub key: InboundKey,
    pub sender: UserId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TurnState {
    Running,
    Settled { outcome: Outcome, at: Wall },
}

/// How a turn ended. All of them take the same road (P3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    Finished,
    /// By `/stop`.
    Stopped,
    /// The model could not answer.
    Failed {
        error: ModelErrorKind,
    },
    /// Too many steps, or crashed too often (P13).
    GivenUp,
    /// By `/new`.
    Superseded,
}

/// A journalled step: one whole model response (or the closed blocks of a cut one).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    pub turn: TurnId,
    pub step: u32,
    pub blocks: Vec<Block>,
    pub stop_reason: StopReason,
    pub usage: Usage,
    pub at: Wall,
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// A journalled tool call. It is started durably before it runs (P5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolRecord {
    pub turn: TurnId,
    pub step: u32,
    pub call: u32,
    pub tool_use_id: String,
    pub name: String,
    pub class: ToolClass,
    pub state: ToolState,
    #[serde(flatten)]
    pub unknown: Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ToolState {
    Started { at: Wall },
    Finished { at: Wall, result: ToolResult },
}
