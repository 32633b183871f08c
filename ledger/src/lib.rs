//! The ledger: what the gateway remembers. Records and their transitions above, the store that
//! keeps them below.

pub mod store;
