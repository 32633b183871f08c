//! Calls to a platform, as data: simulation, crash points, logs and fault tables speak of the same
//! things.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Body, Command, Handle, MessageId, Place, WireKey};

/// One attempt's token. An answer with an older fence changes no state (P7). Scope: account.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Fence {
    /// The epoch of the process that made the attempt.
    pub epoch: u64,
    /// Its number within that process.
    pub number: u64,
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.epoch, self.number)
    }
}

/// One call, ready to be made. It says nothing about when: that is the scheduler's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformCall {
    pub place: Place,
    pub fence: Fence,
    pub action: Action,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Make the message. `key` goes along where the platform takes one.
    Create {
        key: WireKey,
        body: Body,
        reply_to: Option<MessageId>,
    },
    /// Finish a staged upload.
    Complete {
        key: WireKey,
        staged: String,
    },
    /// Give an existing message new content. "Not modified" is success.
    Edit {
        handle: Handle,
        body: Body,
    },
    /// Let an open message grow by `delta`.
    Append {
        handle: Handle,
        delta: Body,
    },
    /// End an open message.
    Close {
        handle: Handle,
        body: Option<Body>,
    },
    /// Remove a message. "Not found" is success.
    Delete {
        handle: Handle,
    },
    /// Find out whether a create took effect.
    Prove {
        key: WireKey,
        lower_bound: Option<MessageId>,
    },
    /// Show something that expires by itself.
    Signal(Signal),
    React {
        handle: Handle,
        emoji: Option<String>,
    },
    /// Answer a pressed button.
    Answer {
        interaction: String,
        text: Option<String>,
    },
    Upload {
        key: WireKey,
        name: String,
    },
    /// Read what was missed.
    Read {
        after: Option<MessageId>,
    },
    /// Register the command menu.
    Setup {
        commands: Vec<Command>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    Typing,
}

/// A call's kind, for limits, crash points, logs and fault tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    Create,
    Complete,
    Edit,
    Append,
    Close,
    Delete,
    Prove,
    Signal,
    React,
    Answer,
    Upload,
    Read,
    Setup,
}

impl CallKind {
    pub const ALL: [Self; 13] = [
        Self::Create,
        Self::Complete,
        Self::Edit,
        Self::Append,
        Self::Close,
        Self::Delete,
        Self::Prove,
        Self::Signal,
        Self::React,
        Self::Answer,
        Self::Upload,
        Self::Read,
        Self::Setup,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Complete => "complete",
            Self::Edit => "edit",
            Self::Append => "append",
            Self::Close => "close",
            Self::Delete => "delete",
            Self::Prove => "prove",
            Self::Signal => "signal",
            Self::React => "react",
            Self::Answer => "answer",
            Self::Upload => "upload",
            Self::Read => "read",
            Self::Setup => "setup",
        }
    }
}

impl Action {
    #[must_use]
    pub fn kind(&self) -> CallKind {
        match self {
            Self::Create { .. } => CallKind::Create,
            Self::Complete { .. } => CallKind::Complete,
            Self::Edit { .. } => CallKind::Edit,
            Self::Append { .. } => CallKind::Append,
            Self::Close { .. } => CallKind::Close,
            Self::Delete { .. } => CallKind::Delete,
            Self::Prove { .. } => CallKind::Prove,
            Self::Signal(_) => CallKind::Signal,
            Self::React { .. } => CallKind::React,
            Self::Answer { .. } => CallKind::Answer,
            Self::Upload { .. } => CallKind::Upload,
            Self::Read { .. } => CallKind::Read,
            Self::Setup { .. } => CallKind::Setup,
        }
    }
}
