//! The state behind its lock, and the signal that it changed.

use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use super::state::State;
use crate::clock::{Clock, Now};

#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    version: watch::Sender<u64>,
    pub(crate) clock: Clock,
}

impl Shared {
    pub(crate) fn new(state: State) -> Self {
        Self {
            state: Mutex::new(state),
            version: watch::channel(0).0,
            clock: Clock::default(),
        }
    }

    /// Works on the state and tells everybody who waits.
    pub(crate) fn change<R>(&self, work: impl FnOnce(&mut State, Now) -> R) -> R {
        let result = self.look(work);
        self.version.send_modify(|version| *version += 1);
        result
    }

    /// Works on the state without telling anybody.
    pub(crate) fn look<R>(&self, work: impl FnOnce(&mut State, Now) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut state, self.clock.now())
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}
