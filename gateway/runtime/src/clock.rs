//! The one clock of the process.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use talaria_types::{Mono, Now, Wall};

/// Reads both clocks. Everything else is given a [`Now`].
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock whose monotonic time begins now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub fn now(&self) -> Now {
        let mono = Mono(u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX));
        let wall = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or(Duration::ZERO);
        Now {
            mono,
            wall: Wall(u64::try_from(wall.as_millis()).unwrap_or(u64::MAX)),
        }
    }

    /// The moment of `at`, for timers.
    #[must_use]
    pub fn instant(&self, at: Mono) -> tokio::time::Instant {
        tokio::time::Instant::from_std(self.start + Duration::from_micros(at.0))
    }

    /// The system's time, for tools.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub fn system_time() -> SystemTime {
        SystemTime::now()
    }
}
