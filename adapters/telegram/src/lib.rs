//! The Telegram adapter: receives by long polling, sends through the Bot API. See `DESIGN.md`.

mod adapter;
mod call;
mod capabilities;
mod classify;
mod clock;
mod format;
mod http;
mod identity;
mod ingress;
mod parse;
mod settings;

pub use adapter::TelegramAdapter;
pub use identity::{Identity, IdentityError};
pub use parse::{Bot, Ignored, ParseError, Parsed, parse};
pub use settings::{Error, TelegramSettings};
