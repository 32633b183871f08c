//! The renderer from outside: sample texts, cases with what is right for each, and properties over
//! random and growing texts. The oracle says what a text must read like.

#![expect(clippy::unwrap_used, reason = "a test fails where it can't go on")]

#[path = "../src/telegram/tests/rules.rs"]
mod rules;

mod cases;
mod corpus;
mod generator;
mod growing;
mod properties;
mod support;
