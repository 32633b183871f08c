//! The pure machines of the gateway: sessions, turns, the presenter, the reconciler and pacing.
//!
//! `now` is an argument, effects are returned in order, nothing here reads a clock, a socket or a
//! random source. `gateway/runtime` carries the effects out; `tests/sim` drives the same code with
//! virtual time. See DESIGN.md.

pub mod access;
pub mod context;
pub mod conversation;
mod error;
pub mod intake;
pub mod io;
mod outbox;
pub mod pacing;
mod presenter;
mod session;
pub mod snapshot;
#[cfg(test)]
mod testing;
mod turn;
pub mod wording;

pub use conversation::Conversation;
pub use error::Error;
