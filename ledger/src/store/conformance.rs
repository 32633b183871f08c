//! What every store owes, as a suite over a [`Rig`]. A store passes all of it or is not one.
//!
//! The cases panic where a store breaks its word. Crashes are not in here: a kill needs a process
//! of its own (`tests/kill.rs`).

#![expect(
    clippy::disallowed_methods,
    reason = "the suite is below the choke point"
)]

mod commits;
mod reads;

use std::sync::{Arc, mpsc};

use super::{Batch, CommitError, Durable, Epoch, Key, Store, Value, commit_blocking};

/// A store under test.
pub trait Rig {
    /// The store, open. Nobody may keep it over a restart.
    fn store(&self) -> Arc<dyn Store>;
    /// Closes the store and opens the same ledger again.
    fn restart(&mut self);
    /// Closes the store and opens it again with free space under its low-water mark.
    fn restart_short_of_space(&mut self);
}

/// A case of the suite; takes a rig with an empty ledger.
pub type Case = fn(&mut dyn Rig);

/// All cases, by name.
pub const CASES: &[(&str, Case)] = &[
    (
        "a refused commit leaves nothing",
        commits::refused_leaves_nothing,
    ),
    ("preconditions", commits::preconditions),
    ("order inside a batch", commits::order_inside_a_batch),
    (
        "order between queued commits",
        commits::queued_commits_see_each_other,
    ),
    (
        "a refused commit does not harm its neighbours",
        commits::neighbours_of_a_refused_commit,
    ),
    ("epochs", commits::epochs),
    ("epochs survive", commits::epochs_survive),
    (
        "an epoch opened between queued commits",
        commits::epoch_between_queued_commits,
    ),
    ("values of every size", commits::values_of_every_size),
    ("what is too long is refused", commits::too_long_is_refused),
    (
        "low space refuses intake only",
        commits::low_space_refuses_intake_only,
    ),
    ("concurrent counters", commits::concurrent_counters),
    (
        "all is there after a restart",
        reads::all_is_there_after_a_restart,
    ),
    (
        "a read is behind earlier commits",
        reads::behind_earlier_commits,
    ),
    ("pages", reads::pages),
    ("prefix edges", reads::prefix_edges),
    ("a page is one state", reads::a_page_is_one_state),
    (
        "pages are bounded in bytes",
        reads::pages_are_bounded_in_bytes,
    ),
];

/// Runs every case on a rig of its own.
pub fn run_all<R: Rig>(mut make: impl FnMut() -> R) {
    for (name, case) in CASES {
        tracing::info!(case = name, "conformance");
        case(&mut make());
    }
}

#[track_caller]
fn ok<T, E: std::fmt::Debug>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error:?}"),
    }
}

#[track_caller]
fn epoch(store: &dyn Store) -> Epoch {
    ok(store.open_epoch("a"))
}

#[track_caller]
fn commit(store: &dyn Store, batch: Batch) {
    ok(commit_blocking(store, batch));
}

/// Submits all, then waits for all: their answers in order.
fn commit_together(store: &dyn Store, batches: Vec<Batch>) -> Vec<Result<Durable, CommitError>> {
    let answers = batches.into_iter().map(|batch| {
        let (sender, receiver) = mpsc::channel();
        store.submit(batch, Box::new(move |result| ok(sender.send(result))));
        receiver
    });
    let answers: Vec<_> = answers.collect();
    answers.iter().map(|receiver| ok(receiver.recv())).collect()
}

/// Every entry under a prefix, read in pages of `limit`.
#[track_caller]
fn all(store: &dyn Store, prefix: &[u8], limit: usize) -> Vec<(Key, Value)> {
    let mut entries: Vec<(Key, Value)> = Vec::new();
    loop {
        let after = entries.last().map(|(key, _)| key.as_slice());
        let page = ok(store.scan(prefix, after, limit));
        assert!(
            page.len() <= limit,
            "a page of {} for a limit of {limit}",
            page.len()
        );
        if page.is_empty() {
            return entries;
        }
        entries.extend(page);
    }
}

/// `size` bytes that differ from place to place and from seed to seed.
fn value(size: usize, seed: u8) -> Value {
    (0..size).map(|at| (at % 251) as u8 ^ seed).collect()
}
