//! The keys of the one tree. Each begins with the account's id, so that a replicated store and
//! sharding by account fit later; parts are separated by a zero byte, which no part contains
//! (ids that do are escaped). Numbers are fixed-width big-endian hex, so keys sort by them.

use talaria_types::{AccountId, ConversationId, Handle, InboundKey, PostId, Seq, TurnId, UserId};

/// What follows the account id. The tag is part of the stored format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    Account,
    Alias,
    Cursor,
    Entry,
    Handle,
    Inbound,
    /// Index: inbounds of a conversation that have no end yet.
    Open,
    /// Index: posts of a conversation that are not settled yet.
    Owed,
    Pairing,
    Post,
    Quarantine,
    /// Index: the open turn of a conversation.
    Running,
    Session,
    Step,
    Tool,
    Turn,
    Watermark,
}

impl Tag {
    fn text(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Alias => "alias",
            Self::Cursor => "cursor",
            Self::Entry => "entry",
            Self::Handle => "handle",
            Self::Inbound => "inbound",
            Self::Open => "open",
            Self::Owed => "owed",
            Self::Pairing => "pairing",
            Self::Post => "post",
            Self::Quarantine => "quarantine",
            Self::Running => "running",
            Self::Session => "session",
            Self::Step => "step",
            Self::Tool => "tool",
            Self::Turn => "turn",
            Self::Watermark => "watermark",
        }
    }
}

struct KeyBuilder(Vec<u8>);

impl KeyBuilder {
    fn new(account: &AccountId, tag: Tag) -> Self {
        Self(Vec::with_capacity(96))
            .text(account.as_str())
            .text(tag.text())
    }

    /// A part of text. Zero bytes and the escape are escaped, so that no id can reach into
    /// another key.
    fn text(mut self, part: &str) -> Self {
        for byte in part.bytes() {
            match byte {
                0 => self.0.extend_from_slice(&[1, 1]),
                1 => self.0.extend_from_slice(&[1, 2]),
                other => self.0.push(other),
            }
        }
        self.0.push(0);
        self
    }

    fn number(self, number: u64) -> Self {
        self.text(&format!("{number:016x}"))
    }

    fn done(self) -> Vec<u8> {
        self.0
    }
}

/// The prefix of all records of one kind of an account.
#[must_use]
pub fn prefix(account: &AccountId, tag: Tag) -> Vec<u8> {
    KeyBuilder::new(account, tag).done()
}

/// The account's own record.
#[must_use]
pub fn account(account: &AccountId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Account).done()
}

#[must_use]
pub fn inbound(account: &AccountId, key: &InboundKey) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Inbound)
        .text(key.as_str())
        .done()
}

#[must_use]
pub fn alias(account: &AccountId, alias: &InboundKey) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Alias)
        .text(alias.as_str())
        .done()
}

#[must_use]
pub fn open(account: &AccountId, conversation: &ConversationId, seq: Seq) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Open)
        .text(conversation.as_str())
        .number(seq.0)
        .done()
}

#[must_use]
pub fn cursor(account: &AccountId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Cursor).done()
}

#[must_use]
pub fn watermark(account: &AccountId, channel: &str) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Watermark)
        .text(channel)
        .done()
}

#[must_use]
pub fn session(account: &AccountId, conversation: &ConversationId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Session)
        .text(conversation.as_str())
        .done()
}

/// The prefix of a session's transcript in one generation.
#[must_use]
pub fn entries(account: &AccountId, conversation: &ConversationId, generation: u64) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Entry)
        .text(conversation.as_str())
        .number(generation)
        .done()
}

#[must_use]
pub fn entry(
    account: &AccountId,
    conversation: &ConversationId,
    generation: u64,
    number: u64,
) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Entry)
        .text(conversation.as_str())
        .number(generation)
        .number(number)
        .done()
}

#[must_use]
pub fn turn(account: &AccountId, turn: TurnId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Turn).number(turn.0.0).done()
}

#[must_use]
pub fn running(account: &AccountId, conversation: &ConversationId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Running)
        .text(conversation.as_str())
        .done()
}

/// The prefix of a turn's steps.
#[must_use]
pub fn steps(account: &AccountId, turn: TurnId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Step).number(turn.0.0).done()
}

#[must_use]
pub fn step(account: &AccountId, turn: TurnId, step: u32) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Step)
        .number(turn.0.0)
        .number(u64::from(step))
        .done()
}

/// The prefix of a turn's tool calls.
#[must_use]
pub fn tools(account: &AccountId, turn: TurnId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Tool).number(turn.0.0).done()
}

#[must_use]
pub fn tool(account: &AccountId, turn: TurnId, step: u32, call: u32) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Tool)
        .number(turn.0.0)
        .number(u64::from(step))
        .number(u64::from(call))
        .done()
}

/// The prefix of the posts of one turn or command.
#[must_use]
pub fn posts(account: &AccountId, origin: Seq) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Post).number(origin.0).done()
}

#[must_use]
pub fn post(account: &AccountId, post: PostId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Post)
        .number(post.origin.0)
        .number(u64::from(post.ordinal))
        .done()
}

#[must_use]
pub fn owed(account: &AccountId, conversation: &ConversationId, post: PostId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Owed)
        .text(conversation.as_str())
        .number(post.origin.0)
        .number(u64::from(post.ordinal))
        .done()
}

#[must_use]
pub fn handle(account: &AccountId, handle: &Handle) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Handle)
        .text(handle.chat.as_str())
        .text(handle.message.as_str())
        .done()
}

#[must_use]
pub fn pairing(account: &AccountId, user: &UserId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Pairing)
        .text(user.as_str())
        .done()
}

#[must_use]
pub fn quarantine(account: &AccountId, seq: Seq) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Quarantine)
        .number(seq.0)
        .done()
}

/// The parts of a key, for listings: account, tag, and what follows. Escapes are undone.
#[must_use]
pub fn parts(key: &[u8]) -> Vec<String> {
    key.split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let mut bytes = Vec::with_capacity(part.len());
            let mut rest = part.iter();
            while let Some(byte) = rest.next() {
                match byte {
                    1 => bytes.push(rest.next().map_or(0, |escaped| escaped - 1)),
                    other => bytes.push(*other),
                }
            }
            String::from_utf8_lossy(&bytes).into_owned()
        })
        .collect()
}

/// The prefix of a conversation's inbounds without an end.
#[must_use]
pub fn open_prefix(account: &AccountId, conversation: &ConversationId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Open)
        .text(conversation.as_str())
        .done()
}

/// The prefix of a conversation's posts that are not settled.
#[must_use]
pub fn owed_prefix(account: &AccountId, conversation: &ConversationId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Owed)
        .text(conversation.as_str())
        .done()
}
