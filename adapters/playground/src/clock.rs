//! The one place of this crate that reads the wall clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 (UTC); 0 where the clock stands before that.
#[expect(
    clippy::disallowed_methods,
    reason = "the page shows times of day; this is the one source"
)]
pub(crate) fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
}
