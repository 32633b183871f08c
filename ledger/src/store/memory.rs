//! The store in memory: the oracle of the conformance suite and the ledger of the simulation.
//! No threads, no clock: `submit` answers before it returns.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{
    Batch, Class, CommitError, Done, Durable, Epoch, Key, LedgerId, MAX_PAGE_BYTES, Space, Store,
    StoreError, Value,
};

/// All that survives a crash of a [`MemoryStore`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryState {
    pub id: LedgerId,
    pub entries: BTreeMap<Key, Value>,
    pub epochs: BTreeMap<String, u64>,
}

/// An ordered map behind a lock. A crash is [`MemoryStore::state`] taken at the crash point and
/// [`MemoryStore::from_state`] at the restart.
#[derive(Debug)]
pub struct MemoryStore {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: MemoryState,
    space: Space,
    failure: Option<StoreError>,
}

impl MemoryStore {
    #[must_use]
    pub fn new(id: LedgerId) -> Self {
        Self::from_state(MemoryState {
            id,
            entries: BTreeMap::new(),
            epochs: BTreeMap::new(),
        })
    }

    /// The store as a restart finds it.
    #[must_use]
    pub fn from_state(state: MemoryState) -> Self {
        let space = Space {
            free: u64::MAX,
            low_water: 0,
            used: 0,
        };
        Self {
            inner: Mutex::new(Inner {
                state,
                space,
                failure: None,
            }),
        }
    }

    /// A copy of what is durable now.
    #[must_use]
    pub fn state(&self) -> MemoryState {
        self.lock().state.clone()
    }

    /// Sets what the disk is said to have left.
    pub fn set_space(&self, space: Space) {
        self.lock().space = space;
    }

    /// Finishes the store: every later commit and read answers `failure`.
    pub fn fail(&self, failure: StoreError) {
        self.lock().failure.get_or_insert(failure);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every change below is complete before anything can panic.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn alive(&self) -> Result<(), StoreError> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    fn commit(&mut self, batch: Batch) -> Result<Durable, CommitError> {
        self.alive().map_err(CommitError::Failed)?;
        batch.check_size()?;
        let Epoch { account, number } = batch.epoch;
        let current = self.state.epochs.get(&account).copied().unwrap_or(0);
        if number == 0 || number != current {
            return Err(CommitError::Fenced {
                account,
                number,
                current,
            });
        }
        if batch.class == Class::Intake && !self.space.ok() {
            let Space {
                free, low_water, ..
            } = self.space;
            return Err(CommitError::LowSpace { free, low_water });
        }
        let entries = &mut self.state.entries;
        for precondition in &batch.preconditions {
            if !precondition.holds(entries.get(precondition.key()).map(Vec::as_slice)) {
                return Err(CommitError::Conflict {
                    key: precondition.key().to_vec(),
                });
            }
        }
        entries.extend(batch.puts);
        for key in &batch.removes {
            entries.remove(key);
        }
        Ok(Durable::new())
    }
}

impl Store for MemoryStore {
    fn submit(&self, batch: Batch, done: Done) {
        let result = self.lock().commit(batch);
        done(result);
    }

    fn get(&self, key: &[u8]) -> Result<Option<Value>, StoreError> {
        let inner = self.lock();
        inner.alive()?;
        Ok(inner.state.entries.get(key).cloned())
    }

    fn scan(
        &self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<(Key, Value)>, StoreError> {
        let inner = self.lock();
        inner.alive()?;
        let start = match after {
            Some(after) if after >= prefix => Bound::Excluded(after),
            Some(_) | None => Bound::Included(prefix),
        };
        let range = inner
            .state
            .entries
            .range::<[u8], _>((start, Bound::Unbounded));
        let mut page = Vec::new();
        let mut bytes = 0;
        for (key, value) in range
            .take_while(|(key, _)| key.starts_with(prefix))
            .take(limit)
        {
            bytes += key.len() + value.len();
            if bytes > MAX_PAGE_BYTES && !page.is_empty() {
                break;
            }
            page.push((key.clone(), value.clone()));
        }
        Ok(page)
    }

    fn open_epoch(&self, account: &str) -> Result<Epoch, CommitError> {
        let mut inner = self.lock();
        inner.alive().map_err(CommitError::Failed)?;
        Batch::new(Epoch {
            account: account.to_owned(),
            number: 0,
        })
        .check_size()?;
        let number = inner.state.epochs.entry(account.to_owned()).or_insert(0);
        *number += 1;
        Ok(Epoch {
            account: account.to_owned(),
            number: *number,
        })
    }

    fn ledger_id(&self) -> LedgerId {
        self.lock().state.id
    }

    fn space(&self) -> Result<Space, StoreError> {
        Ok(self.lock().space)
    }

    fn failure(&self) -> Option<StoreError> {
        self.lock().failure.clone()
    }
}
