//! The embedded agent: model clients, tools, and what a captured model stream becomes.
//!
//! DESIGN.md has the constraints. The turn loop's decisions are in the core crate; this crate does
//! what it decides.

pub mod anthropic;
pub mod error;
pub mod history;
pub mod http;
pub mod model;
pub mod replay;
pub mod sse;
pub mod toolbox;
pub mod tools;

pub use anthropic::{Anthropic, AnthropicSettings};
pub use error::Error;
pub use http::{Http, Timeouts};
pub use model::Model;
pub use replay::{Outcome, Replay, replay_anthropic};
pub use toolbox::Toolbox;
pub use tools::{Tool, ToolContext, ToolOutput};
