//! The actions on a Telegram emulator.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{MAX_WAIT_MS, action_of};
use crate::telegram::{Limits, UpdateFault};
use crate::{Error, FaultSpec, TelegramControl};

/// An action; its name is the last part of the path. Each takes an optional `bot` (a token) beside
/// its own arguments: the bot whose chats and updates are meant.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "each is the method of the same name of TelegramControl"
)]
pub enum TelegramAction {
    AddBot {
        token: String,
        username: String,
    },
    AddUser {
        id: i64,
        first_name: String,
        username: Option<String>,
    },
    UserText {
        user: i64,
        text: String,
        reply_to: Option<i64>,
    },
    UserEdit {
        user: i64,
        message_id: i64,
        text: String,
    },
    UserDelete {
        user: i64,
        message_id: i64,
    },
    UserPress {
        user: i64,
        message_id: i64,
        data: String,
    },
    UserBlock {
        user: i64,
    },
    UserUnblock {
        user: i64,
    },
    InjectUpdate {
        update: Value,
    },
    Chat {
        user: i64,
    },
    Calls {
        #[serde(default)]
        from: u64,
    },
    Warnings,
    Fault {
        #[serde(flatten)]
        fault: FaultSpec,
    },
    ClearFaults,
    UpdateFault {
        #[serde(flatten)]
        kind: UpdateFault,
    },
    WithholdUpdates,
    ReleaseUpdates,
    SetLimits {
        #[serde(flatten)]
        limits: Limits,
    },
    Advance {
        ms: u64,
    },
    ConfirmedOffset,
    PendingUpdates,
    IsPolling,
    CutConnections,
    SetDown {
        down: bool,
    },
    /// Waits until the bot has so many visible messages in the chat, and a text in the last one.
    WaitChat {
        user: i64,
        #[serde(default)]
        messages: usize,
        contains: Option<String>,
        ms: u64,
    },
    /// Waits until a getUpdates call waits.
    WaitPolling {
        ms: u64,
    },
}

/// The action and the handle for its bot.
pub(super) fn parse(
    control: &TelegramControl,
    name: &str,
    body: &[u8],
) -> Result<(TelegramControl, TelegramAction), String> {
    #[derive(Deserialize)]
    struct Scope {
        bot: Option<String>,
    }
    let action = action_of(name, body)?;
    let scope: Option<Scope> = serde_json::from_slice(body).ok();
    let control = match scope.and_then(|scope| scope.bot) {
        Some(token) => control.for_bot(&token),
        None => control.clone(),
    };
    Ok((control, action))
}

pub(super) async fn run(control: &TelegramControl, action: TelegramAction) -> Result<Value, Error> {
    use TelegramAction as A;
    Ok(match action {
        A::AddBot { token, username } => json!(control.add_bot(&token, &username)?),
        A::AddUser {
            id,
            first_name,
            username,
        } => {
            json!(control.add_user(id, &first_name, username.as_deref()))
        }
        A::UserText {
            user,
            text,
            reply_to,
        } => json!(control.user_reply(user, &text, reply_to)?),
        A::UserEdit {
            user,
            message_id,
            text,
        } => {
            json!(control.user_edit(user, message_id, &text)?)
        }
        A::UserDelete { user, message_id } => json!(control.user_delete(user, message_id)?),
        A::UserPress {
            user,
            message_id,
            data,
        } => {
            json!(control.user_press(user, message_id, &data)?)
        }
        A::UserBlock { user } => json!(control.user_block(user)?),
        A::UserUnblock { user } => json!(control.user_unblock(user)?),
        A::InjectUpdate { update } => json!(control.inject_update(update)?),
        A::Chat { user } => json!(control.chat(user)?),
        A::Calls { from } => json!(control.calls_from(from)),
        A::Warnings => json!(control.warnings()),
        A::Fault { fault } => json!(control.fault(fault)),
        A::ClearFaults => json!(control.clear_faults()),
        A::UpdateFault { kind } => json!(control.update_fault(kind)?),
        A::WithholdUpdates => json!(control.withhold_updates()?),
        A::ReleaseUpdates => json!(control.release_updates()?),
        A::SetLimits { limits } => json!(control.set_limits(limits)),
        A::Advance { ms } => json!(control.advance(Duration::from_millis(ms))),
        A::ConfirmedOffset => json!(control.confirmed_offset()?),
        A::PendingUpdates => json!(control.pending_updates()?),
        A::IsPolling => json!(control.is_polling()?),
        A::CutConnections => json!(control.cut_connections()),
        A::SetDown { down } => json!(control.set_down(down)),
        A::WaitChat {
            user,
            messages,
            contains,
            ms,
        } => {
            control.chat(user)?;
            json!(wait_chat(control, user, messages, contains.as_deref(), ms).await)
        }
        A::WaitPolling { ms } => {
            let ready = |control: &TelegramControl| control.is_polling().unwrap_or(false);
            json!(control.wait_until(wait(ms), ready).await)
        }
    })
}

fn wait(ms: u64) -> Duration {
    Duration::from_millis(ms.min(MAX_WAIT_MS))
}

async fn wait_chat(
    control: &TelegramControl,
    user: i64,
    messages: usize,
    contains: Option<&str>,
    ms: u64,
) -> bool {
    let ready = |control: &TelegramControl| {
        control.chat(user).is_ok_and(|chat| {
            let shown: Vec<&str> = chat
                .from_bot()
                .map(|message| message.text.as_str())
                .collect();
            let last = shown.last().copied().unwrap_or_default();
            shown.len() >= messages && contains.is_none_or(|text| last.contains(text))
        })
    };
    control.wait_until(wait(ms), ready).await
}
