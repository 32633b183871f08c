//! Bot API: answerCallbackQuery.

use serde_json::json;

use super::Call;
use crate::telegram::answer::{Answer, ApiError};
use crate::telegram::state::SECOND_US;
use crate::telegram::text::entity::utf16_len;
use crate::telegram::views::CallbackAnswer;

/// A callback query lives 150 s (server source: Client, callback query updates).
pub(crate) const LIFE_US: u64 = 150 * SECOND_US;
/// Bot API: answerCallbackQuery, text "0-200 characters".
const MAX_TEXT: i64 = 200;

/// Too late, unknown and already answered are one and the same refusal.
pub(super) fn answer_callback_query(call: &mut Call<'_>) -> Answer {
    let id = call.params.text("callback_query_id").unwrap_or_default();
    let text = call.params.text("text").filter(|text| !text.is_empty());
    if text
        .as_deref()
        .is_some_and(|text| utf16_len(text) > MAX_TEXT)
    {
        return Err(ApiError::bad("MESSAGE_TOO_LONG"));
    }
    let show_alert = call.params.flag("show_alert");
    let now = call.now.us;
    let bot = call.bot;
    let mut chats = call
        .state
        .chats
        .iter_mut()
        .filter(|((of, _), _)| *of == bot);
    let query = chats
        .find_map(|(_, chat)| chat.callbacks.iter_mut().find(|query| query.id == id))
        .filter(|query| query.answer.is_none() && now.saturating_sub(query.at_us) <= LIFE_US)
        .ok_or_else(|| {
            ApiError::bad("query is too old and response timeout expired or query ID is invalid")
        })?;
    query.answer = Some(CallbackAnswer {
        at_us: now,
        text,
        show_alert,
    });
    Ok(json!(true))
}
