mod drafts;
mod limits;
mod model;
mod order;
mod penalties;
mod properties;
mod utilisation;

use std::time::Duration;

use talaria_types::{
    AccountId, CallKind, ChatId, ConversationId, Limit, Mono, Origin, Place, PlaceKind, PostId,
    ScopePart,
};

use super::{CallScope, Class, Pacing, Request, Slot, SlotKey};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const CHAT: &[ScopePart] = &[ScopePart::Account, ScopePart::Chat];
const ACCOUNT: &[ScopePart] = &[ScopePart::Account];

fn seconds(seconds: u64) -> Mono {
    Mono(seconds * 1_000_000)
}

fn millis(millis: u64) -> Mono {
    Mono(millis * 1_000)
}

/// A limit on creates and edits, of which nothing is kept.
fn limit(scope: &[ScopePart], calls: u32, per: Duration, burst: u32) -> Limit {
    Limit {
        scope: scope.to_vec(),
        kinds: vec![CallKind::Create, CallKind::Edit],
        calls,
        per,
        burst,
        kept_for_sealed: 0,
    }
}

fn keeping(kept_for_sealed: u32, limit: Limit) -> Limit {
    Limit {
        kept_for_sealed,
        ..limit
    }
}

fn scope(account: u64, chat: u64) -> CallScope {
    let place = Place {
        account: AccountId::new(format!("p:{account}")),
        kind: PlaceKind::Group,
        chat: ChatId::new(format!("{chat}")),
        thread: None,
    };
    CallScope::new(&place, None)
}

fn key(conversation: u64, post: u16) -> SlotKey {
    SlotKey {
        conversation: ConversationId::new(format!("{conversation:04}")),
        slot: Slot::Post(PostId {
            origin: Origin::default(),
            ordinal: post,
        }),
    }
}

/// A create in chat `n` of account 1, for conversation `n`.
fn request(n: u64, class: Class, limits: &[Limit]) -> Request {
    Request {
        key: key(n, 0),
        class,
        kind: CallKind::Create,
        scope: scope(1, n),
        limits: limits.to_vec(),
        not_before: None,
    }
}

fn post(n: u64, ordinal: u16, class: Class, limits: &[Limit]) -> Request {
    Request {
        key: key(n, ordinal),
        ..request(n, class, limits)
    }
}

/// Uses up what `limits` leave to sealed posts of chat `n` at `now`; how many calls that were.
fn drain(pacing: &mut Pacing, n: u64, limits: &[Limit], now: Mono) -> usize {
    let mut calls = 0;
    loop {
        pacing.want(post(n, 9_999, Class::Sealed, limits), now);
        if pacing.poll(now).is_empty() {
            pacing.unwant(&key(n, 9_999));
            return calls;
        }
        calls += 1;
    }
}
