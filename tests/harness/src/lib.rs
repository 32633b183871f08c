//! Runs a real gateway as a child process against emulated platforms and an emulated model, and
//! looks at it from outside: the chat, the model server's requests, the log, the exit code.
//!
//! Every test runs under a deadline that ends its processes ([`within`]); no process outlives the
//! test, however that ends ([`group`]). Waiting is always for a condition, with a limit.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "this is a test: what is not as expected ends it, and is said"
)]

pub mod admin;
pub mod chat;
pub mod command;
pub mod crash;
pub mod deadline;
pub mod group;
pub mod http;
pub mod log;
pub mod process;
pub mod rig;
pub mod setup;

pub use crash::Trace;
pub use deadline::{Deadline, within};
pub use log::Log;
pub use process::{Exit, Gateway};
pub use rig::Rig;
pub use setup::Setup;
