//! The scheduler: which conversation may make which call now (P9, "Rate budgets").
//!
//! Pure: `now` is an argument, the same calls in the same order give the same grants. Times are
//! [`Mono`], microseconds since the process started; buckets count in nanoseconds and round to the
//! later microsecond. Limits are data ([`Limit`]) and come with each request; nothing here knows a
//! platform.
//!
//! **The bound.** A limit of `calls` per `per` with `burst` lets at most
//! `burst + calls * time / per` calls leave in any stretch of `time`, also while drafts and sealed
//! posts share it. Where a platform refuses more than `n` in any stretch of `per`, the limit that
//! says so is `calls + burst <= n`.
//!
//! **Order.** [`Class`] first; in a class the conversations take turns, one call each; in a
//! conversation the older wait first. A wait that can't leave is passed over, so a chat under a
//! penalty or out of its own budget delays nobody. A call leaves when every bucket that it counts
//! in has room, and takes from all of them at that moment; nothing is taken for a call that still
//! waits, because what is taken early and used late would break the bound. A wait whose buckets
//! were never free at the same time, because others took from them in between, three times, claims
//! its next chance: others may still take from its buckets, but only what leaves it that chance.
//!
//! **Sealed before drafts.** Of a limit's burst drafts leave `kept_for_sealed` alone (one call
//! remains for drafts in any case); the rate is one count for all. Cosmetic calls are last, leave
//! the same alone, and have a small budget of their own: per account ten a second, and of each
//! limit that also counts messages a tenth.
//!
//! **Drafts are opened on credit**: [`Pacing::may_open_draft`] answers whether the call that will
//! finish one more draft could leave within [`FINISH_WITHIN`] even if all open drafts ended
//! together.
//!
//! **429s.** [`Pacing::penalize`] holds everything of the scope until its time, and slows the
//! buckets that it speaks of: one call at a time with twice the interval, doubling again with each
//! further penalty to 16 times, halving after each 5 minutes without one.
//!
//! **What is ours.** The count of a bucket is governor's GCRA, with our clock and our state store.
//! Everything between buckets is ours: a call counts in several or in none, two classes share one
//! count with different tolerances, looking does not take. With governor's own stores, checked one
//! after the other, a call that the wider limit refuses has already spent the narrower one: with
//! 200 busy groups at once that leaves 37 % of the permitted calls, this arrangement 99.9 %
//! (`stock_limiters_in_a_row_waste_more_than_5_percent`, `utilisation_is_the_bound`).
//!
//! Memory: one record per wait and open draft; a bucket is dropped a minute after it is full again.

mod bucket;
mod draft;
mod grant;
mod penalty;
mod queue;
mod scope;
mod view;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use talaria_types::{CallKind, ConversationId, Limit, Mono, PostId};

use bucket::{Bucket, Instant, Rate, Tolerance};
use queue::{Queue, WaitId};
use scope::{BucketKey, cosmetic_budget, cosmetic_share};

pub use bucket::{LEVELS, RECOVERY};
pub use draft::FINISH_WITHIN;
pub use scope::{CallScope, Penalty};
pub use view::{BucketView, Reason, WaitView};

/// How long a full bucket is remembered: answers to its last calls may still bring a 429.
const LINGER: Duration = Duration::from_secs(60);
const SWEEP_EVERY: Duration = Duration::from_secs(10);

/// What a call is for: a conversation has at most one wait for each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotKey {
    pub conversation: ConversationId,
    pub slot: Slot,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    Post(PostId),
    Typing,
    /// The answer to a pressed button, by the platform's id of the press.
    Answer(String),
    Setup,
}

/// How much a call matters; the lesser goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Approvals and command answers.
    Urgent,
    Sealed,
    /// The first call of a post that is still growing.
    FirstDraft,
    Draft,
    /// Typing, reactions, set-up.
    Cosmetic,
}

/// One call that wants to leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub key: SlotKey,
    pub class: Class,
    pub kind: CallKind,
    pub scope: CallScope,
    /// The limits of the place; those that do not count `kind` are ignored.
    pub limits: Vec<Limit>,
    /// It may not leave before: a retry's time, a proof's horizon, a draft's cadence.
    pub not_before: Option<Mono>,
}

/// A bucket's number in one [`Pacing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BucketId(u64);

#[derive(Clone, Debug)]
struct Wait {
    key: SlotKey,
    class: Class,
    kind: CallKind,
    scope: CallScope,
    buckets: Vec<BucketId>,
    not_before: Mono,
    /// The end of the last penalty that concerns it.
    penalty: Mono,
    /// How often a later call in the order moved its chance.
    robbed: u8,
}

/// The scheduler. Not shared: one owner asks it, in order.
#[derive(Clone, Debug, Default)]
pub struct Pacing {
    waits: BTreeMap<WaitId, Wait>,
    by_key: BTreeMap<SlotKey, WaitId>,
    queue: Queue,
    buckets: BTreeMap<BucketId, Bucket>,
    by_limit: BTreeMap<BucketKey, BucketId>,
    drafts: BTreeMap<SlotKey, Vec<BucketId>>,
    penalties: penalty::Penalties,
    /// When every bucket counts as emptied; see [`Pacing::resumed`].
    emptied: Option<Mono>,
    swept: Mono,
    last_id: u64,
}

