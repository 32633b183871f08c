//! What ends the process, and what an operator's request can run into.

use talaria_ledger::store::{CommitError, StoreError};
use talaria_types::crash::CommitKind;

/// An error with its causes, on one line.
#[must_use]
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// P11: the ledger can't commit. Nothing more is accepted or sent.
    #[error("the ledger could not commit ({kind:?})")]
    Commit {
        kind: CommitKind,
        source: CommitError,
    },
    #[error("the ledger could not be read")]
    Store(#[from] StoreError),
    #[error(transparent)]
    Core(#[from] talaria_core::Error),
    #[error("a record could not be written")]
    Record(#[from] talaria_ledger::record::RecordError),
    /// The same bot identity is configured twice.
    #[error("the account {account} is configured twice: a bot can run once in a gateway")]
    DuplicateAccount { account: talaria_types::AccountId },
    #[error("there is no account {account}")]
    NoAccount { account: talaria_types::AccountId },
    #[error("no pairing request has the code or user {wanted}")]
    NoPairing { wanted: String },
}
