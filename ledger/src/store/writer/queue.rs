//! What the callers, the writer and the watchdog share.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::slot::{Slot, Waiting};
use super::super::{Batch, CommitError, Durable, Epoch, Key, StoreError, Value};
use super::Page;

/// The most requests in one group, and about the most bytes: bounds what a single sync holds up.
const GROUP_REQUESTS: usize = 512;
const GROUP_BYTES: usize = 8 << 20;

pub(super) enum Request {
    Commit(Batch, Arc<Slot<Durable, CommitError>>),
    OpenEpoch(String, Arc<Slot<Epoch, CommitError>>),
    Get(Key, Arc<Slot<Option<Value>, StoreError>>),
    Scan {
        prefix: Key,
        after: Option<Key>,
        limit: usize,
        slot: Arc<Slot<Page, StoreError>>,
    },
}

impl Request {
    fn bytes(&self) -> usize {
        match self {
            Self::Commit(batch, _) => batch.bytes(),
            Self::OpenEpoch(..) | Self::Get(..) | Self::Scan { .. } => 0,
        }
    }
}

pub(super) struct Queue {
    state: Mutex<State>,
    /// For the writer: there is work, or the end.
    work: Condvar,
    /// For the watchdog and for closing: something is open, or the end.
    watch: Condvar,
    deadline: Duration,
}

#[derive(Default)]
struct State {
    requests: VecDeque<Request>,
    /// Everything that may still be unanswered, oldest first.
    open: VecDeque<(Instant, Arc<dyn Waiting>)>,
    /// Whether the watchdog sleeps towards a due time; if not it must be woken.
    armed: bool,
    failure: Option<StoreError>,
    closed: bool,
    ended: bool,
}

impl State {
    fn forget_answered(&mut self) {
        while self
            .open
            .front()
            .is_some_and(|(_, waiting)| waiting.is_answered())
        {
            self.open.pop_front();
        }
    }
}

/// The monotonic clock of the deadline.
#[expect(
    clippy::disallowed_methods,
    reason = "the deadline guards against a thread that hangs"
)]
fn monotonic() -> Instant {
    Instant::now()
}

impl Queue {
    pub(super) fn new(deadline: Duration) -> Self {
        Self {
            state: Mutex::default(),
            work: Condvar::new(),
            watch: Condvar::new(),
            deadline,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code of others runs under the lock, so the state is whole whatever happened.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a request, or answers it with the failure.
    pub(super) fn push(&self, request: Request, waiting: Arc<dyn Waiting>) {
        let mut state = self.lock();
        if let Some(failure) = state.failure.clone() {
            drop(state);
            return waiting.fail(failure);
        }
        state.forget_answered();
        state.open.push_back((monotonic() + self.deadline, waiting));
        state.requests.push_back(request);
        if !state.armed {
            state.armed = true;
            self.watch.notify_all();
        }
        drop(state);
        self.work.notify_one();
    }

    /// The next group; waits for one. `None`: closed and empty, or failed.
    pub(super) fn take(&self) -> Option<Vec<Request>> {
        let mut state = self.lock();
        while state.requests.is_empty() && !state.closed && state.failure.is_none() {
            state = self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.failure.is_some() || state.requests.is_empty() {
            return None;
        }
        let mut bytes = 0;
        let mut group = Vec::new();
        while group.len() < GROUP_REQUESTS {
            let Some(request) = state.requests.front() else {
                break;
            };
            bytes += request.bytes();
            if bytes > GROUP_BYTES && !group.is_empty() {
                break;
            }
            group.extend(state.requests.pop_front());
        }
        Some(group)
    }

    pub(super) fn failure(&self) -> Option<StoreError> {
        self.lock().failure.clone()
    }

    /// Finishes the store, if it isn't, and answers all that is open.
    pub(super) fn fail(&self, failure: StoreError) {
        let mut state = self.lock();
        let failure = state.failure.get_or_insert(failure).clone();
        let open = std::mem::take(&mut state.open);
        let requests = std::mem::take(&mut state.requests);
        drop(state);
        self.work.notify_all();
        self.watch.notify_all();
        tracing::error!(error = %failure, unanswered = requests.len(), "the store is finished");
        for (_, waiting) in open {
            waiting.fail(failure.clone());
        }
    }

    /// The writer's last word.
    pub(super) fn writer_ended(&self) {
        let mut state = self.lock();
        state.ended = true;
        state.failure.get_or_insert(StoreError::Closed);
        drop(state);
        self.watch.notify_all();
    }

    /// Nothing comes any more: the writer ends when the queue is empty.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.work.notify_all();
    }

    /// Waits for the writer's end, at most for the deadline.
    pub(super) fn wait_for_end(&self) {
        let state = self.lock();
        let running = |state: &mut State| !state.ended;
        drop(self.watch.wait_timeout_while(state, self.deadline, running));
    }

    /// Sleeps until a request is overdue (true) or the writer has ended (false).
    pub(super) fn wait_for_overdue(&self) -> bool {
        let mut state = self.lock();
        loop {
            if state.ended || state.failure.is_some() {
                return false;
            }
            state.forget_answered();
            let Some((due, _)) = state.open.front() else {
                state.armed = false;
                state = self
                    .watch
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = due.saturating_duration_since(monotonic());
            if left.is_zero() {
                return true;
            }
            let woken = self.watch.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn deadline(&self) -> Duration {
        self.deadline
    }
}
