//! Time as an emulator sees it: microseconds since a start that all emulators of the process
//! share (so that their logs can be compared), and the Unix date that the platforms print.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

static START: OnceLock<Instant> = OnceLock::new();

/// Microseconds since the first use of a clock in this process; monotonic. The `at_us` of every
/// log and view is on this scale, plus what [`crate::TelegramControl::advance`] added.
#[must_use]
pub fn now_us() -> u64 {
    micros(START.get_or_init(Instant::now).elapsed())
}

/// A duration in whole microseconds.
pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// One reading of a clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Now {
    /// Microseconds, monotonic.
    pub(crate) us: u64,
    /// Unix seconds.
    pub(crate) unix: i64,
}

/// A clock that can be moved forward, so that hour-long retention is testable.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    ahead_us: AtomicU64,
}

impl Clock {
    pub(crate) fn now(&self) -> Now {
        let ahead = self.ahead_us.load(Ordering::Relaxed);
        let unix = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let unix = unix.as_secs().saturating_add(ahead / 1_000_000);
        Now {
            us: now_us().saturating_add(ahead),
            unix: i64::try_from(unix).unwrap_or(i64::MAX),
        }
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.ahead_us.fetch_add(micros(by), Ordering::Relaxed);
    }
}
