//! What operators see: who waits for what, and how full the buckets are.

use std::time::Duration;

use talaria_types::{CallKind, Mono, ScopePart};

use super::{Class, Instant, Pacing, SlotKey};

/// Why a call waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Its own time has not come.
    NotBefore,
    /// A 429 is being obeyed.
    Penalty,
    /// A limit has no room.
    Limit,
    /// It has room, and leaves at the next poll unless a call before it takes the room.
    Turn,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitView {
    pub key: SlotKey,
    pub class: Class,
    pub kind: CallKind,
    pub reason: Reason,
    /// When the reason ends, if nothing else happens; `None`: never.
    pub until: Option<Mono>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketView {
    /// The scope, with the values that are known.
    pub scope: Vec<(ScopePart, Option<String>)>,
    pub kinds: Vec<CallKind>,
    pub calls: u32,
    pub per: Duration,
    pub burst: u32,
    /// Whether it is the small budget of cosmetic calls.
    pub cosmetic: bool,
    /// Calls that could leave now.
    pub left: u32,
    pub waiting: u32,
    /// Finishing calls of open drafts.
    pub reserved: u32,
    /// How often the interval is doubled after 429s; 0 is the published rate.
    pub level: u8,
}

impl Pacing {
    /// How many calls wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waits.len()
    }

    /// Every wait, by key.
    #[must_use]
    pub fn waits(&self, now: Mono) -> Vec<WaitView> {
        let at = Instant::from(now);
        let waits = self.by_key.values().filter_map(|id| self.waits.get(id));
        waits
            .map(|wait| {
                let room = self.room(wait, at);
                let (reason, until) = if wait.penalty > now && wait.penalty >= wait.not_before {
                    (Reason::Penalty, wait.penalty)
                } else if wait.not_before > now {
                    (Reason::NotBefore, wait.not_before)
                } else if room > at {
                    (Reason::Limit, room.ceil())
                } else {
                    (Reason::Turn, now)
                };
                let until = (until < Instant::NEVER.ceil()).then_some(until);
                let (class, kind) = (wait.class, wait.kind);
                WaitView {
                    key: wait.key.clone(),
                    class,
                    kind,
                    reason,
                    until,
                }
            })
            .collect()
    }

    /// Every bucket in memory: those in use, and those that were a short while ago.
    #[must_use]
    pub fn buckets(&self, now: Mono) -> Vec<BucketView> {
        let buckets = self.by_limit.iter();
        buckets
            .filter_map(|(key, id)| self.buckets.get(id).map(|bucket| (key, bucket)))
            .map(|(key, bucket)| BucketView {
                scope: key.values.clone(),
                kinds: key.kinds.clone(),
                calls: key.calls,
                per: key.per,
                burst: key.burst,
                cosmetic: key.cosmetic,
                left: bucket.left(now.into()),
                waiting: bucket.waiting,
                reserved: bucket.reserved,
                level: bucket.level(now),
            })
            .collect()
    }
}
