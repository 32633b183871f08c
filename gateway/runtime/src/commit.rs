//! The choke point of the ledger: every commit of the gateway passes here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use talaria_ledger::Changes;
use talaria_ledger::store::{Batch, Class, CommitError, Epoch, Store, StoreError};
use talaria_types::crash::{self, Choke, CommitKind, Side};
use talaria_types::{AccountId, Seq};
use tokio::sync::{oneshot, watch};
use tracing::error;

use crate::Error;

/// The ledger of this process: the store, the epochs under which it owns its accounts, and the
/// sequence.
#[derive(Clone)]
pub struct Ledger(Arc<Inner>);

struct Inner {
    store: Arc<dyn Store>,
    epochs: BTreeMap<AccountId, Epoch>,
    /// `epoch << 32 | counter` of each account: grows over restarts without being stored.
    sequences: BTreeMap<AccountId, AtomicU64>,
    /// P11: set once, when the ledger failed.
    failed: watch::Sender<Option<String>>,
}

impl Ledger {
    /// Takes `accounts` over: every older process is fenced off.
    ///
    /// # Errors
    /// The store's.
    pub fn open(store: Arc<dyn Store>, accounts: &[AccountId]) -> Result<Self, CommitError> {
        let mut epochs = BTreeMap::new();
        let mut sequences = BTreeMap::new();
        for account in accounts {
            let epoch = store.open_epoch(account.as_str())?;
            sequences.insert(account.clone(), AtomicU64::new(epoch.number << 32));
            epochs.insert(account.clone(), epoch);
        }
        let failed = watch::Sender::new(None);
        Ok(Self(Arc::new(Inner {
            store,
            epochs,
            sequences,
            failed,
        })))
    }

    /// The next number in an account's order.
    #[must_use]
    pub fn next_seq(&self, account: &AccountId) -> Seq {
        let next = self
            .0
            .sequences
            .get(account)
            .map(|seq| seq.fetch_add(1, Ordering::Relaxed) + 1);
        Seq(next.unwrap_or_default())
    }

    #[must_use]
    pub fn epoch(&self, account: &AccountId) -> u64 {
        self.0.epochs.get(account).map_or(0, |epoch| epoch.number)
    }

    /// For reads. Commits go through [`Ledger::commit`] only.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.0.store
    }

    /// Says when the ledger failed (P11), with the reason.
    #[must_use]
    pub fn failure(&self) -> watch::Receiver<Option<String>> {
        self.0.failed.subscribe()
    }

    /// Commits, and returns when it is durable. Any error but a conflict and a full disk at intake
    /// is final for the process.
    ///
    /// # Errors
    /// [`Error::Commit`].
    pub async fn commit(&self, kind: CommitKind, changes: Changes) -> Result<(), Error> {
        crash::pass(Choke::Commit(kind), Side::Before);
        let Some(epoch) = self.0.epochs.get(&changes.account) else {
            return Err(Error::NoAccount {
                account: changes.account,
            });
        };
        let batch = Batch {
            epoch: epoch.clone(),
            class: if kind == CommitKind::Accept {
                Class::Intake
            } else {
                Class::Settle
            },
            preconditions: changes.preconditions,
            puts: changes.puts,
            removes: changes.removes,
        };
        let (done, answer) = oneshot::channel();
        #[expect(clippy::disallowed_methods, reason = "this is the one choke point")]
        self.0.store.submit(
            batch,
            Box::new(move |result| {
                // The waiter may be gone; the commit stands all the same.
                let _gone = done.send(result);
            }),
        );
        let result = answer
            .await
            .unwrap_or(Err(CommitError::Failed(StoreError::Closed)));
        crash::pass(Choke::Commit(kind), Side::After);
        match result {
            Ok(_durable) => Ok(()),
            Err(source) => {
                if is_final(kind, &source) {
                    self.fail(&source.to_string());
                }
                Err(Error::Commit { kind, source })
            }
        }
    }

    /// Marks the ledger as failed.
    pub fn fail(&self, reason: &str) {
        self.0.failed.send_if_modified(|failed| {
            let first = failed.is_none();
            if first {
                error!(
                    reason,
                    "the ledger failed; nothing more is accepted or sent"
                );
                *failed = Some(reason.to_owned());
            }
            first
        });
    }
}

/// Intake may be refused for want of space, and may lose a race against another delivery of the
/// same event. Everything else means that the ledger can't be trusted any more.
fn is_final(kind: CommitKind, error: &CommitError) -> bool {
    match error {
        CommitError::Failed(_) | CommitError::Fenced { .. } => true,
        CommitError::Conflict { .. } => kind != CommitKind::Accept && kind != CommitKind::Pairing,
        _ => kind != CommitKind::Accept,
    }
}
