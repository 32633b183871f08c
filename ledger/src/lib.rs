//! The ledger: what the gateway remembers. Records and their transitions above, the store that
//! keeps them below.

pub mod apply;
pub mod changes;
pub mod folder;
pub mod keys;
pub mod record;
pub mod records;
pub mod store;
pub mod transition;

pub use changes::Changes;
