//! What can go wrong in a store.

use std::path::PathBuf;
use std::time::Duration;

use super::Key;

/// Why a commit did not happen. After anything but [`CommitError::Failed`] nothing of it did, and
/// the store goes on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// A precondition on this key does not hold.
    #[error("a precondition does not hold")]
    Conflict { key: Key },
    /// The account has another owner than the commit's epoch.
    #[error("epoch {number} of account {account:?} is not its current epoch {current}")]
    Fenced {
        account: String,
        number: u64,
        current: u64,
    },
    /// Free space is under the low-water mark, and the commit would take on new work.
    #[error("free space is under the low-water mark: {free} of {low_water} bytes")]
    LowSpace { free: u64, low_water: u64 },
    /// A key or value is longer than a store takes.
    #[error("a key or value has {bytes} bytes, the limit is {limit}")]
    TooLong { bytes: usize, limit: usize },
    /// The store is finished for this process. Whether this commit is in it is known only after
    /// a restart.
    #[error("the store failed")]
    Failed(#[source] StoreError),
}

impl From<StoreError> for CommitError {
    fn from(failure: StoreError) -> Self {
        Self::Failed(failure)
    }
}

/// Why a store is finished. Kept and repeated by the store, so it is cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A commit or read had no answer within the deadline.
    #[error("no answer within {0:?}")]
    Hung(Duration),
    /// The writer thread panicked.
    #[error("the writer panicked")]
    Panicked,
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// The engine or the file system refused.
    #[error("{action} failed: {reason}")]
    Io {
        action: &'static str,
        reason: String,
    },
    /// What was read back is not what was written.
    #[error("the store is damaged: {reason}")]
    Damaged { reason: String },
    /// The engine wrote a file that no sync covers: acknowledged commits could be lost.
    #[error("{path} exists: a record outgrew the engine's log and is not durable there")]
    Blob { path: PathBuf },
}

impl StoreError {
    /// Whether a restart can't help: the data itself is in doubt (exit code 74, not 75).
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Damaged { .. } | Self::Blob { .. } => true,
            Self::Hung(_) | Self::Panicked | Self::Closed | Self::Io { .. } => false,
        }
    }
}
