//! A post: what is wanted and what is known.

use serde::{Deserialize, Serialize};
use talaria_types::{
    Body, CallKind, ConversationId, Fence, Handle, MessageId, Place, PostId, Wall,
};

use crate::record::Unknown;

/// One platform message that should exist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PostRecord {
    pub id: PostId,
    pub conversation: ConversationId,
    pub place: Place,
    pub kind: PostKind,
    /// The place of its reply in the conversation's order (P8); the ordinal is in `id`.
    pub reply: u64,
    /// The message that it answers: the lower bound of proofs, and the reply target where one is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// Another incarnation is another message, with another wire key.
    #[serde(default)]
    pub incarnation: u8,
    pub wanted: Wanted,
    pub known: Known,
    /// At most one call at a time (P7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<Attempt>,
    /// Messages that belong to this post and must go: second copies, superseded ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<Handle>,
    /// The newest sealed revision that the platform acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<u32>,
    /// The one labelled repeat of an unresolved create is used up (P6).
    #[serde(default)]
    pub labelled: bool,
    /// The platform refused its format once; its body is plain now.
    #[serde(default)]
    pub plainer: bool,
    /// It was made again after somebody removed it unseen (row 11, once).
    #[serde(default)]
    pub recreated: bool,
    /// Processes that crashed while they made a call for it, without an answer since (P13).
    #[serde(default)]
    pub recoveries: u32,
    pub created: Wall,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    #[serde(flatten)]
    pub unknown: Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PostKind {
    Answer,
    Command,
    Status,
    Approval,
    Notice,
    File,
}

impl PostKind {
    /// P6: what is done with an unresolved create that can't be proved: once more with a visible
    /// label, or not again and shown to the operator.
    #[must_use]
    pub fn repeats(self) -> bool {
        match self {
            Self::Answer | Self::Command | Self::Approval | Self::File => true,
            Self::Status | Self::Notice => false,
        }
    }

    /// P8: whether it waits for earlier posts of its conversation.
    #[must_use]
    pub fn ordered(self) -> bool {
        match self {
            Self::Answer | Self::File => true,
            Self::Command | Self::Status | Self::Approval | Self::Notice => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Wanted {
    /// It grows; the content is volatile.
    Live,
    /// Frozen: every attempt of a revision sends these bytes (P4).
    Sealed { rev: u32, body: Body },
    /// It should not exist.
    Absent,
}

/// P6: which is true, as far as the ledger knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Known {
    /// It does not exist.
    None,
    /// An upload that is not completed.
    Staged { reference: String },
    /// A create that may have taken effect.
    Unresolved {
        attempt: Attempt,
        looks: u8,
        undecidable: bool,
    },
    Here {
        handle: Handle,
        phase: Phase,
        rev: Rev,
    },
    /// It existed, or could have, and does not.
    Gone { why: Gone },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It can only grow until it is closed.
    Open,
    /// It can be given new content.
    Closed,
}

/// Which content a message shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "rev", rename_all = "snake_case")]
pub enum Rev {
    /// A draft's. Means nothing to another process.
    Live,
    Sealed(u32),
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gone {
    /// We removed it.
    Removed,
    /// Somebody else did.
    Lost,
}

/// One platform call for a post: recorded before a create, a complete and a close.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub fence: Fence,
    pub call: CallKind,
    pub rev: Rev,
    /// The newest message of the place that the server had issued before: where a proof starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<MessageId>,
    /// Of the body, for the operator's comparison with the platform; not a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_hash: Option<String>,
    /// What a delete removes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Handle>,
    pub at: Wall,
}

/// When and how a post stopped being an obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    pub at: Wall,
    #[serde(flatten)]
    pub how: Settlement,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Settlement {
    /// The acknowledged revision equals the sealed one.
    Delivered,
    /// Delivered, and the platform did not say as which message.
    DeliveredUnseen,
    Withdrawn,
    /// Somebody removed it after it had been acknowledged.
    RemovedBySomeone,
    /// The platform refuses it for good (P10).
    Refused {
        reason: String,
    },
    /// Its create stays unresolved and its kind is not repeated (again) (P6).
    Unresolved,
    /// Older than `delivery.max_age`.
    Expired,
    /// Three processes crashed over it (P13).
    GivenUp,
}

impl Settlement {
    /// Whether an operator should look at it.
    #[must_use]
    pub fn is_trouble(&self) -> bool {
        match self {
            Self::Delivered | Self::DeliveredUnseen | Self::Withdrawn => false,
            Self::RemovedBySomeone
            | Self::Refused { .. }
            | Self::Unresolved
            | Self::Expired
            | Self::GivenUp => true,
        }
    }
}

impl PostRecord {
    /// A post that nobody has tried yet.
    #[must_use]
    pub fn new(
        id: PostId,
        conversation: ConversationId,
        place: Place,
        kind: PostKind,
        reply: u64,
        wanted: Wanted,
        created: Wall,
    ) -> Self {
        Self {
            id,
            conversation,
            place,
            kind,
            reply,
            reply_to: None,
            incarnation: 0,
            wanted,
            known: Known::None,
            attempt: None,
            extra: Vec::new(),
            acknowledged: None,
            labelled: false,
            plainer: false,
            recreated: false,
            recoveries: 0,
            created,
            settled: None,
            unknown: Unknown::new(),
        }
    }

    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.settled.is_some()
    }

    /// The message of this post, where it is known.
    #[must_use]
    pub fn handle(&self) -> Option<&Handle> {
        match &self.known {
            Known::Here { handle, .. } => Some(handle),
            Known::None | Known::Staged { .. } | Known::Unresolved { .. } | Known::Gone { .. } => {
                None
            }
        }
    }
}
