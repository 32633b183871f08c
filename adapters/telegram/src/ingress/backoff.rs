//! Waits between failed polls: doubling and bounded, without jitter (one poller per bot).

use std::time::Duration;

use crate::settings::TelegramSettings;

#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    first: Duration,
    max: Duration,
    next: Duration,
}

impl Backoff {
    pub(crate) fn new(settings: &TelegramSettings) -> Self {
        let first = settings.retry_first;
        Self {
            first,
            max: settings.retry_max.max(first),
            next: first,
        }
    }

    /// The wait now; the one after it is twice as long.
    pub(crate) fn next(&mut self) -> Duration {
        let wait = self.next.min(self.max);
        self.next = (wait * 2).min(self.max);
        wait
    }

    /// The wait where somebody else holds the poll: a quick return would only take it from them.
    pub(crate) fn slower(&mut self) -> Duration {
        (self.next() * 5).min(self.max)
    }

    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests;
