//! What a platform can do in a place, as data. The core decides with this record only. What is
//! absent is unsupported, and a call of that kind answers `Unsupported`.

use std::time::Duration;

use crate::CallKind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    pub create: CreateClass,
    pub update: UpdateClass,
    pub remove: RemoveClass,
    /// The longest text of one message.
    pub text_limit: usize,
    pub text_unit: TextUnit,
    /// How long one message can grow after its creation; `None`: no limit.
    pub life: Option<Duration>,
    /// How long a typing signal shows; it is sent again a little before. `None`: no such signal.
    pub typing_ttl: Option<Duration>,
    /// Whether a growing answer is shown by editing its own message.
    pub drafts: bool,
    pub buttons: bool,
    /// The rate limits that apply to calls in this place.
    pub limits: Vec<Limit>,
}

/// What is known after a create with an unknown outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CreateClass {
    /// The platform drops a second create with the same key.
    Keyed,
    /// The platform can be asked whether the message exists.
    Readable,
    /// Neither.
    Blind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UpdateClass {
    /// A message can be given new content.
    Replace,
    /// A message can only grow until it is closed; after that it can be replaced.
    Append,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RemoveClass {
    Yes,
    Within(Duration),
    No,
}

/// The unit in which a platform counts text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextUnit {
    Utf16,
    CodePoint,
    Byte,
}

impl TextUnit {
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        match self {
            Self::Utf16 => text.encode_utf16().count(),
            Self::CodePoint => text.chars().count(),
            Self::Byte => text.len(),
        }
    }
}

/// `calls` per `per` for everything that shares `scope`, with at most `burst` at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The parts of a call that make its bucket: calls that agree in all of them share it.
    pub scope: Vec<ScopePart>,
    /// Which calls count.
    pub kinds: Vec<CallKind>,
    pub calls: u32,
    pub per: Duration,
    pub burst: u32,
    /// Of the burst, what drafts must leave for sealed posts.
    pub kept_for_sealed: u32,
}

/// One part of a scope expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScopePart {
    Ip,
    Account,
    Workspace,
    /// The platform's own bucket name for a method and its main parameter.
    Route,
    Method,
    Chat,
    Message,
}
