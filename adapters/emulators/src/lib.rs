//! Local servers that stand where the platforms and the model providers stand: for tests, for the
//! playground and for other languages (binary `talaria-emulators`).
//!
//! An emulator speaks the wire format of the real service, keeps its published limits, answers
//! with its error texts, and can be told to misbehave ([`fault`], [`anthropic::Fault`]). What it
//! knows is read and steered through a control handle, in process or over HTTP ([`control`]).

pub mod anthropic;
mod bucket;
mod clock;
pub mod control;
mod error;
pub mod fault;
mod server;
pub mod telegram;

pub use anthropic::{AnthropicControl, AnthropicEmulator, AnthropicOptions};
pub use bucket::Rate;
pub use clock::now_us;
pub use error::Error;
pub use fault::{FaultKind, FaultSpec};
pub use telegram::{TelegramControl, TelegramEmulator, TelegramOptions};
