//! The one writer thread and its watchdog.
//!
//! Requests queue up. The writer takes what is queued, judges it as one group, applies the group
//! as one batch, syncs once, then answers everyone, the refused too: a duplicate's refusal rests
//! on the commit that it duplicates. Reads of the group come after its sync. A lone commit finds
//! an idle writer and goes at once.
//!
//! The first failure is final: an engine error, a panic, or a request that is open longer than
//! the deadline. Then everything open and everything later answers that failure. The watchdog
//! answers in the writer's stead, so an engine that hangs can't hold a caller.

mod queue;
mod watchdog;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use self::queue::{Queue, Request};
use super::engine::Engine;
use super::group::Group;
use super::slot::Slot;
use super::{Batch, CommitError, Done, Durable, Epoch, Key, StoreError, Value};

/// A page, as an answer.
type Page = Vec<(Key, Value)>;

pub(super) struct Writer {
    queue: Arc<Queue>,
    thread: thread::ThreadId,
}

impl Writer {
    /// Starts the two threads. A request without an answer after `deadline` finishes the store.
    pub(super) fn start(engine: impl Engine, deadline: Duration) -> Result<Self, StoreError> {
        let queue = Arc::new(Queue::new(deadline));
        let failed = |error: std::io::Error| StoreError::Io {
            action: "starting the store's threads",
            reason: error.to_string(),
        };
        let writer = Arc::clone(&queue);
        let handle = thread::Builder::new()
            .name("ledger-writer".to_owned())
            .spawn(move || run(&writer, engine))
            .map_err(failed)?;
        // From here on a failure drops `this`, which ends the writer.
        let this = Self {
            queue: Arc::clone(&queue),
            thread: handle.thread().id(),
        };
        thread::Builder::new()
            .name("ledger-watchdog".to_owned())
            .spawn(move || watchdog::run(&queue))
            .map_err(failed)?;
        Ok(this)
    }

    pub(super) fn submit(&self, batch: Batch, done: Done) {
        if let Err(error) = batch.check_size() {
            return done(Err(error));
        }
        let slot = Arc::new(Slot::new(done));
        self.queue
            .push(Request::Commit(batch, Arc::clone(&slot)), slot);
    }

    pub(super) fn open_epoch(&self, account: &str) -> Result<Epoch, CommitError> {
        Batch::new(Epoch {
            account: account.to_owned(),
            number: 0,
        })
        .check_size()?;
        self.ask(|slot| Request::OpenEpoch(account.to_owned(), slot))
    }

    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Value>, StoreError> {
        self.ask(|slot| Request::Get(key.to_vec(), slot))
    }

    pub(super) fn scan(
        &self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        self.ask(|slot| Request::Scan {
            prefix: prefix.to_vec(),
            after: after.map(<[u8]>::to_vec),
            limit,
            slot,
        })
    }

    pub(super) fn failure(&self) -> Option<StoreError> {
        self.queue.failure()
    }

    /// Queues a request and waits for its answer.
    fn ask<V: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        request: impl FnOnce(Arc<Slot<V, E>>) -> Request,
    ) -> Result<V, E> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let slot = Arc::new(Slot::new(Box::new(move |result| {
            // The receiver waits below for as long as the sender lives.
            drop(sender.send(result));
        })));
        self.queue.push(request(Arc::clone(&slot)), slot);
        receiver
            .recv()
            .unwrap_or_else(|_| Err(E::from(StoreError::Closed)))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.close();
        // What is queued is still committed; a hung engine is left behind after the deadline. An
        // answer that owned the store drops it on the writer's own thread: nothing to wait for.
        if thread::current().id() != self.thread {
            self.queue.wait_for_end();
        }
    }
}

/// The writer thread: until the queue is closed and empty, or the first failure.
fn run(queue: &Queue, engine: impl Engine) {
    // The engine goes down inside: its own closing may panic too.
    let outcome = catch_unwind(AssertUnwindSafe(move || {
        let mut engine = engine;
        while let Some(requests) = queue.take() {
            write_group(&mut engine, requests)?;
        }
        Ok(())
    }));
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(failure)) => queue.fail(failure),
        Err(_panic) => queue.fail(StoreError::Panicked),
    }
    queue.writer_ended();
}

/// What was judged and waits for the sync.
enum Judged {
    Commit(Arc<Slot<Durable, CommitError>>, Result<(), CommitError>),
    Epoch(Arc<Slot<Epoch, CommitError>>, Epoch),
}

/// One group: judge, apply, sync, answer, then read. After an error everything unanswered is
/// answered with it by the queue.
fn write_group<E: Engine>(engine: &mut E, requests: Vec<Request>) -> Result<(), StoreError> {
    let mut group = Group::default();
    let mut judged = Vec::with_capacity(requests.len());
    let mut reads = Vec::new();
    for request in requests {
        match request {
            Request::Commit(batch, slot) => match group.commit(engine, batch) {
                Err(CommitError::Failed(failure)) => return Err(failure),
                verdict => judged.push(Judged::Commit(slot, verdict)),
            },
            Request::OpenEpoch(account, slot) => {
                let epoch = group.open_epoch(engine, account)?;
                judged.push(Judged::Epoch(slot, epoch));
            }
            Request::Get(..) | Request::Scan { .. } => reads.push(request),
        }
    }
    if !group.changes().is_empty() {
        engine.apply(group.changes())?;
        engine.sync()?;
    }
    for verdict in judged {
        match verdict {
            Judged::Commit(slot, verdict) => slot.answer(verdict.map(|()| Durable::new())),
            Judged::Epoch(slot, epoch) => slot.answer(Ok(epoch)),
        }
    }
    for read in reads {
        match read {
            Request::Get(key, slot) => slot.answer(Ok(engine.get(&key)?)),
            Request::Scan {
                prefix,
                after,
                limit,
                slot,
            } => {
                slot.answer(Ok(engine.scan(&prefix, after.as_deref(), limit)?));
            }
            Request::Commit(..) | Request::OpenEpoch(..) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
