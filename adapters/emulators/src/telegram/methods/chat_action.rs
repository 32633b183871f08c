//! Bot API: sendChatAction.

use serde_json::json;

use super::Call;
use crate::telegram::answer::{Answer, ApiError};
use crate::telegram::state::SECOND_US;

/// Bot API: sendChatAction, "The status is set for 5 seconds or less".
const SHOWN_US: u64 = 5 * SECOND_US;

const ACTIONS: [&str; 11] = [
    "typing",
    "upload_photo",
    "record_video",
    "upload_video",
    "record_voice",
    "upload_voice",
    "upload_document",
    "choose_sticker",
    "find_location",
    "record_video_note",
    "upload_video_note",
];

/// Shown until five seconds are over or the bot's next message arrives.
pub(super) fn send_chat_action(call: &mut Call<'_>) -> Answer {
    let action = call
        .params
        .text("action")
        .unwrap_or_default()
        .to_ascii_lowercase();
    let id = call.target_chat()?;
    if action != "cancel" && !ACTIONS.contains(&action.as_str()) {
        return Err(ApiError::bad("wrong parameter action in request"));
    }
    let now = call.now.us;
    let chat = call.chat(id)?;
    chat.typing_until_us = if action == "cancel" {
        now
    } else {
        now + SHOWN_US
    };
    chat.typing.push(now);
    Ok(json!(true))
}
