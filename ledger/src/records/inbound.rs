//! What was received, and what became of it.

use serde::{Deserialize, Serialize};
use talaria_types::{ConversationId, Inbound, InboundKey, Seq, TurnId, Wall};

use crate::record::Unknown;

/// An accepted inbound. It stays as a tombstone after its end, so that a duplicate is known (P2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InboundRecord {
    pub seq: Seq,
    pub conversation: ConversationId,
    pub accepted: Wall,
    pub inbound: Inbound,
    /// P0: exactly one, written by the commit that makes it true. `None`: still to be handled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// The one recorded end of an inbound (P0).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum End {
    Answered { turn: TurnId },
    Merged { turn: TurnId },
    Command,
    Cancelled { reason: CancelReason },
    Expired,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// A newer version of the message took its place.
    Edited,
    Deleted,
    /// `/new` came while it waited.
    New,
    /// Its sender has no access (any more).
    Access,
    /// There is nothing in it to answer.
    Empty,
}

/// Another key of the same inbound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AliasRecord {
    pub of: InboundKey,
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// How far a platform's event stream was accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CursorRecord {
    pub cursor: String,
    pub at: Wall,
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Per channel: everything up to `mark` was seen, but for the gaps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatermarkRecord {
    pub mark: String,
    #[serde(default)]
    pub gaps: Vec<Gap>,
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// A stretch that only a completed read may close: after `after`, up to and without `before`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    pub after: String,
    pub before: String,
}

/// Something received that can't be read: raw, capped, without secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuarantineRecord {
    pub id: String,
    pub reason: String,
    pub raw: String,
    pub at: Wall,
    #[serde(flatten)]
    pub unknown: Unknown,
}
