//! The rate limits (Bots FAQ, "My bot is hitting limits"; platforms.md 1.8): one message a second
//! in a chat with short bursts tolerated, 30 a second for the whole bot. Edits and drafts count as
//! messages (observed, no official number). Everything that shows nothing has a mild limit of its
//! own (ours: Telegram publishes none).

use serde::{Deserialize, Serialize};

use super::answer::ApiError;
use super::state::State;
use crate::bucket::{Bucket, Rate};
use crate::clock::Now;

/// The limits of every bot on an emulator.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Off: nothing is ever refused for its rate.
    pub enabled: bool,
    /// Sends, edits and drafts in one private chat.
    pub private_chat: Rate,
    /// Sends, edits and drafts of one bot over all chats.
    pub bot: Rate,
    /// Typing, deletes, callback answers, commands of one bot.
    pub light: Rate,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            enabled: true,
            private_chat: Rate::new(1.0, 3),
            bot: Rate::new(30.0, 30),
            light: Rate::new(30.0, 60),
        }
    }
}

impl Limits {
    /// No limits.
    #[must_use]
    pub fn off() -> Self {
        Self {
            enabled: false,
            ..Self::default()
        }
    }
}

/// Which limits a method spends from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// None.
    Free,
    /// The mild limit.
    Light,
    /// The chat's and the bot's limit.
    Message,
}

/// Refuses a call over a limit; charges all its limits or none.
pub(crate) fn admit(
    state: &mut State,
    bot_id: i64,
    chat_id: Option<i64>,
    cost: Cost,
    now: Now,
) -> Result<(), ApiError> {
    let limits = state.limits;
    if !limits.enabled || cost == Cost::Free {
        return Ok(());
    }
    let Some(bot) = state.bots.get_mut(&bot_id) else {
        return Ok(());
    };
    let chat = chat_id.and_then(|id| state.chats.get_mut(&(bot_id, id)));
    let mut spend: Vec<(&mut Bucket, Rate)> = match cost {
        Cost::Free => Vec::new(),
        Cost::Light => vec![(&mut bot.light, limits.light)],
        Cost::Message => {
            let chat = chat.map(|chat| (&mut chat.bucket, limits.private_chat));
            chat.into_iter()
                .chain([(&mut bot.heavy, limits.bot)])
                .collect()
        }
    };
    for (bucket, rate) in &mut spend {
        bucket.check(*rate, now.us).map_err(ApiError::too_many)?;
    }
    for (bucket, rate) in &mut spend {
        bucket.charge(*rate, now.us);
    }
    Ok(())
}
