//! Group commit: the commits of a group are judged one after another against the tree overlaid
//! with those before, and become one atomic batch. One that is refused leaves no trace.

use super::engine::{Changes, Engine};
use super::{Batch, Class, CommitError, Epoch, Precondition, Space, StoreError};

#[derive(Debug, Default)]
pub(super) struct Group {
    changes: Changes,
    /// Asked once per group.
    space: Option<Space>,
}

impl Group {
    pub(super) fn changes(&self) -> &Changes {
        &self.changes
    }

    pub(super) fn open_epoch(
        &mut self,
        engine: &impl Engine,
        account: String,
    ) -> Result<Epoch, StoreError> {
        let number = self.epoch(engine, &account)? + 1;
        self.changes.epochs.insert(account.clone(), number);
        Ok(Epoch { account, number })
    }

    /// Judges a commit and takes it in. [`CommitError::Failed`] means that the engine failed.
    pub(super) fn commit(&mut self, engine: &impl Engine, batch: Batch) -> Result<(), CommitError> {
        self.fence(engine, &batch.epoch)?;
        if batch.class == Class::Intake {
            let space = match self.space {
                Some(space) => space,
                None => *self.space.insert(engine.space()?),
            };
            if !space.ok() {
                let Space {
                    free, low_water, ..
                } = space;
                return Err(CommitError::LowSpace { free, low_water });
            }
        }
        for precondition in &batch.preconditions {
            if !self.holds(engine, precondition)? {
                return Err(CommitError::Conflict {
                    key: precondition.key().to_vec(),
                });
            }
        }
        for (key, value) in batch.puts {
            self.changes.entries.insert(key, Some(value));
        }
        for key in batch.removes {
            self.changes.entries.insert(key, None);
        }
        Ok(())
    }

    fn fence(&self, engine: &impl Engine, epoch: &Epoch) -> Result<(), CommitError> {
        // Read from the tree each time: another owner may have moved it on under us.
        let current = self.epoch(engine, &epoch.account)?;
        if epoch.number == 0 || epoch.number != current {
            let Epoch { account, number } = epoch.clone();
            return Err(CommitError::Fenced {
                account,
                number,
                current,
            });
        }
        Ok(())
    }

    fn epoch(&self, engine: &impl Engine, account: &str) -> Result<u64, StoreError> {
        match self.changes.epochs.get(account) {
            Some(number) => Ok(*number),
            None => engine.epoch(account),
        }
    }

    fn holds(&self, engine: &impl Engine, precondition: &Precondition) -> Result<bool, StoreError> {
        if let Some(change) = self.changes.entries.get(precondition.key()) {
            return Ok(precondition.holds(change.as_deref()));
        }
        match precondition {
            Precondition::Absent(key) => Ok(!engine.contains(key)?),
            Precondition::Present(key) => engine.contains(key),
            Precondition::Equals(key, _) => Ok(precondition.holds(engine.get(key)?.as_deref())),
        }
    }
}
