//! Bot API: editMessageText, editMessageReplyMarkup. A bot's own messages can be edited without a
//! limit in time; the 48 hours of the documentation are for business messages.

use super::Call;
use super::markup::inline_keyboard;
use crate::telegram::answer::{Answer, ApiError};
use crate::telegram::state::{Author, Message};
use crate::telegram::text::prepare::{TOO_LONG_EDIT, prepare};
use crate::telegram::views::EditView;

const NOT_MODIFIED: &str = "message is not modified: specified new message content and reply markup \
     are exactly the same as a current content and reply markup of the message";

/// Replaces text, entities and keyboard; an omitted keyboard is removed (observed).
pub(super) fn edit_message_text(call: &mut Call<'_>) -> Answer {
    let prepared = prepare(call.params, TOO_LONG_EDIT)?;
    let markup = inline_keyboard(call, false)?;
    if prepared.text.is_empty() {
        return Err(ApiError::bad("message text is empty"));
    }
    let chat_id = call.chat_id()?;
    let now = call.now;
    let message = own_message(call, chat_id)?;
    let id = message.id;
    if message.text == prepared.text
        && message.entities == prepared.entities
        && message.markup == markup
    {
        return Err(ApiError::bad(NOT_MODIFIED));
    }
    message.edits.push(EditView {
        at_us: now.us,
        text: prepared.text.clone(),
    });
    message.text = prepared.text;
    message.entities = prepared.entities;
    message.markup = markup;
    message.edit_date = Some(now.unix);
    call.warn(prepared.warnings);
    call.message_json(chat_id, id)
}

/// Replaces the keyboard only.
pub(super) fn edit_message_reply_markup(call: &mut Call<'_>) -> Answer {
    let markup = inline_keyboard(call, false)?;
    let chat_id = call.chat_id()?;
    let now = call.now;
    let message = own_message(call, chat_id)?;
    let id = message.id;
    if message.markup == markup {
        return Err(ApiError::bad(NOT_MODIFIED));
    }
    message.markup = markup;
    message.edit_date = Some(now.unix);
    call.message_json(chat_id, id)
}

/// The bot's own, living message.
fn own_message<'a>(call: &'a mut Call<'_>, chat_id: i64) -> Result<&'a mut Message, ApiError> {
    let not_found = || ApiError::bad("message to edit not found");
    let id = call.params.int("message_id").filter(|id| *id > 0);
    let id = id.ok_or_else(|| ApiError::bad("message identifier is not specified"))?;
    let message = call.chat(chat_id)?.living(id).ok_or_else(not_found)?;
    match message.author {
        Author::Bot => Ok(message),
        Author::User(_) => Err(ApiError::bad("message can't be edited")),
    }
}
