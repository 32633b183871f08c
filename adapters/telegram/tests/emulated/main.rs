//! The adapter over real sockets against the emulated Bot API server.

mod conformance;
mod polling;
mod rig;
mod sending;
