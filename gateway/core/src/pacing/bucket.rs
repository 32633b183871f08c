//! One token bucket, and the only place that knows how a limiter counts.
//!
//! The arithmetic is governor's. Its own state stores can't look without taking and can't give two
//! classes different tolerances over one count, so the count is kept here and lent to a limiter for
//! one question (`Lent`).

use std::cell::Cell;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::{NotKeyed, StateStore};
use governor::{Quota, RateLimiter};
use talaria_types::{Limit, Mono};

use super::Class;

/// After a 429 a bucket leaves at most one call per interval, and the interval doubles with each
/// level; four levels are 1/16 of the published rate.
pub const LEVELS: u8 = 4;
/// How long without a 429 takes one level back.
pub const RECOVERY: Duration = Duration::from_secs(300);

/// Nanoseconds since the process started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Instant(pub(super) u64);

impl Instant {
    pub(super) const NEVER: Self = Self(u64::MAX);

    /// The first microsecond that is not before this instant.
    pub(super) fn ceil(self) -> Mono {
        Mono(self.0.div_ceil(1_000))
    }
}

impl From<Mono> for Instant {
    fn from(mono: Mono) -> Self {
        Self(mono.0.saturating_mul(1_000))
    }
}

/// Whose tolerance applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tolerance {
    /// The whole burst.
    Whole,
    /// The burst without what is kept for sealed posts.
    Drafts,
}

impl From<Class> for Tolerance {
    fn from(class: Class) -> Self {
        match class {
            Class::Urgent | Class::Sealed => Self::Whole,
            Class::FirstDraft | Class::Draft | Class::Cosmetic => Self::Drafts,
        }
    }
}

/// What a [`Limit`] comes to. `None` in `interval`: no call passes, ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    /// Nanoseconds per call, rounded up: never faster than published.
    interval: Option<u64>,
    burst: NonZeroU32,
    drafts: NonZeroU32,
}

impl Rate {
    pub(super) fn of(limit: &Limit) -> Self {
        let per = u64::try_from(limit.per.as_nanos()).unwrap_or(u64::MAX);
        // Capped at 50 years and at a burst that takes 50 years to fill, so no sum overflows.
        let cap = u64::MAX / 12;
        let interval = (limit.calls > 0 && limit.burst > 0)
            .then(|| per.div_ceil(u64::from(limit.calls)).clamp(1, cap));
        let most = interval.map_or(1, |interval| cap / interval);
        let burst = limit.burst.min(u32::try_from(most).unwrap_or(u32::MAX));
        let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
        // One call stays for drafts, or they would never move.
        let drafts = burst.get().saturating_sub(limit.kept_for_sealed);
        Self {
            interval,
            burst,
            drafts: NonZeroU32::new(drafts).unwrap_or(NonZeroU32::MIN),
        }
    }

    fn burst(self, tolerance: Tolerance) -> NonZeroU32 {
        match tolerance {
            Tolerance::Whole => self.burst,
            Tolerance::Drafts => self.drafts,
        }
    }

