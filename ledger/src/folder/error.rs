//! Why a ledger can't be opened.

use std::io;
use std::path::{Path, PathBuf};

use crate::store::{LedgerId, StoreError};

/// Why a ledger can't be opened. Nothing was changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Another process has the ledger open.
    #[error("{path} is held by another process; stop that one first")]
    Busy { path: PathBuf },
    /// The folder can't be used now: not mounted, read-only, full, not ours.
    #[error(
        "{action} {path} failed: {reason}; make the folder readable and writable for this user, with space left"
    )]
    Unavailable {
        action: &'static str,
        path: PathBuf,
        kind: io::ErrorKind,
        reason: String,
    },
    /// Marker, `CURRENT` and store belong together, and one of them is missing.
    #[error(
        "{missing} is missing although {found} exists; restore the whole data folder from one \
         backup (or, if the volume is not mounted, mount it); to begin with an empty ledger, move \
         the data folder away"
    )]
    Incomplete { missing: PathBuf, found: PathBuf },
    /// The store belongs to another ledger than the marker.
    #[error(
        "{marker} names ledger {expected}, but {store} holds ledger {found}; put the store that \
         belongs to the marker back, both from one backup"
    )]
    Mismatch {
        marker: PathBuf,
        expected: LedgerId,
        store: PathBuf,
        found: LedgerId,
    },
    /// What is there can't be read as what it should be.
    #[error("{path} is damaged: {reason}; restore the data folder from a backup")]
    Damaged { path: PathBuf, reason: String },
}

impl OpenError {
    /// 75: the same start may work later. 74: it will not without a repair.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Busy { .. } | Self::Unavailable { .. } => 75,
            Self::Incomplete { .. } | Self::Mismatch { .. } | Self::Damaged { .. } => 74,
        }
    }

    pub(super) fn io(action: &'static str, path: &Path, error: &io::Error) -> Self {
        let (kind, reason) = (error.kind(), error.to_string());
        Self::Unavailable {
            action,
            path: path.to_owned(),
            kind,
            reason,
        }
    }

    pub(super) fn damaged(path: &Path, reason: &str) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            reason: reason.to_owned(),
        }
    }

    pub(super) fn from_store(path: &Path, error: StoreError) -> Self {
        let (path, reason) = (path.to_owned(), error.to_string());
        match error {
            StoreError::Damaged { reason } => Self::Damaged { path, reason },
            StoreError::Blob { path } => Self::Damaged { path, reason },
            StoreError::Io { .. }
            | StoreError::Hung(_)
            | StoreError::Panicked
            | StoreError::Closed => Self::Unavailable {
                action: "opening",
                path,
                kind: io::ErrorKind::Other,
                reason,
            },
        }
    }
}
