//! A broken promise.

use std::fmt;

/// The promise that was broken, by its name in the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Promise {
    P0,
    P1,
    P2,
    P3,
    P4,
    P5,
    P6,
    P7,
    P8,
    P9,
    P10,
    P12,
    P13,
    /// The history that a model is given is one that a model server takes.
    History,
    /// A commit was refused, a record could not be written.
    Ledger,
    /// When nothing more happens, everything settles.
    Liveness,
}

/// What was seen, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub promise: Promise,
    pub detail: String,
    /// The number of the event after which it was seen.
    pub event: usize,
}

impl Violation {
    #[must_use]
    pub fn new(promise: Promise, detail: impl Into<String>) -> Self {
        Self {
            promise,
            detail: detail.into(),
            event: 0,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} after event {}: {}",
            self.promise, self.event, self.detail
        )
    }
}

impl std::error::Error for Violation {}