    /// Calls that drafts always leave.
    pub(super) fn kept(self) -> u32 {
        self.burst.get() - self.drafts.get()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Bucket {
    rate: Rate,
    /// When the bucket will be full again (GCRA's theoretical arrival time).
    full_at: Instant,
    /// Learned from a 429: the level, and since when there was none.
    slowed: Option<(u8, Mono)>,
    /// While slowed: when the next call may leave.
    spaced: Instant,
    /// Waiting calls that need it.
    pub(super) waiting: u32,
    /// Of those, the ones that go before drafts.
    pub(super) ahead: u32,
    /// Finishing calls of open drafts.
    pub(super) reserved: u32,
}

impl Bucket {
    /// A full bucket; or, where calls of an earlier process may still count, one that was emptied
    /// at `emptied`.
    pub(super) fn new(rate: Rate, emptied: Option<Mono>) -> Self {
        let full_at = emptied
            .zip(rate.interval)
            .map_or(Instant(0), |(at, interval)| {
                let debt = interval.saturating_mul(u64::from(rate.burst.get()));
                Instant(Instant::from(at).0.saturating_add(debt))
            });
        Self {
            rate,
            full_at,
            slowed: None,
            spaced: Instant(0),
            waiting: 0,
            ahead: 0,
            reserved: 0,
        }
    }

    /// The first moment, not before `now`, at which a call may leave if no other does.
    pub(super) fn earliest(&self, now: Instant, tolerance: Tolerance) -> Instant {
        let wait = self.ask(now, tolerance).err().unwrap_or(0);
        Instant(now.0.saturating_add(wait)).max(self.spaced)
    }

    /// Counts a call that leaves now. The caller has asked [`Self::earliest`]; a call that may not
    /// leave is not counted.
    pub(super) fn take(&mut self, now: Instant) {
        let Ok(debt) = self.ask(now, Tolerance::Whole) else {
            return;
        };
        self.full_at = Instant(now.0.saturating_add(debt));
        let level = self.level(now.ceil());
        if level > 0 {
            self.spaced = Instant(now.0.saturating_add(self.spacing(level)));
        }
    }

    /// Whether a call that leaves now still lets another leave at `then`.
    pub(super) fn leaves_one(&self, now: Instant, then: Instant, tolerance: Tolerance) -> bool {
        let mut after = self.clone();
        after.take(now);
        after.earliest(then.max(now), tolerance) <= then.max(now)
    }

    /// A 429 for calls of this bucket that lasts until `until`. Answers to calls that were on the
    /// wire together count once: only one that comes after the last penalty's end is news.
    pub(super) fn slow(&mut self, now: Mono, until: Mono) {
        let level = self.level(now);
        let news = self.slowed.is_none_or(|(_, since)| now >= since);
        let since = self.slowed.map_or(until, |(_, since)| since.max(until));
        self.slowed = Some((if news { (level + 1).min(LEVELS) } else { level }, since));
    }

    /// How far it is slowed: the interval is `1 << level` times the published one.
    pub(super) fn level(&self, now: Mono) -> u8 {
        self.slowed.map_or(0, |(level, since)| {
            let steps = now.since(since).as_micros() / RECOVERY.as_micros();
            level.saturating_sub(u8::try_from(steps).unwrap_or(u8::MAX))
        })
    }

    /// Calls that may leave within `time` from a bucket at which only drafts work.
    pub(super) fn capacity(&self, now: Mono, time: Duration) -> u64 {
        let level = self.level(now);
        if self.rate.interval.is_none() {
            return 0;
        }
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let kept = if level == 0 { self.rate.kept() } else { 0 };
        u64::from(kept) + time / self.spacing(level)
    }

    /// Whole calls that are left now for the most privileged class.
    pub(super) fn left(&self, now: Instant) -> u32 {
        let Some(interval) = self.rate.interval else {
            return 0;
        };
        if self.spaced > now {
            return 0;
        }
        let missing = self.full_at.0.saturating_sub(now.0).div_ceil(interval);
        self.rate
            .burst
            .get()
            .saturating_sub(u32::try_from(missing).unwrap_or(u32::MAX))
    }

    /// Whether it can be dropped and made again later without anybody noticing: unused, full since
    /// `linger` (answers to its last calls may still bring a 429) and not slowed.
    pub(super) fn droppable(&self, now: Mono, linger: Duration) -> bool {
        self.waiting == 0
            && self.reserved == 0
            && self.level(now) == 0
            && now.since(self.full_at.max(self.spaced).ceil()) >= linger
    }

    fn spacing(&self, level: u8) -> u64 {
        self.rate
            .interval
            .unwrap_or(u64::MAX)
            .saturating_mul(1 << level.min(LEVELS))
    }

    /// Asks governor: how far from full the bucket is after a call now, or how long a call has to
    /// wait, in nanoseconds.
    fn ask(&self, now: Instant, tolerance: Tolerance) -> Result<u64, u64> {
        const NEVER: u64 = u64::MAX;
        let interval = self.rate.interval.ok_or(NEVER)?;
        let quota = Quota::with_period(Duration::from_nanos(interval)).ok_or(NEVER)?;
        let quota = quota.allow_burst(self.rate.burst(tolerance));
        let debt = Lent {
            debt: Cell::new(Nanos::new(self.full_at.0.saturating_sub(now.0))),
        };
        let limiter = RateLimiter::<_, _, _, NoOpMiddleware<Nanos>>::new(quota, debt, Standing);
        match limiter.check() {
            Ok(()) => Ok(limiter.into_state_store().debt.get().as_u64()),
            Err(not_until) => Err(not_until.earliest_possible().as_u64()),
        }
    }
}

/// The clock of one question: it stands at zero, and the count is told relative to that.
#[derive(Clone, Debug)]
struct Standing;

impl Clock for Standing {
    type Instant = Nanos;
    fn now(&self) -> Nanos {
        Nanos::new(0)
    }
}

/// The bucket's count, lent to a limiter for one question.
struct Lent {
    debt: Cell<Nanos>,
}

impl StateStore for Lent {
    type Key = NotKeyed;

    fn measure_and_replace<T, F, E>(&self, _key: &NotKeyed, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let (answer, debt) = decide(Some(self.debt.get()))?;
        self.debt.set(debt);
        Ok(answer)
    }
}
