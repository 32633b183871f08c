//! Bot API: sendMessageDraft (private chats only). Ephemeral: no message id, not in the history,
//! gone after 30 seconds or with the bot's next message.

use serde_json::json;

use super::Call;
use crate::telegram::answer::{Answer, ApiError};
use crate::telegram::state::{ChatKind, Draft, SECOND_US};
use crate::telegram::text::prepare::{TOO_LONG_SEND, prepare};
use crate::telegram::views::DraftView;

const LIFE_US: u64 = 30 * SECOND_US;

/// Shows a draft; the same `draft_id` changes it, another one replaces it. An empty text shows a
/// "Thinking…" placeholder.
pub(super) fn send_message_draft(call: &mut Call<'_>) -> Answer {
    let prepared = prepare(call.params, TOO_LONG_SEND)?;
    let chat_id = call.target_chat()?;
    let id = call.params.int("draft_id").filter(|id| *id != 0);
    let id = id.ok_or_else(|| ApiError::bad("draft_id must be non-zero"))?;
    let now = call.now.us;
    let chat = call.chat(chat_id)?;
    match chat.kind {
        ChatKind::Private { .. } => {}
    }
    let view = DraftView {
        id,
        text: prepared.text,
        entities: prepared.entities,
        at_us: now,
    };
    chat.drafts.push(view.clone());
    chat.draft = Some(Draft {
        view,
        until_us: now + LIFE_US,
    });
    call.warn(prepared.warnings);
    Ok(json!(true))
}
