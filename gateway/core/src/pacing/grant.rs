//! Granting: who leaves now, and when somebody next can.

use std::collections::{BTreeMap, BTreeSet};

use talaria_types::Mono;

use super::queue::{Rank, WaitId};
use super::{BucketId, Class, Instant, Pacing, SlotKey, Tolerance, Wait};

/// How often a wait's chance may be moved by calls behind it before it claims the next one.
pub(super) const PATIENCE: u8 = 3;

/// The chance of a wait that others must leave in a bucket.
#[derive(Clone, Copy, Debug)]
struct Claim {
    at: Instant,
    tolerance: Tolerance,
}

/// One walk through the order.
#[derive(Debug, Default)]
struct Walk {
    last: Option<Rank>,
    claims: BTreeMap<BucketId, Claim>,
    /// Waits that have no room yet, and when they would have.
    passed: Vec<(WaitId, Instant)>,
}

impl Pacing {
    /// The calls that leave now, in order. Each grant is consumed: the call counts as made.
    pub fn poll(&mut self, now: Mono) -> Vec<SlotKey> {
        self.sweep(now);
        let at = Instant::from(now);
        let mut walk = Walk::default();
        let mut granted = Vec::new();
        while let Some(id) = self.next_grant(at, &mut walk) {
            let Some(wait) = self.forget(id, true) else {
                continue;
            };
            for bucket in &wait.buckets {
                if let Some(bucket) = self.buckets.get_mut(bucket) {
                    bucket.take(at);
                }
            }
            granted.push(wait.key);
        }
        if !granted.is_empty() {
            self.note_robberies(at, &walk.passed);
        }
        granted
    }

    /// When [`Pacing::poll`] will next grant something, if nothing else happens; not before `now`.
    /// `None`: no passing of time grants anything.
    #[must_use]
    pub fn next_at(&self, now: Mono) -> Option<Mono> {
        let from = Instant::from(now);
        let mut first = Instant::NEVER;
        let mut moments = BTreeSet::new();
        for wait in self.waits.values() {
            let joins = Instant::from(wait.due()).max(from);
            let room = self.room(wait, joins);
            first = first.min(room);
            moments.extend([joins, room].map(|at| at.ceil().max(now)));
        }
        if first == Instant::NEVER {
            return None;
        }
        // Nobody has room before. Whoever has it first leaves then, unless it is claimed: then
        // things change only when a wait gets room or joins, which may move a claim.
        moments.into_iter().find(|moment| {
            let at = Instant::from(*moment);
            at >= first && self.next_grant(at, &mut Walk::default()).is_some()
        })
    }

    /// Walks on to the next wait that may leave.
    fn next_grant(&self, now: Instant, walk: &mut Walk) -> Option<WaitId> {
        while let Some((rank, waits)) = self.queue.after(walk.last) {
            walk.last = Some(rank);
            for id in waits {
                if self
                    .waits
                    .get(&id)
                    .is_some_and(|wait| self.may_leave(id, wait, now, walk))
                {
                    return Some(id);
                }
            }
        }
        None
    }

    fn may_leave(&self, id: WaitId, wait: &Wait, now: Instant, walk: &mut Walk) -> bool {
        if Instant::from(wait.due()) > now {
            return false;
        }
        let tolerance = Tolerance::from(wait.class);
        let at = self.room(wait, now);
        if at > now || at == Instant::NEVER {
            walk.passed.push((id, at));
            if wait.robbed >= PATIENCE && wait.class != Class::Cosmetic {
                for bucket in &wait.buckets {
                    walk.claims
                        .entry(*bucket)
                        .or_insert(Claim { at, tolerance });
                }
            }
            return false;
        }
        walk.claims.is_empty()
            || wait.buckets.iter().all(|id| {
                let (Some(claim), Some(bucket)) = (walk.claims.get(id), self.buckets.get(id))
                else {
                    return true;
                };
                bucket.leaves_one(now, claim.at, claim.tolerance)
            })
    }

    /// The first moment, not before `now`, at which all buckets of a wait have room.
    pub(super) fn room(&self, wait: &Wait, now: Instant) -> Instant {
        let tolerance = Tolerance::from(wait.class);
        wait.buckets
            .iter()
            .filter_map(|id| self.buckets.get(id))
            .map(|bucket| bucket.earliest(now, tolerance))
            .max()
            .unwrap_or(now)
    }

    fn note_robberies(&mut self, now: Instant, passed: &[(WaitId, Instant)]) {
        let robbed: Vec<WaitId> = passed
            .iter()
            .filter(|(id, at)| {
                self.waits
                    .get(id)
                    .is_some_and(|wait| self.room(wait, now) > *at)
            })
            .map(|(id, _)| *id)
            .collect();
        for id in robbed {
            if let Some(wait) = self.waits.get_mut(&id) {
                wait.robbed = wait.robbed.saturating_add(1);
            }
        }
    }
}

impl Wait {
    /// When it joins those that may leave.
    pub(super) fn due(&self) -> Mono {
        self.not_before.max(self.penalty)
    }
}
