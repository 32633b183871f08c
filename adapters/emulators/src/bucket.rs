//! A rate limit that a sustained excess of a few per cent does not pass: the generic cell rate
//! algorithm, with a penalty window after a refusal.

/// Calls per second and how many may come at once.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Rate {
    /// Sustained calls per second. Must be positive; anything else means no limit.
    pub per_second: f64,
    /// Calls that may come at once after a pause; at least 1.
    pub burst: u32,
}

impl Rate {
    /// A rate of `per_second` calls with a burst.
    #[must_use]
    pub const fn new(per_second: f64, burst: u32) -> Self {
        Self { per_second, burst }
    }
}

/// The state of one limit. A refused call is not charged, but after a refusal everything is
/// refused until the announced `retry_after` has passed, as the real service does it: who does not
/// obey a 429 is seen.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bucket {
    /// Theoretical arrival time of the next call, µs.
    next_us: f64,
    refused_until_us: u64,
}

impl Bucket {
    /// `Err(retry_after)` in whole seconds (at least 1) if a call now is over the limit.
    pub(crate) fn check(&mut self, rate: Rate, now_us: u64) -> Result<(), u64> {
        if now_us < self.refused_until_us {
            return Err(seconds_up(self.refused_until_us - now_us));
        }
        let Some(interval) = interval_us(rate) else {
            return Ok(());
        };
        let tolerance = interval * f64::from(rate.burst.max(1) - 1);
        #[expect(
            clippy::cast_precision_loss,
            reason = "microseconds of one process fit in 52 bits"
        )]
        let now = now_us as f64;
        let wait = self.next_us - tolerance - now;
        // Half a microsecond is rounding, not an early call.
        if wait <= 0.5 {
            return Ok(());
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive, and bounded by burst times interval"
        )]
        let retry_after = seconds_up(wait as u64);
        self.refused_until_us = now_us + retry_after * 1_000_000;
        Err(retry_after)
    }

    /// Counts a call that [`Bucket::check`] let pass.
    pub(crate) fn charge(&mut self, rate: Rate, now_us: u64) {
        let Some(interval) = interval_us(rate) else {
            return;
        };
        #[expect(
            clippy::cast_precision_loss,
            reason = "microseconds of one process fit in 52 bits"
        )]
        let now = now_us as f64;
        self.next_us = self.next_us.max(now) + interval;
    }
}

fn interval_us(rate: Rate) -> Option<f64> {
    (rate.per_second > 0.0).then(|| 1_000_000.0 / rate.per_second)
}

fn seconds_up(us: u64) -> u64 {
    us.div_ceil(1_000_000).max(1)
}

#[cfg(test)]
mod tests;
