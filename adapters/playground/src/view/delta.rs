//! What changed between two snapshots: what one connection is sent.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{ChatHead, ChatView, GatewayView, LedgerView, LogLine, MessageView, Snapshot};

/// The difference that turns what a connection has into what is. With `reset` the page forgets what
/// it has first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Delta {
    pub(crate) version: u64,
    pub(crate) now_ms: u64,
    pub(crate) reset: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gateway: Option<GatewayView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ledger: Option<LedgerView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) chats: Vec<ChatDelta>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) log: Vec<LogLine>,
}

/// The difference in one chat.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ChatDelta {
    pub(crate) id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) head: Option<ChatHead>,
    /// New and changed messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) messages: Vec<MessageView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) removed: Vec<i64>,
}

/// The difference from `old` (`None`: a new connection) to `new`; `None` where there is none.
pub(crate) fn delta(old: Option<&Snapshot>, new: &Snapshot) -> Option<Delta> {
    let reset = old.is_none();
    let empty = Snapshot::default();
    let old = old.unwrap_or(&empty);
    let last_seq = old.log.last().map_or(0, |line| line.seq);
    let found = Delta {
        version: new.version,
        now_ms: new.now_ms,
        reset,
        gateway: (reset || old.gateway != new.gateway).then(|| new.gateway.clone()),
        ledger: (reset || old.ledger != new.ledger).then(|| new.ledger.clone()),
        chats: new
            .chats
            .iter()
            .filter_map(|chat| {
                chat_delta(
                    old.chats.iter().find(|had| had.head.id == chat.head.id),
                    chat,
                )
            })
            .collect(),
        log: new
            .log
            .iter()
            .filter(|line| line.seq > last_seq)
            .cloned()
            .collect(),
    };
    let silent = !reset
        && found.gateway.is_none()
        && found.ledger.is_none()
        && found.chats.is_empty()
        && found.log.is_empty();
    (!silent).then_some(found)
}

fn chat_delta(old: Option<&ChatView>, new: &ChatView) -> Option<ChatDelta> {
    let Some(old) = old else {
        return Some(ChatDelta {
            id: new.head.id,
            head: Some(new.head.clone()),
            messages: new.messages.clone(),
            removed: Vec::new(),
        });
    };
    let had: BTreeMap<i64, &MessageView> = old.messages.iter().map(|m| (m.id, m)).collect();
    let has: BTreeMap<i64, &MessageView> = new.messages.iter().map(|m| (m.id, m)).collect();
    let found = ChatDelta {
        id: new.head.id,
        head: (old.head != new.head).then(|| new.head.clone()),
        messages: new
            .messages
            .iter()
            .filter(|message| had.get(&message.id) != Some(message))
            .cloned()
            .collect(),
        removed: had
            .keys()
            .filter(|id| !has.contains_key(id))
            .copied()
            .collect(),
    };
    let silent = found.head.is_none() && found.messages.is_empty() && found.removed.is_empty();
    (!silent).then_some(found)
}

#[cfg(test)]
mod tests;
