//! A place for one answer, filled by whoever comes first: the writer, or the watchdog in its
//! stead.

use std::sync::{Mutex, PoisonError};

use super::StoreError;

type Answer<V, E> = Box<dyn FnOnce(Result<V, E>) + Send>;

pub(super) struct Slot<V, E> {
    done: Mutex<Option<Answer<V, E>>>,
}

impl<V, E> Slot<V, E> {
    pub(super) fn new(done: Answer<V, E>) -> Self {
        Self {
            done: Mutex::new(Some(done)),
        }
    }

    /// Answers unless that has happened.
    pub(super) fn answer(&self, result: Result<V, E>) {
        // Taken out before it is called: the lock is never held while foreign code runs.
        let done = self
            .done
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(done) = done {
            done(result);
        }
    }
}

/// A slot without its types: what the watchdog needs.
pub(super) trait Waiting: Send + Sync {
    fn is_answered(&self) -> bool;
    fn fail(&self, failure: StoreError);
}

impl<V, E: From<StoreError>> Waiting for Slot<V, E> {
    fn is_answered(&self) -> bool {
        self.done
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }

    fn fail(&self, failure: StoreError) {
        self.answer(Err(E::from(failure)));
    }
}
