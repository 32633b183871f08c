//! Where something is said, and which conversation that belongs to.

use serde::{Deserialize, Serialize};

use crate::{AccountId, ChatId, ConversationId, ThreadId, UserId};

/// What kind of place a chat is. Limits and defaults differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceKind {
    /// One person and the bot.
    Direct,
    /// Several people; the bot speaks when spoken to.
    Group,
}

/// Where: an account's chat, and the thread in it where there is one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    pub account: AccountId,
    pub kind: PlaceKind,
    pub chat: ChatId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
}

impl Place {
    /// The conversation of this place: the only maker of [`ConversationId`]. `user` is given
    /// where the session policy keeps one session per user.
    #[must_use]
    pub fn conversation(&self, user: Option<&UserId>) -> ConversationId {
        let mut text = format!("{}/{}", self.account, self.chat);
        if let Some(thread) = &self.thread {
            text.push('/');
            text.push_str(thread.as_str());
        }
        if let Some(user) = user {
            text.push('@');
            text.push_str(user.as_str());
        }
        ConversationId::new(text)
    }
}
