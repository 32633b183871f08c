//! Bot API: getMe, deleteWebhook, getWebhookInfo. Webhooks are not emulated: there never is one.

use serde_json::json;

use super::Call;
use crate::telegram::answer::Answer;
use crate::telegram::json;

/// Bot API: getMe.
pub(super) fn get_me(call: &mut Call<'_>) -> Answer {
    call.bot().map(json::me)
}

/// Bot API: deleteWebhook; `drop_pending_updates` empties the queue.
pub(super) fn delete_webhook(call: &mut Call<'_>) -> Answer {
    if call.params.flag("drop_pending_updates")
        && let Some(bot) = call.state.bots.get_mut(&call.bot)
    {
        bot.queue.waiting.clear();
    }
    Ok(json!(true))
}

/// Bot API: getWebhookInfo.
pub(super) fn get_webhook_info(call: &mut Call<'_>) -> Answer {
    let pending = call.bot()?.queue.waiting.len();
    Ok(json!({"url": "", "has_custom_certificate": false, "pending_update_count": pending}))
}
