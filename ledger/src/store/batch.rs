//! One commit's content.

use super::{CommitError, Key, MAX_KEY_BYTES, MAX_VALUE_BYTES, Value};

/// Who owns an account's records now. Scope: store and account. Maker:
/// [`super::Store::open_epoch`]; numbers start at 1 and grow by one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch {
    /// The account's id, or `""` for what belongs to no account.
    pub account: String,
    pub number: u64,
}

/// What a commit is for: decides whether it may go on when space is short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Takes on new work: refused while free space is under the low-water mark.
    Intake,
    /// Settles work that is already taken on: always goes on.
    Settle,
}

/// What must be true of the tree, with the commits before this one applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precondition {
    Absent(Key),
    Present(Key),
    Equals(Key, Value),
}

impl Precondition {
    #[must_use]
    pub fn key(&self) -> &[u8] {
        match self {
            Self::Absent(key) | Self::Present(key) | Self::Equals(key, _) => key,
        }
    }

    /// Whether it is true of the key's value (`None`: absent).
    #[must_use]
    pub fn holds(&self, found: Option<&[u8]>) -> bool {
        match self {
            Self::Absent(_) => found.is_none(),
            Self::Present(_) => found.is_some(),
            Self::Equals(_, value) => found == Some(value.as_slice()),
        }
    }
}

/// One commit: the epoch and all preconditions are checked first, then the puts happen in their
/// order, then the removes; all of it or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    pub epoch: Epoch,
    pub class: Class,
    pub preconditions: Vec<Precondition>,
    /// In order: of two puts of one key the later one stands.
    pub puts: Vec<(Key, Value)>,
    /// After the puts: a key that is put and removed is absent. Removing what is absent is fine.
    pub removes: Vec<Key>,
}

impl Batch {
    /// An empty batch that settles.
    #[must_use]
    pub fn new(epoch: Epoch) -> Self {
        Self {
            epoch,
            class: Class::Settle,
            preconditions: Vec::new(),
            puts: Vec::new(),
            removes: Vec::new(),
        }
    }

    /// An empty batch that takes on new work.
    #[must_use]
    pub fn intake(epoch: Epoch) -> Self {
        Self {
            class: Class::Intake,
            ..Self::new(epoch)
        }
    }

    #[must_use]
    pub fn require(mut self, precondition: Precondition) -> Self {
        self.preconditions.push(precondition);
        self
    }

    #[must_use]
    pub fn put(mut self, key: impl Into<Key>, value: impl Into<Value>) -> Self {
        self.puts.push((key.into(), value.into()));
        self
    }

    #[must_use]
    pub fn remove(mut self, key: impl Into<Key>) -> Self {
        self.removes.push(key.into());
        self
    }

    /// The bytes of its puts and removes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let puts = self.puts.iter().map(|(key, value)| key.len() + value.len());
        puts.chain(self.removes.iter().map(Vec::len)).sum()
    }

    /// Refuses what no store takes.
    pub(super) fn check_size(&self) -> Result<(), CommitError> {
        let preconditions = self.preconditions.iter().map(Precondition::key);
        let puts = self.puts.iter().map(|(key, _)| key.as_slice());
        let removes = self.removes.iter().map(Vec::as_slice);
        let account = std::iter::once(self.epoch.account.as_bytes());
        for key in preconditions.chain(puts).chain(removes).chain(account) {
            if key.len() > MAX_KEY_BYTES {
                return Err(CommitError::TooLong {
                    bytes: key.len(),
                    limit: MAX_KEY_BYTES,
                });
            }
        }
        match self
            .puts
            .iter()
            .find(|(_, value)| value.len() > MAX_VALUE_BYTES)
        {
            Some((_, value)) => Err(CommitError::TooLong {
                bytes: value.len(),
                limit: MAX_VALUE_BYTES,
            }),
            None => Ok(()),
        }
    }
}
