//! The Anthropic Messages API (POST /v1/messages, API reference "Messages" and "Streaming
//! messages"): checks requests as the real one does, streams answers event by event, and runs a
//! script or, without one, the demo model.

mod check;
mod content;
mod control;
mod demo;
mod http;
mod options;
mod plan;
mod reply;
mod shared;
mod stream;

pub use control::{AnthropicControl, Outcome, RequestLog};
pub use options::{AnthropicEmulator, AnthropicOptions};
pub use reply::{Block, Fault, Matcher, Message, Place, Refusal, Reply, Trouble};
