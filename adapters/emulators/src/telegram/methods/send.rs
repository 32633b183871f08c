//! Bot API: sendMessage.

use serde::Deserialize;

use super::Call;
use super::markup::inline_keyboard;
use crate::telegram::answer::{Answer, ApiError};
use crate::telegram::state::{Author, Message};
use crate::telegram::text::prepare::{TOO_LONG_SEND, prepare};

/// Bot API: ReplyParameters.
#[derive(Debug, Default, Deserialize)]
struct ReplyParameters {
    message_id: i64,
    #[serde(default)]
    allow_sending_without_reply: bool,
}

/// The text is parsed and measured, then the chat and the reply target are looked up; the bot's
/// typing and draft end with the message.
pub(super) fn send_message(call: &mut Call<'_>) -> Answer {
    let prepared = prepare(call.params, TOO_LONG_SEND)?;
    let markup = inline_keyboard(call, true)?;
    let chat_id = call.target_chat()?;
    if prepared.text.is_empty() {
        return Err(ApiError::bad("message text is empty"));
    }
    let reply_to = reply_target(call, chat_id)?;
    call.warn(prepared.warnings);
    let now = call.now;
    let unauthorized = || ApiError::new(401, "Unauthorized");
    let id = call
        .state
        .bots
        .get_mut(&call.bot)
        .ok_or_else(unauthorized)?
        .take_message_id();
    let chat = call.chat(chat_id)?;
    chat.typing_until_us = 0;
    chat.draft = None;
    chat.messages.insert(
        id,
        Message {
            id,
            author: Author::Bot,
            at_us: now.us,
            date: now.unix,
            edit_date: None,
            text: prepared.text,
            entities: prepared.entities,
            reply_to,
            markup,
            edits: Vec::new(),
            deleted_us: None,
        },
    );
    call.message_json(chat_id, id)
}

/// The message to reply to. One that is gone refuses the call unless the caller allowed that.
fn reply_target(call: &mut Call<'_>, chat_id: i64) -> Result<Option<i64>, ApiError> {
    let given: Option<ReplyParameters> = call
        .params
        .object("reply_parameters")
        .map_err(|_| ApiError::bad("can't parse reply parameters JSON object"))?;
    // The form before Bot API 7.0 is still understood.
    let old = call.params.int("reply_to_message_id").filter(|id| *id > 0);
    let given = given.or_else(|| {
        old.map(|message_id| ReplyParameters {
            message_id,
            allow_sending_without_reply: call.params.flag("allow_sending_without_reply"),
        })
    });
    let Some(reply) = given else { return Ok(None) };
    if call.chat(chat_id)?.living(reply.message_id).is_some() {
        Ok(Some(reply.message_id))
    } else if reply.allow_sending_without_reply {
        Ok(None)
    } else {
        Err(ApiError::bad("message to be replied not found"))
    }
}
