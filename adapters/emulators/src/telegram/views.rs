//! What a control handle shows: each chat as its user sees it, and each call as it came.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::text::entity::Entity;

/// A chat as its user sees it. Times (`…_us`) are on the scale of [`crate::now_us`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatView {
    /// The chat's id.
    pub id: i64,
    /// All messages in order of their ids, deleted ones included.
    pub messages: Vec<MessageView>,
    /// Whether "typing…" is shown now.
    pub typing: bool,
    /// When each chat action came.
    pub typing_at_us: Vec<u64>,
    /// The draft that is shown now.
    pub draft: Option<DraftView>,
    /// Every draft state that was ever shown.
    pub drafts: Vec<DraftView>,
    /// Every press of a button.
    pub callbacks: Vec<CallbackView>,
    /// Whether the user blocked the bot.
    pub blocked: bool,
}

impl ChatView {
    /// What is on the screen: messages that are not deleted.
    pub fn visible(&self) -> impl Iterator<Item = &MessageView> {
        self.messages.iter().filter(|message| !message.deleted)
    }

    /// The bot's messages on the screen.
    pub fn from_bot(&self) -> impl Iterator<Item = &MessageView> {
        self.visible().filter(|message| message.from_bot)
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageView {
    /// Its id, scoped by bot.
    pub id: i64,
    /// Whether the bot wrote it.
    pub from_bot: bool,
    /// The text as shown now, after entity parsing and trimming.
    pub text: String,
    /// Its formatting, UTF-16 offsets.
    pub entities: Vec<Entity>,
    /// The message that it replies to.
    pub reply_to: Option<i64>,
    /// Rows of buttons.
    pub buttons: Vec<Vec<ButtonView>>,
    /// Unix milliseconds of its date; the platform's dates are whole seconds.
    pub date_ms: i64,
    /// When it was created.
    pub at_us: u64,
    /// Its later contents, oldest first.
    pub edits: Vec<EditView>,
    /// Whether it was deleted.
    pub deleted: bool,
    /// When it was deleted.
    pub deleted_us: Option<u64>,
}

/// A later content of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EditView {
    /// When.
    pub at_us: u64,
    /// The text from then on.
    pub text: String,
}

/// A button.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ButtonView {
    /// Its label.
    pub text: String,
    /// `callback_data`.
    pub data: Option<String>,
    /// `url`.
    pub url: Option<String>,
}

/// A draft state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DraftView {
    /// `draft_id`.
    pub id: i64,
    /// The text; empty shows "Thinking…".
    pub text: String,
    /// Its formatting.
    pub entities: Vec<Entity>,
    /// When it was shown.
    pub at_us: u64,
}

/// A press of a button.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallbackView {
    /// The callback query's id.
    pub id: String,
    /// The message with the button.
    pub message_id: i64,
    /// The button's data.
    pub data: String,
    /// When it was pressed.
    pub at_us: u64,
    /// The bot's answer.
    pub answer: Option<CallbackAnswer>,
}

/// The answer to a press.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallbackAnswer {
    /// When.
    pub at_us: u64,
    /// The notification.
    pub text: Option<String>,
    /// As an alert.
    pub show_alert: bool,
}

/// One call of the API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallLog {
    /// Its number, counted from 0.
    pub number: u64,
    /// When it arrived.
    pub at_us: u64,
    /// When its answer was ready; absent while it runs and after a cut.
    pub done_us: Option<u64>,
    /// The bot's id; 0 if the token is unknown.
    pub bot: i64,
    /// The method in the documentation's spelling, or as it came if unknown.
    pub method: String,
    /// `chat_id`.
    pub chat: Option<i64>,
    /// HTTP status of the answer; 0 if none was given (yet).
    pub status: u16,
    /// The error's description.
    pub description: Option<String>,
    /// The arguments.
    pub params: Value,
    /// The result, for a success.
    pub result: Option<Value>,
    /// The injected fault that hit it.
    pub fault: Option<String>,
    /// Whether it took effect (also if the answer said otherwise).
    pub effect: bool,
}
