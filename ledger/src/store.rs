//! The store: bytes under keys, committed in atomic batches. Knows nothing of records.
//!
//! One commit is one [`Batch`]: preconditions, puts and removes that happen together or not at
//! all. A commit is answered when it is durable, never before; a read is ordered behind every
//! commit that was submitted before it and sees durable state only.

pub mod batch;
mod chunks;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod engine;
pub mod error;
mod group;
pub mod memory;
pub mod sled;
mod slot;
mod writer;

use std::fmt;
use std::sync::mpsc;

pub use self::sled::{SledOptions, SledStore};
pub use batch::{Batch, Class, Epoch, Precondition};
pub use error::{CommitError, StoreError};
pub use memory::MemoryStore;

/// A key. Starts with the account id where it belongs to one; at most [`MAX_KEY_BYTES`].
pub type Key = Vec<u8>;
/// A value of any size up to [`MAX_VALUE_BYTES`].
pub type Value = Vec<u8>;
/// What a commit's submitter is told, once.
pub type Done = Box<dyn FnOnce(Result<Durable, CommitError>) + Send>;

/// The longest key, in bytes: what keeps the largest index page of the embedded engine under its
/// limit for one log message. Longer ids go into a key as a hash.
pub const MAX_KEY_BYTES: usize = 320;
/// The longest value, in bytes (16 MiB). Files are not values: their bytes are files.
pub const MAX_VALUE_BYTES: usize = 16 << 20;
/// The most that one page of a scan returns, in bytes of keys and values (4 MiB), however high
/// its limit is. A page has at least one entry if there is one.
pub const MAX_PAGE_BYTES: usize = 4 << 20;

/// Proof that a commit is durable. Only a store makes one.
#[derive(Debug, PartialEq, Eq)]
pub struct Durable {
    _private: (),
}

impl Durable {
    fn new() -> Self {
        Self { _private: () }
    }
}

/// The ledger's identity: 16 random bytes, made once with the ledger and the same in every copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LedgerId(pub [u8; 16]);

impl LedgerId {
    /// The first four bytes: the ledger's share of a wire key.
    #[must_use]
    pub fn short(&self) -> [u8; 4] {
        let [a, b, c, d, ..] = self.0;
        [a, b, c, d]
    }
}

impl fmt::Display for LedgerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The disk under the store, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// What a process without privileges may still write.
    pub free: u64,
    /// The low-water mark: below it, commits of [`Class::Intake`] are refused.
    pub low_water: u64,
    /// What the store itself occupies.
    pub used: u64,
}

impl Space {
    /// Whether intake may go on.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.free >= self.low_water
    }
}

/// An ordered map of bytes with atomic, durable commits. Synchronous and object-safe; the crate's
/// conformance suite says what an implementation owes.
pub trait Store: Send + Sync {
    /// Hands in a commit. `done` is called exactly once, with [`Durable`] only after the batch
    /// survives a crash; from whatever thread the store has, and before `submit` returns if it
    /// has none. It must be quick and must not call the store. A commit without an answer within
    /// the store's deadline (5 s) is answered [`CommitError::Failed`], and the store is finished.
    ///
    /// The queue is as long as there are callers: each waits for its own commit.
    fn submit(&self, batch: Batch, done: Done);

    /// The value under `key`, durable and behind every commit submitted before. Blocks, at most
    /// for the store's deadline.
    ///
    /// # Errors
    /// Any error is final for the process.
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StoreError>;

    /// A page of the entries whose keys start with `prefix`, ascending, behind `after` if given
    /// (exclusive; it need not exist), at most `limit` entries and [`MAX_PAGE_BYTES`]. A page is
    /// one state of the store; two pages need not be. An empty page is the end.
    ///
    /// # Errors
    /// Any error is final for the process.
    fn scan(
        &self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<(Key, Value)>, StoreError>;

    /// Takes the account over: increments its epoch durably and returns it. Every later commit
    /// under an older epoch of the account is refused. `""` is the owner of what belongs to no
    /// account.
    ///
    /// # Errors
    /// [`CommitError::Failed`], final for the process.
    fn open_epoch(&self, account: &str) -> Result<Epoch, CommitError>;

    /// The ledger that this store holds.
    fn ledger_id(&self) -> LedgerId;

    /// The space that is left and used.
    ///
    /// # Errors
    /// When the file system does not answer.
    fn space(&self) -> Result<Space, StoreError>;

    /// Why the store is finished, if it is: every commit and read answers this from then on.
    fn failure(&self) -> Option<StoreError>;
}

/// Commits and waits for the answer.
///
/// # Errors
/// The commit's own; [`StoreError::Closed`] if the store went away without answering.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the blocking form of the same choke point"
)]
pub fn commit_blocking(store: &dyn Store, batch: Batch) -> Result<Durable, CommitError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    store.submit(
        batch,
        Box::new(move |result| {
            // The receiver waits below for as long as the sender lives.
            drop(sender.send(result));
        }),
    );
    receiver
        .recv()
        .unwrap_or(Err(CommitError::Failed(StoreError::Closed)))
}

#[cfg(test)]
mod tests;
