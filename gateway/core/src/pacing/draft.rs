//! Open drafts: each will need one more call, and that call must find room.

use std::time::Duration;

use talaria_types::{CallKind, Limit, Mono};

use super::scope::BucketKey;
use super::{Bucket, CallScope, Class, Pacing, Rate, SlotKey};

/// The longest that the call which finishes a draft may have to wait for its limits.
pub const FINISH_WITHIN: Duration = Duration::from_secs(3);

impl Pacing {
    /// Whether one more draft may be created: whether the call of `kind` that will finish it could
    /// leave within [`FINISH_WITHIN`] of its end, counting every other open draft and every sealed
    /// post that waits for the same limits. Otherwise the answer is created once, sealed.
    #[must_use]
    pub fn may_open_draft(
        &self,
        kind: CallKind,
        scope: &CallScope,
        limits: &[Limit],
        now: Mono,
    ) -> bool {
        if self
            .penalties
            .until(scope)
            .is_some_and(|until| until > now + FINISH_WITHIN)
        {
            return false;
        }
        limits.iter().all(|limit| {
            let Some(key) = BucketKey::of(limit, kind, scope) else {
                return true;
            };
            let bucket = self.by_limit.get(&key).and_then(|id| self.buckets.get(id));
            let fresh = Bucket::new(Rate::of(limit), self.emptied);
            let bucket = bucket.unwrap_or(&fresh);
            let before = u64::from(bucket.reserved) + u64::from(bucket.ahead);
            before < bucket.capacity(now, FINISH_WITHIN)
        })
    }

    /// Reserves the call of `kind` that will finish the draft `key`. Call it as soon as the draft
    /// is decided on, before anyone else asks [`Pacing::may_open_draft`].
    pub fn draft_opened(
        &mut self,
        key: SlotKey,
        kind: CallKind,
        scope: &CallScope,
        limits: &[Limit],
    ) {
        self.draft_closed(&key);
        let buckets = self.resolve(Class::Sealed, kind, scope, limits);
        for id in &buckets {
            if let Some(bucket) = self.buckets.get_mut(id) {
                bucket.reserved = bucket.reserved.saturating_add(1);
            }
        }
        self.drafts.insert(key, buckets);
    }

    /// The draft is finished, or was given up. Does nothing for a draft that is not open.
    pub fn draft_closed(&mut self, key: &SlotKey) {
        for id in self.drafts.remove(key).unwrap_or_default() {
            if let Some(bucket) = self.buckets.get_mut(&id) {
                bucket.reserved = bucket.reserved.saturating_sub(1);
            }
        }
    }
}
