//! The Telegram Bot API server, as far as private chats go.
//!
//! What is emulated and where it comes from is said at each method file ("Bot API: sendMessage"
//! is the page core.telegram.org/bots/api#sendmessage; "server source" is tdlib/telegram-bot-api).
//! A chat is looked up by (bot, chat id) and has a [`state::ChatKind`], so that groups and topics
//! can follow.

mod answer;
mod control;
mod http;
mod json;
mod limits;
mod method;
mod methods;
mod options;
mod params;
mod queue;
mod shared;
mod state;
mod text;
mod views;

pub use control::TelegramControl;
pub use limits::Limits;
pub use options::{BotSpec, TelegramEmulator, TelegramOptions, UserSpec};
pub use state::UpdateFault;
pub use text::entity::{Entity, utf16_len};
pub use views::{
    ButtonView, CallLog, CallbackAnswer, CallbackView, ChatView, DraftView, EditView, MessageView,
};
