//! The adapter over real sockets against the emulated Bot API server.

#![expect(clippy::unwrap_used, reason = "a test ends where its bench fails")]

mod conformance;
mod polling;
mod rig;
mod sending;