impl Pacing {
    /// Nothing waits and every bucket is full.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// For a process that follows another: the platform still counts what that one sent, so every
    /// burst counts as used up at `now`. Each limit passes its first call one interval later.
    #[must_use]
    pub fn resumed(now: Mono) -> Self {
        Self {
            emptied: Some(now),
            ..Self::default()
        }
    }

    /// Waits for a call. An earlier wait of the same key is replaced (a draft that waits becomes
    /// the sealed post); it keeps its turn if the class is the same.
    pub fn want(&mut self, request: Request, now: Mono) {
        let Request {
            key,
            class,
            kind,
            scope,
            limits,
            not_before,
        } = request;
        let buckets = self.resolve(class, kind, &scope, &limits);
        let penalty = self.penalties.until(&scope).unwrap_or(now);
        let mut robbed = 0;
        let id = match self.by_key.get(&key).copied() {
            Some(id) => {
                if let Some(old) = self.waits.get(&id) {
                    let (old_class, old_buckets) = (old.class, old.buckets.clone());
                    robbed = old.robbed;
                    self.count(&old_buckets, old_class, false);
                    if old_class != class {
                        self.queue.remove(old_class, &key.conversation, id, false);
                        self.queue.push(class, &key.conversation, id);
                    }
                }
                id
            }
            None => {
                let id = WaitId(self.next_id());
                self.by_key.insert(key.clone(), id);
                self.queue.push(class, &key.conversation, id);
                id
            }
        };
        self.count(&buckets, class, true);
        let not_before = not_before.unwrap_or(now);
        let wait = Wait {
            key,
            class,
            kind,
            scope,
            buckets,
            not_before,
            penalty,
            robbed,
        };
        self.waits.insert(id, wait);
    }

    /// Gives up waiting.
    pub fn unwant(&mut self, key: &SlotKey) {
        if let Some(id) = self.by_key.get(key).copied() {
            self.forget(id, false);
        }
    }

    /// Whether `key` waits.
    #[must_use]
    pub fn wants(&self, key: &SlotKey) -> bool {
        self.by_key.contains_key(key)
    }

    /// Takes a wait out of everything and returns it.
    fn forget(&mut self, id: WaitId, served: bool) -> Option<Wait> {
        let wait = self.waits.remove(&id)?;
        self.by_key.remove(&wait.key);
        self.queue
            .remove(wait.class, &wait.key.conversation, id, served);
        self.count(&wait.buckets, wait.class, false);
        Some(wait)
    }

    /// The buckets of a call, made where they do not exist.
    fn resolve(
        &mut self,
        class: Class,
        kind: CallKind,
        scope: &CallScope,
        limits: &[Limit],
    ) -> Vec<BucketId> {
        let mut buckets = Vec::new();
        for limit in limits {
            let Some(key) = BucketKey::of(limit, kind, scope) else {
                continue;
            };
            buckets.push(self.bucket(key, limit));
            if class != Class::Cosmetic {
                continue;
            }
            let share = cosmetic_share(limit);
            if let Some((share, key)) =
                share.and_then(|share| BucketKey::of(&share, kind, scope).map(|key| (share, key)))
            {
                buckets.push(self.bucket(
                    BucketKey {
                        cosmetic: true,
                        ..key
                    },
                    &share,
                ));
            }
        }
        if class == Class::Cosmetic {
            let budget = cosmetic_budget();
            if let Some(key) = BucketKey::of(&budget, kind, scope) {
                buckets.push(self.bucket(
                    BucketKey {
                        cosmetic: true,
                        ..key
                    },
                    &budget,
                ));
            }
        }
        // The same limit given twice is one limit.
        buckets.sort_unstable();
        buckets.dedup();
        buckets
    }

    fn bucket(&mut self, key: BucketKey, limit: &Limit) -> BucketId {
        if let Some(id) = self.by_limit.get(&key) {
            return *id;
        }
        let id = BucketId(self.next_id());
        self.buckets
            .insert(id, Bucket::new(Rate::of(limit), self.emptied));
        self.by_limit.insert(key, id);
        id
    }

    /// Adds a wait to its buckets' counts, or takes it off.
    fn count(&mut self, buckets: &[BucketId], class: Class, add: bool) {
        let ahead = u32::from(Tolerance::from(class) == Tolerance::Whole);
        let change = |count: u32, by: u32| {
            if add {
                count.saturating_add(by)
            } else {
                count.saturating_sub(by)
            }
        };
        for id in buckets {
            if let Some(bucket) = self.buckets.get_mut(id) {
                bucket.waiting = change(bucket.waiting, 1);
                bucket.ahead = change(bucket.ahead, ahead);
            }
        }
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Forgets buckets and penalties that no longer mean anything.
    fn sweep(&mut self, now: Mono) {
        if now.since(self.swept) < SWEEP_EVERY {
            return;
        }
        self.swept = now;
        self.penalties.drop_ended(now);
        self.buckets
            .retain(|_, bucket| !bucket.droppable(now, LINGER));
        let buckets = &self.buckets;
        self.by_limit.retain(|_, id| buckets.contains_key(id));
    }
}
