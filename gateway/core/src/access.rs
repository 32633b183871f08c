//! Who may talk to the agent (P12): deny until allowed.

use std::collections::BTreeSet;

use talaria_types::{Place, UserId};

use crate::context::Access;

/// What happens to people whom no list knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessDefault {
    Deny,
    /// An unknown person gets a pairing code in a private chat; the operator approves it.
    #[default]
    Pair,
    Open,
}

/// The rules of one account.
#[derive(Clone, Debug, Default)]
pub struct AccessTable {
    pub default: AccessDefault,
    pub allow: BTreeSet<UserId>,
    pub admins: BTreeSet<UserId>,
    /// Approved by pairing; from the ledger.
    pub paired: BTreeSet<UserId>,
}

impl AccessTable {
    #[must_use]
    pub fn knows(&self, user: &UserId) -> bool {
        self.allow.contains(user) || self.admins.contains(user) || self.paired.contains(user)
    }
}

impl Access for AccessTable {
    fn allowed(&self, _place: &Place, user: &UserId) -> bool {
        self.default == AccessDefault::Open || self.knows(user)
    }
}
