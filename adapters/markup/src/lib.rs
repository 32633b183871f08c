//! Markdown to each platform's body, and its splitting into messages. Pure: no clock, no I/O.
//!
//! `DESIGN.md` says how split points freeze and what each rendering declares to change.

mod clean;
mod cut;
mod flow;
mod ir;
mod parse;
mod split;
mod table;
mod tail;
pub mod telegram;

pub use telegram::TelegramRenderer;
