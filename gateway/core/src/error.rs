//! What can go wrong in pure code: the ledger's records.

/// An error of the machines. Each is final for the process: the ledger can't be trusted or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the ledger holds a record that this build can't use")]
    Record(#[from] talaria_ledger::record::RecordError),
    #[error("the ledger's store failed")]
    Store(#[from] talaria_ledger::store::StoreError),
}
