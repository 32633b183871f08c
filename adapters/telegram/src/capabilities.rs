//! What this adapter can do in a chat, and how often. Data only.

use std::time::Duration;

use talaria_types::{
    CallKind, Capabilities, CreateClass, Limit, PlaceKind, RemoveClass, ScopePart, TextUnit,
    UpdateClass,
};

/// The longest text of one message. The documents count "characters", the server code points,
/// clients UTF-16 units: counting units is within all of them (Bot API: sendMessage).
pub(crate) const TEXT_LIMIT: usize = 4096;

/// A published second or minute, 2 % longer: calls that leave evenly do not arrive evenly, and the
/// server counts arrivals.
const SECOND: Duration = Duration::from_millis(1_020);
const MINUTE: Duration = Duration::from_millis(61_200);

/// Calls that make or change a message. Only the rate of new messages is published (Bots FAQ); that
/// edits and deletions share it is ours: floods of them are refused too, without a number.
const MESSAGES: [CallKind; 3] = [CallKind::Create, CallKind::Edit, CallKind::Delete];

pub(crate) fn capabilities(kind: PlaceKind) -> Capabilities {
    Capabilities {
        create: CreateClass::Blind,
        update: UpdateClass::Replace,
        // Bot API: deleteMessage.
        remove: RemoveClass::Within(Duration::from_secs(48 * 3600)),
        text_limit: TEXT_LIMIT,
        text_unit: TextUnit::Utf16,
        life: None,
        // Bot API: sendChatAction.
        typing_ttl: Some(Duration::from_secs(5)),
        drafts: true,
        buttons: true,
        limits: limits(kind),
    }
}

fn limits(kind: PlaceKind) -> Vec<Limit> {
    let messages = MESSAGES.to_vec();
    let chat = vec![ScopePart::Account, ScopePart::Chat];
    let mut limits = vec![
        // Bots FAQ: about one message per second in one chat, short bursts tolerated.
        Limit {
            scope: chat.clone(),
            kinds: messages.clone(),
            calls: 1,
            per: SECOND,
            burst: 3,
            kept_for_sealed: 1,
        },
        // Bots FAQ: about 30 messages per second over all chats.
        Limit {
            scope: vec![ScopePart::Account],
            kinds: messages.clone(),
            calls: 30,
            per: SECOND,
            burst: 30,
            kept_for_sealed: 5,
        },
        // Ours: a typing signal lasts 5 s, so one per 2 s and chat is plenty.
        Limit {
            scope: vec![ScopePart::Account, ScopePart::Chat, ScopePart::Method],
            kinds: vec![CallKind::Signal],
            calls: 1,
            per: 2 * SECOND,
            burst: 2,
            kept_for_sealed: 0,
        },
        // Ours: what makes no message never competes with messages, and stays small.
        Limit {
            scope: vec![ScopePart::Account, ScopePart::Method],
            kinds: vec![CallKind::Signal, CallKind::Answer, CallKind::Setup],
            calls: 10,
            per: SECOND,
            burst: 10,
            kept_for_sealed: 0,
        },
    ];
    if kind == PlaceKind::Group {
        // Bots FAQ: at most 20 messages per minute in one group.
        limits.push(Limit {
            scope: chat,
            kinds: messages,
            calls: 20,
            per: MINUTE,
            burst: 5,
            kept_for_sealed: 2,
        });
    }
    limits
}

#[cfg(test)]
mod tests;
