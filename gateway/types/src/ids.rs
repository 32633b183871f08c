//! Identifiers. Each says its scope (where it is unique), its maker, and how stable it is.

use std::fmt;

use data_encoding::BASE32_NOPAD;
use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            #[must_use]
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id! {
    /// One bot identity on one platform, as `<platform>:<id>`. Scope: global. Maker: the platform
    /// (its own id of the bot, never the name in the configuration). Stable for the bot's life,
    /// also over a change of its token.
    AccountId
}
text_id! {
    /// A chat or channel. Scope: account. Maker: the platform. Stable, except where the platform
    /// says that it moved.
    ChatId
}
text_id! {
    /// A thread or topic. Scope: chat. Maker: the platform. Stable.
    ThreadId
}
text_id! {
    /// A person or bot. Scope: platform. Maker: the platform. Stable; names are not.
    UserId
}
text_id! {
    /// One platform message. Scope: chat. Maker: the platform. Stable.
    MessageId
}
text_id! {
    /// One conversation: account, chat, thread (and user where sessions are per user), as text.
    /// Scope: global. Maker: [`crate::Place::conversation`], nobody else. Stable while the
    /// session policy is.
    ConversationId
}
text_id! {
    /// The primary key or an alias of an inbound: kind, chat, message or interaction id. Scope:
    /// account. Maker: the adapter's parser. Stable over redelivery: that is its purpose.
    InboundKey
}

impl AccountId {
    /// The platform's word: what stands before the colon.
    #[must_use]
    pub fn platform(&self) -> &str {
        self.0
            .split_once(':')
            .map_or(self.0.as_str(), |(platform, _)| platform)
    }
}

/// A place in the ledger's order. Scope: store. Maker: the ledger (`epoch << 32 | counter`).
/// Grows strictly, also across restarts; not contiguous.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 >> 32, self.0 & 0xffff_ffff)
    }
}

impl std::str::FromStr for Seq {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (epoch, counter) = text.split_once('.').unwrap_or(("0", text));
        Ok(Self(
            (u64::from(epoch.parse::<u32>()?) << 32) | u64::from(counter.parse::<u32>()?),
        ))
    }
}

/// A turn, named by the sequence number of its start commit. Scope: store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnId(pub Seq);

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a post belongs to: the sequence number of a turn, or of the inbound (command, notice)
/// that it answers. Scope: store.
pub type Origin = Seq;

/// A post: its origin and its place in that origin's reply. Scope: store. A function of what is
/// answered, so a continued turn finds its own posts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PostId {
    pub origin: Origin,
    pub ordinal: u16,
}

impl fmt::Display for PostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.origin, self.ordinal)
    }
}

/// The key that goes over the wire where a platform takes one: 24 characters of base32 over
/// 15 bytes (origin, ordinal, incarnation, four bytes of the ledger's id). Scope: account.
/// Another incarnation of the same post has another key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WireKey(String);

impl WireKey {
    #[must_use]
    pub fn new(ledger: [u8; 4], post: PostId, incarnation: u8) -> Self {
        let mut bytes = [0u8; 15];
        bytes[..8].copy_from_slice(&post.origin.0.to_be_bytes());
        bytes[8..10].copy_from_slice(&post.ordinal.to_be_bytes());
        bytes[10] = incarnation;
        bytes[11..].copy_from_slice(&ledger);
        Self(BASE32_NOPAD.encode(&bytes))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The post and incarnation in a key that came back from a platform; `None` if the key is not
    /// one of this ledger's.
    #[must_use]
    pub fn parse(ledger: [u8; 4], text: &str) -> Option<(PostId, u8)> {
        let bytes: [u8; 15] = BASE32_NOPAD.decode(text.as_bytes()).ok()?.try_into().ok()?;
        if bytes[11..] != ledger {
            return None;
        }
        let origin = u64::from_be_bytes(bytes[..8].try_into().ok()?);
        let ordinal = u16::from_be_bytes([bytes[8], bytes[9]]);
        Some((
            PostId {
                origin: Seq(origin),
                ordinal,
            },
            bytes[10],
        ))
    }
}

/// The receipt that proves a post: where the platform keeps it. Scope: account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Handle {
    pub chat: ChatId,
    pub message: MessageId,
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.chat, self.message)
    }
}
