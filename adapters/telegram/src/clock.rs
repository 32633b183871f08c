//! The adapter's one look at the wall clock: the date in a cursor.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since the Unix epoch.
#[expect(
    clippy::disallowed_methods,
    reason = "a cursor carries its date; it is compared with days, never used for order"
)]
pub(crate) fn unix_seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
