//! The agent's state for a conversation.

use serde::{Deserialize, Serialize};
use talaria_types::model::Message;
use talaria_types::{AccountId, Place, TurnId, Wall};

use crate::record::Unknown;

/// What the store knows of an account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccountRecord {
    pub account: AccountId,
    pub first_seen: Wall,
    /// The last process said goodbye. False while one runs: what it leaves behind then is a
    /// crash's, and continuing it is counted (P13).
    #[serde(default)]
    pub clean: bool,
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// A session. Settings and the transcript's length; the transcript itself is one record an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRecord {
    pub place: Place,
    /// Incremented by `/new`. A turn settles into the generation in which it started.
    pub generation: u64,
    /// How many entries this generation's transcript has.
    pub entries: u64,
    /// How many replies (turns) were started here: the next one's place in the order of P8.
    pub replies: u64,
    pub updated: Wall,
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// One entry of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryRecord {
    pub turn: TurnId,
    pub at: Wall,
    pub message: Message,
    #[serde(flatten)]
    pub unknown: Unknown,
}
