//! The embedded agent: model clients, tools, and what a captured model stream becomes.
//!
//! DESIGN.md has the constraints. The turn loop's decisions are in the core crate; this crate does
//! what it decides.

pub mod error;
pub mod model;
pub mod sentence;
pub mod sse;
pub mod toolbox;
pub mod tools;

pub use error::Error;
pub use model::Model;
pub use sentence::failure_sentence;
pub use toolbox::Toolbox;
pub use tools::{Tool, ToolContext, ToolOutput};
