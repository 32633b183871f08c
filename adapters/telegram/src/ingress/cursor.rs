//! The durable position: `<offset>@<unix seconds>`.

use std::fmt;

/// After a week without updates the next `update_id` is random, perhaps a lower one (Bot API:
/// Update). An offset of this age is not used any more: the server then starts at the head of its
/// queue, and what is known already is recognized by its keys.
const STALE_SECONDS: u64 = 6 * 24 * 3600;

/// Where the next poll starts, and when that became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) offset: i64,
    pub(super) at: u64,
}

impl Cursor {
    /// `None` for a text of another form: then the server's queue is read from its head.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (offset, at) = text.split_once('@')?;
        Some(Self {
            offset: offset.parse().ok()?,
            at: at.parse().ok()?,
        })
    }

    /// The offset to ask with at `now`; `None` if it is too old.
    pub(super) fn offset_at(self, now: u64) -> Option<i64> {
        (now.saturating_sub(self.at) < STALE_SECONDS).then_some(self.offset)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.offset, self.at)
    }
}

#[cfg(test)]
mod tests;
