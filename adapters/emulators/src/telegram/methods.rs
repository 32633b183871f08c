//! One file per group of methods; this one dispatches.

mod callback;
mod chat_action;
mod commands;
mod delete;
mod draft;
mod edit;
mod markup;
mod me;
mod send;
pub(crate) mod updates;

pub(crate) use callback::LIFE_US as CALLBACK_LIFE_US;
use serde_json::Value;

use super::answer::{Answer, ApiError};
use super::limits;
use super::method::Method;
use super::params::Params;
use super::state::{Bot, Chat, State};
use crate::clock::Now;

/// What a method works with.
pub(crate) struct Call<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) bot: i64,
    pub(crate) params: &'a Params,
    pub(crate) now: Now,
}

/// Runs a call against the state: the rate limits first, then the method. `getUpdates` waits and is
/// therefore not here (see [`updates`]).
pub(crate) fn run(method: Method, call: &mut Call<'_>) -> Answer {
    limits::admit(
        call.state,
        call.bot,
        call.params.chat_id(),
        method.cost(),
        call.now,
    )?;
    match method {
        Method::GetMe => me::get_me(call),
        Method::GetUpdates => Ok(Value::Array(Vec::new())),
        Method::DeleteWebhook => me::delete_webhook(call),
        Method::GetWebhookInfo => me::get_webhook_info(call),
        Method::SendMessage => send::send_message(call),
        Method::SendMessageDraft => draft::send_message_draft(call),
        Method::EditMessageText => edit::edit_message_text(call),
        Method::EditMessageReplyMarkup => edit::edit_message_reply_markup(call),
        Method::DeleteMessage => delete::delete_message(call),
        Method::DeleteMessages => delete::delete_messages(call),
        Method::SendChatAction => chat_action::send_chat_action(call),
        Method::AnswerCallbackQuery => callback::answer_callback_query(call),
        Method::SetMyCommands => commands::set_my_commands(call),
        Method::GetMyCommands => commands::get_my_commands(call),
        Method::DeleteMyCommands => commands::delete_my_commands(call),
    }
}

impl Call<'_> {
    pub(crate) fn bot(&self) -> Result<&Bot, ApiError> {
        self.state
            .bots
            .get(&self.bot)
            .ok_or_else(|| ApiError::new(401, "Unauthorized"))
    }

    /// The chat of `chat_id` (server source: Client, check_chat): it exists once its user has
    /// written to the bot, and a user who blocked the bot gets nothing.
    pub(crate) fn chat_id(&self) -> Result<i64, ApiError> {
        let text = self.params.text("chat_id").unwrap_or_default();
        if text.trim().is_empty() {
            return Err(ApiError::bad("chat_id is empty"));
        }
        let not_found = || ApiError::bad("chat not found");
        let id = self.params.chat_id().ok_or_else(not_found)?;
        let chat = self
            .state
            .chats
            .get(&(self.bot, id))
            .ok_or_else(not_found)?;
        if chat.blocked {
            return Err(ApiError::forbidden("bot was blocked by the user"));
        }
        Ok(id)
    }

    /// The chat of a call that shows something new. A private chat without topics has no threads
    /// (server source: Client, check_message_thread).
    pub(crate) fn target_chat(&self) -> Result<i64, ApiError> {
        let id = self.chat_id()?;
        if self
            .params
            .int("message_thread_id")
            .is_some_and(|thread| thread != 0)
        {
            return Err(ApiError::bad("message thread not found"));
        }
        Ok(id)
    }

    pub(crate) fn chat(&mut self, id: i64) -> Result<&mut Chat, ApiError> {
        let chat = self.state.chats.get_mut(&(self.bot, id));
        chat.ok_or_else(|| ApiError::bad("chat not found"))
    }

    /// The Message object of a message that exists.
    pub(crate) fn message_json(&self, chat: i64, id: i64) -> Answer {
        let bot = self.bot()?;
        let gone = || ApiError::bad("message not found");
        let chat = self.state.chats.get(&(self.bot, chat)).ok_or_else(gone)?;
        let message = chat.messages.get(&id).ok_or_else(gone)?;
        Ok(super::json::message(self.state, bot, chat, message))
    }

    pub(crate) fn warn(&mut self, warnings: Vec<String>) {
        self.state.warnings.extend(warnings);
    }
}
