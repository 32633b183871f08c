//! The contract between the gateway and a platform: the [`Adapter`] trait, the [`Sink`] into which
//! an adapter puts what it receives, and the conformance suite that every adapter passes.

mod adapter;
#[cfg(feature = "conformance")]
pub mod conformance;
mod sink;

pub use adapter::{Adapter, Exit};
pub use sink::{Cursor, Delivery, Ingress, Intake, LinkState, Sink, SinkClosed};
