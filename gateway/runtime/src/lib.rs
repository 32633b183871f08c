//! The async drivers around the pure core: what happens, when, and in which task. The path of a
//! message, in order: [`intake`], [`router`], [`session`], [`agent`], [`commit`], [`scheduler`].
//! See DESIGN.md.

pub mod account;
pub mod agent;
pub mod clock;
pub mod commit;
pub mod error;
pub mod gateway;
pub mod health;
pub mod intake;
pub mod mailbox;
pub mod pairing;
pub mod recent;
pub mod router;
pub mod scheduler;
pub mod session;
pub mod supervise;

pub use account::{Account, AccountSettings};
pub use agent::Agent;
pub use clock::Clock;
pub use commit::Ledger;
pub use error::Error;
pub use gateway::{Gateway, GatewaySettings};
pub use health::Health;
