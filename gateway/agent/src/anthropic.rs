//! The Anthropic Messages API: wire format in [`request`], [`decode`] and [`classify`] (pure),
//! the client over HTTP in [`client`].

pub mod classify;
pub mod client;
pub mod decode;
pub mod request;
mod wire;

pub use client::{Anthropic, AnthropicSettings};
