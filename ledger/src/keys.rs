//! The keys of the one tree. Each begins with the account's id, so that a replicated store and
//! sharding by account fit later. A part ends with a zero byte, which no part contains: ids that do
//! are escaped. Numbers are fixed-width big-endian hex, so keys sort by them.
//!
//! Ids come from outside and may be of any length, and a store takes no key over
//! [`crate::store::MAX_KEY_BYTES`]. So a part that would be longer than its limit goes in as its
//! beginning, a mark that no other part can contain, and the SHA-256 of the whole id. Two ids share
//! a key only if they are equal or collide in SHA-256. [`parts`] does not give such an id back; its
//! record has it.

use sha2::{Digest, Sha256};
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
    pub const ALL: [Self; 17] = [
        Self::Account,
        Self::Alias,
        Self::Cursor,
        Self::Entry,
        Self::Handle,
        Self::Inbound,
        Self::Open,
        Self::Owed,
        Self::Pairing,
        Self::Post,
        Self::Quarantine,
        Self::Running,
        Self::Session,
        Self::Step,
        Self::Tool,
        Self::Turn,
        Self::Watermark,
    ];

    #[must_use]
    pub fn text(self) -> &'static str {
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

/// The longest id of an account, a chat or a message in a key, in bytes after escaping. Part of the
/// stored format, as is [`LONG`].
const SHORT: usize = 96;
/// The longest id of a conversation, an inbound, a channel or a user in a key.
const LONG: usize = 160;

/// Begins an escape; what follows says what is meant.
const ESCAPE: u8 = 1;
const ESCAPED_ZERO: u8 = 1;
const ESCAPED_ESCAPE: u8 = 2;
/// `ESCAPE` and this: the hash of the whole id follows, 64 hexadecimal digits.
const HASH: u8 = 3;
const HASH_BYTES: usize = 2 + 64;

struct KeyBuilder(Vec<u8>);

impl KeyBuilder {
    fn new(account: &AccountId, tag: Tag) -> Self {
        Self(Vec::with_capacity(96))
            .text(account.as_str(), SHORT)
            .text(tag.text(), SHORT)
    }

    /// A part of text, at most `limit` bytes. Zero bytes and the escape are escaped, so that no id
    /// can reach into another key.
    fn text(mut self, part: &str, limit: usize) -> Self {
        let start = self.0.len();
        // Where to cut if it turns out to be too long: between two characters.
        let mut cut = start;
        for character in part.chars() {
            match character {
                '\0' => self.0.extend_from_slice(&[ESCAPE, ESCAPED_ZERO]),
                '\u{1}' => self.0.extend_from_slice(&[ESCAPE, ESCAPED_ESCAPE]),
                other => {
                    let mut utf8 = [0; 4];
                    self.0
                        .extend_from_slice(other.encode_utf8(&mut utf8).as_bytes());
                }
            }
            if self.0.len() - start <= limit - HASH_BYTES {
                cut = self.0.len();
            }
            if self.0.len() - start > limit {
                self.0.truncate(cut);
                self.0.extend_from_slice(&[ESCAPE, HASH]);
                for byte in Sha256::digest(part.as_bytes()) {
                    self.0.extend_from_slice(format!("{byte:02x}").as_bytes());
                }
                break;
            }
        }
        self.0.push(0);
        self
    }

    fn number(mut self, number: u64) -> Self {
        self.0
            .extend_from_slice(format!("{number:016x}").as_bytes());
        self.0.push(0);
        self
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
        .text(key.as_str(), LONG)
        .done()
}

#[must_use]
pub fn alias(account: &AccountId, alias: &InboundKey) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Alias)
        .text(alias.as_str(), LONG)
        .done()
}

#[must_use]
pub fn open(account: &AccountId, conversation: &ConversationId, seq: Seq) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Open)
        .text(conversation.as_str(), LONG)
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
        .text(channel, LONG)
        .done()
}

#[must_use]
pub fn session(account: &AccountId, conversation: &ConversationId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Session)
        .text(conversation.as_str(), LONG)
        .done()
}

/// The prefix of a session's transcript in one generation.
#[must_use]
pub fn entries(account: &AccountId, conversation: &ConversationId, generation: u64) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Entry)
        .text(conversation.as_str(), LONG)
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
        .text(conversation.as_str(), LONG)
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
        .text(conversation.as_str(), LONG)
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
        .text(conversation.as_str(), LONG)
        .number(post.origin.0)
        .number(u64::from(post.ordinal))
        .done()
}

#[must_use]
pub fn handle(account: &AccountId, handle: &Handle) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Handle)
        .text(handle.chat.as_str(), SHORT)
        .text(handle.message.as_str(), SHORT)
        .done()
}

#[must_use]
pub fn pairing(account: &AccountId, user: &UserId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Pairing)
        .text(user.as_str(), LONG)
        .done()
}

#[must_use]
pub fn quarantine(account: &AccountId, seq: Seq) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Quarantine)
        .number(seq.0)
        .done()
}

/// The prefix of a conversation's inbounds without an end.
#[must_use]
pub fn open_prefix(account: &AccountId, conversation: &ConversationId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Open)
        .text(conversation.as_str(), LONG)
        .done()
}

/// The prefix of a conversation's posts that are not settled.
#[must_use]
pub fn owed_prefix(account: &AccountId, conversation: &ConversationId) -> Vec<u8> {
    KeyBuilder::new(account, Tag::Owed)
        .text(conversation.as_str(), LONG)
        .done()
}

/// The parts of a key: account, tag, and what follows, with escapes undone. An id that went in as
/// a hash comes back as its beginning, a tilde, and the hash ([`is_hashed`]).
#[must_use]
pub fn parts(key: &[u8]) -> Vec<String> {
    let body = key.strip_suffix(&[0]).unwrap_or(key);
    body.split(|byte| *byte == 0).map(unescape).collect()
}

/// Whether a part of the key is not the id itself but a hash of it.
#[must_use]
pub fn is_hashed(key: &[u8]) -> bool {
    let mut rest = key.iter();
    // An escape takes the byte after it along: that one begins nothing.
    while let Some(byte) = rest.next() {
        if *byte == ESCAPE && rest.next() == Some(&HASH) {
            return true;
        }
    }
    false
}

fn unescape(part: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.iter();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            &ESCAPE => match rest.next() {
                Some(&ESCAPED_ESCAPE) => ESCAPE,
                Some(&HASH) => b'~',
                Some(&ESCAPED_ZERO) => 0,
                // In a key that no builder made.
                Some(other) => *other,
                None => ESCAPE,
            },
            other => *other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
