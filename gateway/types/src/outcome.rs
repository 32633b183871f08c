//! What became of a call. A failure carries separate answers: did it take effect, when may it be
//! tried again, what else does it concern, and what kind it is.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{ChatId, Handle};

pub type CallOutcome = Result<Receipt, Failure>;

/// What a successful call brought back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// The message that was made, changed or found. A create without one is a failure of
    /// certainty [`Certainty::Sent`].
    pub handle: Option<Handle>,
    /// For a proof: what it found.
    pub proof: Option<Proof>,
}

/// The result of looking for a maybe-sent create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    Present(Handle),
    /// A complete look found nothing.
    Absent,
    /// It existed and was removed.
    Deleted,
    /// A complete look that can't decide.
    Undecided,
}

/// Whether a failed call took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    NotSent,
    MaybeSent,
    /// It took effect, though the answer is of no use (a create without an id).
    Sent,
}

/// When the same call may be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Retry {
    Never,
    Now,
    After(Duration),
    OnReconnect,
}

/// What a failure concerns beside this call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureScope {
    Message,
    Chat,
    Account,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The message is not there (any more).
    MessageGone,
    /// The message exists but can't be changed (any more).
    NotEditable,
    /// The content's format is refused; a plainer rendering may pass.
    Format,
    TooLong,
    /// The chat, thread or person can't be reached for good: blocked, deleted, kicked.
    TargetGone,
    Moved(ChatId),
    RateLimited,
    /// The platform refuses the credentials.
    Unauthorized,
    /// Another process uses the same credentials.
    Conflict,
    /// Refused for good for another reason.
    Refused,
    /// The platform failed (5xx) or answered something that can't be read.
    Server,
    /// The connection failed or timed out.
    Network,
    /// The platform or this build has no such call.
    Unsupported,
}

/// A failed call, classified at the adapter's edge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind:?} ({certainty:?}): {detail}")]
pub struct Failure {
    pub certainty: Certainty,
    pub retry: Retry,
    pub scope: FailureScope,
    pub kind: FailureKind,
    /// For the operator; secrets are scrubbed.
    pub detail: String,
}

impl Failure {
    #[must_use]
    pub fn unsupported(what: &str) -> Self {
        Self {
            certainty: Certainty::NotSent,
            retry: Retry::Never,
            scope: FailureScope::Message,
            kind: FailureKind::Unsupported,
            detail: what.to_owned(),
        }
    }
}
