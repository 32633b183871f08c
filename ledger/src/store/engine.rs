//! What the writer needs from an engine. Only the writer's thread ever touches one, so it needs
//! no locks, and a scan is one state of the tree.

use std::collections::BTreeMap;

use super::{Key, Space, StoreError, Value};

/// What a group of commits changes, the later commit over the earlier one.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// `None`: removed.
    pub(super) entries: BTreeMap<Key, Option<Value>>,
    pub(super) epochs: BTreeMap<String, u64>,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.epochs.is_empty()
    }
}

pub(super) trait Engine: Send + 'static {
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StoreError>;

    /// Whether the key has a value; cheaper than reading it.
    fn contains(&self, key: &[u8]) -> Result<bool, StoreError>;

    /// As [`super::Store::scan`].
    fn scan(
        &self,
        prefix: &[u8],
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<(Key, Value)>, StoreError>;

    /// The account's epoch; 0 if it was never opened.
    fn epoch(&self, account: &str) -> Result<u64, StoreError>;

    fn space(&self) -> Result<Space, StoreError>;

    /// Writes all changes as one atomic batch. Durable only after [`Engine::sync`].
    fn apply(&mut self, changes: &Changes) -> Result<(), StoreError>;

    /// Makes everything applied durable, and checks that it is.
    fn sync(&mut self) -> Result<(), StoreError>;
}
