//! What can be seen, and waiting for it.

use std::time::Duration;

use serde_json::Value;

use super::TelegramControl;
use crate::Error;
use crate::clock::Now;
use crate::telegram::state::{Author, Chat, Message};
use crate::telegram::views::{ButtonView, CallLog, CallbackView, ChatView, MessageView};

/// Drafts, typing and retention end by themselves, without a change: waiting looks again after
/// this time.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

impl TelegramControl {
    /// The user's chat with the bot, as the user sees it.
    ///
    /// # Errors
    /// Unknown user or bot.
    pub fn chat(&self, user: i64) -> Result<ChatView, Error> {
        self.shared.look(|state, now| {
            let bot = self.bot_id(state)?;
            let chat = state
                .chats
                .get(&(bot, user))
                .ok_or(Error::NoSuchUser(user))?;
            Ok(view(chat, now))
        })
    }

    /// The ids of the users.
    #[must_use]
    pub fn users(&self) -> Vec<i64> {
        self.shared
            .look(|state, _| state.users.keys().copied().collect())
    }

    /// Every call since the start (the newest 200,000), in order of arrival.
    #[must_use]
    pub fn calls(&self) -> Vec<CallLog> {
        self.calls_from(0)
    }

    /// The calls from a number on.
    #[must_use]
    pub fn calls_from(&self, number: u64) -> Vec<CallLog> {
        self.shared.look(|state, _| {
            state
                .calls
                .iter()
                .filter(|call| call.number >= number)
                .cloned()
                .collect()
        })
    }

    /// How many calls have come; cheap.
    #[must_use]
    pub fn call_count(&self) -> u64 {
        self.shared.look(|state, _| state.next_call)
    }

    /// What clients did that the real service swallows silently: entities outside the text and the
    /// like.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.shared.look(|state, _| state.warnings.clone())
    }

    /// The highest offset that a getUpdates call confirmed (updates below it are forgotten); 0
    /// before the first.
    ///
    /// # Errors
    /// Unknown bot.
    pub fn confirmed_offset(&self) -> Result<i64, Error> {
        self.queue(|queue| queue.confirmed)
    }

    /// Updates that wait in the queue, delivered but unconfirmed ones included.
    ///
    /// # Errors
    /// Unknown bot.
    pub fn pending_updates(&self) -> Result<Vec<Value>, Error> {
        self.queue(|queue| {
            queue
                .waiting
                .iter()
                .map(|update| update.json.clone())
                .collect()
        })
    }

    /// Whether a getUpdates call is waiting now.
    ///
    /// # Errors
    /// Unknown bot.
    pub fn is_polling(&self) -> Result<bool, Error> {
        self.queue(|queue| queue.poller.is_some())
    }

    fn queue<R>(&self, read: impl FnOnce(&crate::telegram::state::Queue) -> R) -> Result<R, Error> {
        self.shared.look(|state, _| {
            let id = self.bot_id(state)?;
            let bot = state
                .bots
                .get(&id)
                .ok_or_else(|| Error::NoSuchBot(id.to_string()))?;
            Ok(read(&bot.queue))
        })
    }

    /// The commands that are set for a scope object and a language.
    ///
    /// # Errors
    /// Unknown bot.
    pub fn commands(&self, scope: &Value, language: &str) -> Result<Option<Value>, Error> {
        self.shared.look(|state, _| {
            let id = self.bot_id(state)?;
            let bot = state.bots.get(&id);
            Ok(bot.and_then(|bot| bot.commands.get(&format!("{scope} {language}")).cloned()))
        })
    }

    /// Waits for the next change of anything.
    pub async fn changed(&self) {
        let mut changes = self.shared.subscribe();
        // The sender lives in `self.shared`, so this can't fail.
        changes.changed().await.ok();
    }

    /// Waits until the condition holds; false if it does not within the deadline.
    pub async fn wait_until(
        &self,
        deadline: Duration,
        mut condition: impl FnMut(&Self) -> bool,
    ) -> bool {
        self.wait_for(deadline, |control| condition(control).then_some(()))
            .await
            .is_some()
    }

    /// Waits until the probe finds something; `None` if it does not within the deadline.
    pub async fn wait_for<T>(
        &self,
        deadline: Duration,
        mut probe: impl FnMut(&Self) -> Option<T>,
    ) -> Option<T> {
        let mut changes = self.shared.subscribe();
        let until = tokio::time::Instant::now() + deadline;
        loop {
            changes.mark_unchanged();
            if let Some(found) = probe(self) {
                return Some(found);
            }
            if tokio::time::Instant::now() >= until {
                return None;
            }
            let again = until.min(tokio::time::Instant::now() + LOOK_AGAIN);
            tokio::time::timeout_at(again, changes.changed()).await.ok();
        }
    }
}

fn view(chat: &Chat, now: Now) -> ChatView {
    ChatView {
        id: chat.id,
        messages: chat.messages.values().map(message_view).collect(),
        typing: now.us < chat.typing_until_us,
        typing_at_us: chat.typing.clone(),
        draft: chat
            .draft
            .as_ref()
            .filter(|d| now.us < d.until_us)
            .map(|d| d.view.clone()),
        drafts: chat.drafts.clone(),
        callbacks: chat
            .callbacks
            .iter()
            .map(|query| CallbackView {
                id: query.id.clone(),
                message_id: query.message_id,
                data: query.data.clone(),
                at_us: query.at_us,
                answer: query.answer.clone(),
            })
            .collect(),
        blocked: chat.blocked,
    }
}

fn message_view(message: &Message) -> MessageView {
    MessageView {
        id: message.id,
        from_bot: message.author == Author::Bot,
        text: message.text.clone(),
        entities: message.entities.clone(),
        reply_to: message.reply_to,
        buttons: buttons(message.markup.as_ref()),
        date_ms: message.date.saturating_mul(1000),
        at_us: message.at_us,
        edits: message.edits.clone(),
        deleted: message.deleted_us.is_some(),
        deleted_us: message.deleted_us,
    }
}

fn buttons(markup: Option<&Value>) -> Vec<Vec<ButtonView>> {
    let text = |button: &Value, key: &str| button[key].as_str().map(str::to_owned);
    let rows = markup.and_then(|markup| markup["inline_keyboard"].as_array());
    rows.into_iter()
        .flatten()
        .filter_map(Value::as_array)
        .map(|row| {
            row.iter()
                .map(|button| ButtonView {
                    text: text(button, "text").unwrap_or_default(),
                    data: text(button, "callback_data"),
                    url: text(button, "url"),
                })
                .collect()
        })
        .collect()
}
