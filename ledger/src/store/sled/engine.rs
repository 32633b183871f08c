//! The engine under the writer.

use std::fs::File;
use std::ops::Bound;
use std::path::Path;

use sled::{Db, IVec};

use super::super::chunks::{self, Head};
use super::super::engine::{Changes, Engine};
use super::super::{Key, LedgerId, MAX_PAGE_BYTES, Space, StoreError, Value};
use super::{Place, io};

pub(super) struct SledEngine {
    db: Db,
    /// A handle of our own on sled's log, for the sync that sled leaves out.
    log: File,
    place: Place,
}

impl SledEngine {
    pub(super) fn open(
        place: Place,
        cache_bytes: u64,
        fresh: Option<LedgerId>,
    ) -> Result<(Self, LedgerId), StoreError> {
        if place.blobs().exists() {
            // Before sled: it tidies away some of them when it opens.
            place.no_blobs()?;
        }
        let db = sled::Config::new()
            .path(&place.path)
            .cache_capacity(cache_bytes)
            .flush_every_ms(None)
            .open()
            .map_err(|error| engine("opening the store", &error))?;
        let log = File::open(place.db()).map_err(|error| io("opening the log", &error))?;
        let mut this = Self { db, log, place };
        let id = this.identify(fresh)?;
        this.place.no_blobs()?;
        Ok((this, id))
    }

    /// Reads the ledger's id, or writes it into a store that is being made.
    fn identify(&mut self, fresh: Option<LedgerId>) -> Result<LedgerId, StoreError> {
        let key = chunks::meta_key("id", "");
        if let Some(record) = self.read(&key)? {
            let id = <[u8; 16]>::try_from(record.as_ref());
            return id
                .map(LedgerId)
                .map_err(|_| chunks::damaged("its id has the wrong length"));
        }
        let Some(id) = fresh else {
            return Err(chunks::damaged("it has no id: it is empty"));
        };
        self.db
            .insert(key, id.0.as_slice())
            .map_err(|error| engine("writing the id", &error))?;
        self.sync()?;
        // sled syncs neither its settings nor the entries of its folders.
        let path = self.place.path.clone();
        for made in [path.join("conf"), path.join("db"), path.join("blobs"), path] {
            sync_all(&made)?;
        }
        Ok(id)
    }

    fn read(&self, key: &[u8]) -> Result<Option<IVec>, StoreError> {
        self.db
            .get(key)
            .map_err(|error| engine("reading a record", &error))
    }

    fn value(&self, key: &[u8], head: &[u8]) -> Result<Value, StoreError> {
        let large = match chunks::read_head(head)? {
            Head::Small(value) => return Ok(value.to_vec()),
            Head::Large(large) => large,
        };
        let mut value = Vec::with_capacity(large.length);
        for number in 0..large.chunks {
            let chunk = self.read(&chunks::chunk_key(key, number))?;
            value.extend_from_slice(&chunk.ok_or_else(|| chunks::damaged("a chunk is missing"))?);
        }
        large.check(&value)?;
        Ok(value)
    }
}

impl Engine for SledEngine {
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StoreError> {
        let head = self.read(&chunks::head_key(key))?;
        head.map(|head| self.value(key, &head)).transpose()
    }

    fn contains(&self, key: &[u8]) -> Result<bool, StoreError> {
        Ok(self.read(&chunks::head_key(key))?.is_some())
    }

    fn scan(
        &self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<(Key, Value)>, StoreError> {
        let start = match after {
            Some(after) if after >= prefix => Bound::Excluded(chunks::head_key(after)),
            Some(_) | None => Bound::Included(chunks::head_key(prefix)),
        };
        let mut page = Vec::new();
        let mut bytes = 0;
        for entry in self.db.range((start, Bound::Excluded(chunks::heads_end()))) {
            let (key, head) = entry.map_err(|error| engine("reading a page", &error))?;
            let key = chunks::user_key(&key);
            if page.len() >= limit || !key.starts_with(prefix) {
                break;
            }
            let value = self.value(key, &head)?;
            bytes += key.len() + value.len();
            if bytes > MAX_PAGE_BYTES && !page.is_empty() {
                break;
            }
            page.push((key.to_vec(), value));
        }
        Ok(page)
    }

    fn epoch(&self, account: &str) -> Result<u64, StoreError> {
        match self.read(&chunks::meta_key("epoch", account))? {
            None => Ok(0),
            Some(record) => <[u8; 8]>::try_from(record.as_ref())
                .map(u64::from_be_bytes)
                .map_err(|_| chunks::damaged("an epoch has the wrong length")),
        }
    }

    fn space(&self) -> Result<Space, StoreError> {
        self.place.space()
    }

    fn apply(&mut self, changes: &Changes) -> Result<(), StoreError> {
        let mut batch = sled::Batch::default();
        for (key, change) in &changes.entries {
            let head_key = chunks::head_key(key);
            let old = match self.read(&head_key)? {
                Some(head) => Some(chunks::read_head(&head)?.chunks()),
                None => None,
            };
            let mut written = 0;
            match change {
                Some(value) => {
                    let split = chunks::split(value);
                    for chunk in split.chunks {
                        batch.insert(chunks::chunk_key(key, written), chunk);
                        written += 1;
                    }
                    batch.insert(head_key, split.head);
                }
                None if old.is_some() => batch.remove(head_key),
                None => {}
            }
            for number in written..old.unwrap_or(0) {
                batch.remove(chunks::chunk_key(key, number));
            }
        }
        for (account, number) in &changes.epochs {
            batch.insert(chunks::meta_key("epoch", account), &number.to_be_bytes());
        }
        self.db
            .apply_batch(batch)
            .map_err(|error| engine("writing a batch", &error))
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        self.db
            .flush()
            .map_err(|error| engine("flushing the log", &error))?;
        self.log
            .sync_data()
            .map_err(|error| io("syncing the log", &error))?;
        self.place.no_blobs()
    }
}

fn sync_all(path: &Path) -> Result<(), StoreError> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| io("syncing a new file", &error))
}

fn engine(action: &'static str, error: &sled::Error) -> StoreError {
    match error {
        sled::Error::Io(error) => io(action, error),
        // One of its I/O threads is gone; the files may be whole.
        sled::Error::ReportableBug(reason) => StoreError::Io {
            action,
            reason: reason.clone(),
        },
        // Unsupported: the files are of another version or have other settings than ours.
        sled::Error::Corruption { .. }
        | sled::Error::CollectionNotFound(_)
        | sled::Error::Unsupported(_) => chunks::damaged(&format!("{action}: {error}")),
    }
}
