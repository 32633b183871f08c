//! The playground: everything local, so that a newcomer can break the gateway and watch it recover.
//!
//! A supervisor starts the emulators in this process and the gateway as a child process, and serves
//! one web page: the emulated chat, the ledger's figures, and two buttons, Kill and Start. The child
//! is the real binary with a real configuration file; nothing in it knows that it is watched.

mod chats;
mod child;
mod clock;
mod emulated;
mod error;
mod gateway_config;
mod http;
mod hub;
mod ledger;
mod options;
mod playground;
mod view;
mod welcome;

pub use error::Error;
pub use options::Options;
pub use playground::{Playground, run};
