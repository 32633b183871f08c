//! One account of the gateway: its adapter, its renderer, its access rules.

use std::sync::{Arc, PoisonError, RwLock};

use talaria_contract::Adapter;
use talaria_core::access::AccessTable;
use talaria_types::{AccountId, Renderer};

/// What composition gives for an account.
pub struct AccountSettings {
    pub account: AccountId,
    /// The name in the configuration, for people.
    pub name: String,
    pub adapter: Arc<dyn Adapter>,
    pub renderer: Arc<dyn Renderer>,
    pub access: AccessTable,
}

/// An account that runs.
#[derive(Clone)]
pub struct Account {
    pub id: AccountId,
    pub name: String,
    pub adapter: Arc<dyn Adapter>,
    pub renderer: Arc<dyn Renderer>,
    access: Arc<RwLock<AccessTable>>,
}

impl Account {
    #[must_use]
    pub fn new(settings: AccountSettings) -> Self {
        Self {
            id: settings.account,
            name: settings.name,
            adapter: settings.adapter,
            renderer: settings.renderer,
            access: Arc::new(RwLock::new(settings.access)),
        }
    }

    /// The rules as they are now.
    #[must_use]
    pub fn access(&self) -> AccessTable {
        self.access
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Changes the rules for everything that is decided from now on.
    pub fn change_access(&self, change: impl FnOnce(&mut AccessTable)) {
        change(&mut self.access.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Asks the rules without copying them.
    pub fn with_access<T>(&self, ask: impl FnOnce(&AccessTable) -> T) -> T {
        ask(&self.access.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
