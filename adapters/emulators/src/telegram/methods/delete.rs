//! Bot API: deleteMessage, deleteMessages. In a private chat a bot can delete both sides' messages
//! that are less than 48 hours old.

use serde_json::json;

use super::Call;
use crate::telegram::answer::{Answer, ApiError};
use crate::telegram::state::SECOND_US;

const MAX_AGE_US: u64 = 48 * 3600 * SECOND_US;
/// Bot API: deleteMessages, "a list of 1-100 identifiers".
const MAX_IDS: usize = 100;

/// One message; an unknown one is an error.
pub(super) fn delete_message(call: &mut Call<'_>) -> Answer {
    let chat_id = call.chat_id()?;
    let id = call.params.int("message_id").filter(|id| *id > 0);
    let id = id.ok_or_else(|| ApiError::bad("message identifier is not specified"))?;
    let now = call.now.us;
    let message = call.chat(chat_id)?.living(id);
    let message = message.ok_or_else(|| ApiError::bad("message to delete not found"))?;
    if now.saturating_sub(message.at_us) > MAX_AGE_US {
        return Err(ApiError::bad("message can't be deleted"));
    }
    message.deleted_us = Some(now);
    Ok(json!(true))
}

/// Several messages; the ones that can't be found are skipped.
pub(super) fn delete_messages(call: &mut Call<'_>) -> Answer {
    let chat_id = call.chat_id()?;
    let ids: Option<Vec<i64>> = call
        .params
        .object("message_ids")
        .map_err(|_| ApiError::bad("can't parse message identifiers JSON array"))?;
    let ids = ids.unwrap_or_default();
    if ids.is_empty() {
        return Err(ApiError::bad("message identifiers are not specified"));
    }
    if ids.len() > MAX_IDS {
        return Err(ApiError::bad("too many message identifiers specified"));
    }
    let now = call.now.us;
    let chat = call.chat(chat_id)?;
    for id in ids {
        if let Some(message) = chat.living(id)
            && now.saturating_sub(message.at_us) <= MAX_AGE_US
        {
            message.deleted_us = Some(now);
        }
    }
    Ok(json!(true))
}
