//! The store on sled 0.34.7, in the one form of it that keeps its promises on Linux:
//!
//! - one tree, so that one `apply_batch` is one atomic commit; only the writer thread touches it;
//! - one synchronous `flush()` per group (`flush_async` deadlocks under load), then an own
//!   `sync_data()` on `<path>/db`, because sled's flush ends in `sync_file_range`, which neither
//!   empties the drive's cache nor writes the file's metadata;
//! - no record over 4 KiB: a log message over 128 KiB goes into a file of its own under
//!   `blobs/`, which no sync covers. Leaf pages hold up to 16 records (and up to 19 for a moment,
//!   when pages merge), index pages up to about 320 keys. A file there ends the store before the
//!   commit that made it is acknowledged;
//! - its background flusher off: nothing is written behind the writer's back.

mod engine;

use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use self::engine::SledEngine;
use super::writer::Writer;
use super::{Batch, CommitError, Done, Epoch, Key, LedgerId, Space, Store, StoreError, Value};

/// How a sled store runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SledOptions {
    /// sled's page cache, in bytes. A goal, not a bound: up to 64 accesses of each of its 256
    /// shards wait before it evicts anything (see "The store" in DESIGN.md).
    pub cache_bytes: u64,
    /// Free space under this many bytes stops intake.
    pub low_water_bytes: u64,
    /// A request without an answer for this long finishes the store.
    pub deadline: Duration,
}

impl Default for SledOptions {
    fn default() -> Self {
        Self {
            cache_bytes: 8 << 20,
            low_water_bytes: 64 << 20,
            deadline: Duration::from_secs(5),
        }
    }
}

/// The embedded store: a folder with sled's files. Made by [`crate::folder::open`].
pub struct SledStore {
    id: LedgerId,
    place: Place,
    // Before the lock: the writer is gone before another process may come.
    writer: Writer,
    _lock: Option<File>,
}

impl SledStore {
    /// Opens the store at `path`, or makes it. `fresh`: the id that a store without one gets; if
    /// it is `None`, such a store is damage. `lock` is kept for as long as the store lives.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] or [`StoreError::Blob`] for what a restart can't repair, otherwise
    /// what the file system said.
    pub(crate) fn open(
        path: &Path,
        options: SledOptions,
        fresh: Option<LedgerId>,
        lock: Option<File>,
    ) -> Result<Self, StoreError> {
        let place = Place {
            path: path.to_owned(),
            low_water: options.low_water_bytes,
        };
        // sled panics on some damaged files instead of saying so.
        let opened = catch_unwind(AssertUnwindSafe(|| {
            SledEngine::open(place.clone(), options.cache_bytes, fresh)
        }));
        let (engine, id) = match opened {
            Ok(result) => result?,
            Err(_panic) => {
                let reason = "the engine panicked while it opened its files".to_owned();
                return Err(StoreError::Damaged { reason });
            }
        };
        let writer = Writer::start(engine, options.deadline)?;
        Ok(Self {
            id,
            place,
            writer,
            _lock: lock,
        })
    }

    /// The store's folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.place.path
    }
}

impl Store for SledStore {
    fn submit(&self, batch: Batch, done: Done) {
        self.writer.submit(batch, done);
    }

    fn get(&self, key: &[u8]) -> Result<Option<Value>, StoreError> {
        self.writer.get(key)
    }

    fn scan(
        &self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<(Key, Value)>, StoreError> {
        self.writer.scan(prefix, after, limit)
    }

    fn open_epoch(&self, account: &str) -> Result<Epoch, CommitError> {
        self.writer.open_epoch(account)
    }

    fn ledger_id(&self) -> LedgerId {
        self.id
    }

    fn space(&self) -> Result<Space, StoreError> {
        self.place.space()
    }

    fn failure(&self) -> Option<StoreError> {
        self.writer.failure()
    }
}

/// Where the store lies.
#[derive(Clone, Debug)]
struct Place {
    path: PathBuf,
    low_water: u64,
}

impl Place {
    fn db(&self) -> PathBuf {
        self.path.join("db")
    }

    fn blobs(&self) -> PathBuf {
        self.path.join("blobs")
    }

    fn space(&self) -> Result<Space, StoreError> {
        let disk = rustix::fs::statvfs(&self.path)
            .map_err(|errno| io("asking for free space", &errno.into()))?;
        let used = fs::metadata(self.db())
            .map_err(|error| io("reading the size", &error))?
            .len();
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        Ok(Space {
            free,
            low_water: self.low_water,
            used,
        })
    }

    /// Refuses a file in `blobs/`: no sync covers it, so what it holds may be lost.
    fn no_blobs(&self) -> Result<(), StoreError> {
        let blobs = self.blobs();
        let mut entries =
            fs::read_dir(&blobs).map_err(|error| io("looking for stray files", &error))?;
        match entries.next() {
            None => Ok(()),
            Some(Ok(entry)) => Err(StoreError::Blob { path: entry.path() }),
            Some(Err(error)) => Err(io("looking for stray files", &error)),
        }
    }
}

fn io(action: &'static str, error: &std::io::Error) -> StoreError {
    StoreError::Io {
        action,
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests;
