//! The emulators from the outside, over HTTP: one test for each rule.

#![expect(clippy::unwrap_used, reason = "a failure is the test's report")]

mod anthropic_checks;
mod anthropic_demo;
mod anthropic_stream;
mod control_http;
mod program;
mod rig;
mod telegram_faults;
mod telegram_limits;
mod telegram_messages;
mod telegram_text;
mod telegram_updates;
