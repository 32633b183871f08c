//! The gateway from outside: a real process between emulated platforms and an emulated model.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "these are tests: what is not as expected ends them"
)]

mod access;
mod answers;
mod configuration;
mod delivery;
mod disk;
mod inbound;
mod matrix;
mod model_trouble;
mod seeing;
mod sessions;
mod shutdown;
mod startup;
mod streaming;
mod support;
