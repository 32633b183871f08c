//! A tool, as the turn loop sees it, and the tools that come with the agent.

pub mod calculator;
pub mod current_time;

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::Value;
use talaria_types::model::{ToolClass, ToolSpec};
use tokio_util::sync::CancellationToken;

pub use calculator::Calculator;
pub use current_time::CurrentTime;

/// How long a tool may run unless it says otherwise.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(60);

/// Something that the model can call. The defaults are the careful ones.
pub trait Tool: Send + Sync {
    /// What the model is told. The same every time: it is part of the cached prompt.
    fn spec(&self) -> ToolSpec;

    /// What running it twice means.
    fn class(&self) -> ToolClass {
        ToolClass::Effect
    }

    /// Whether it may run beside other calls of the same response.
    fn concurrency_safe(&self) -> bool {
        false
    }

    /// How long one call may take. When it is over the call is dropped at its next await, and the
    /// result says so.
    fn time_limit(&self) -> Duration {
        DEFAULT_TIME_LIMIT
    }

    /// Runs one call. `input` has passed the schema. Failures are outputs with `is_error`, not
    /// panics. The future must not block its thread: limits and cancellation act at its awaits.
    fn run(&self, input: Value, context: ToolContext) -> BoxFuture<'static, ToolOutput>;
}

/// What a tool may know of its call.
#[derive(Clone, Debug)]
pub struct ToolContext {
    /// The same for every run of the same call, also after a crash. A tool of class keyed hands it
    /// to what it talks to.
    pub key: String,
    /// Set when the turn is cancelled. The toolbox drops the call then; a tool that has work of its
    /// own elsewhere stops it.
    pub cancel: CancellationToken,
}

/// What a tool answers; the model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    pub content: String,
    pub is_error: bool,
}

impl ToolOutput {
    #[must_use]
    pub fn ok(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            is_error: false,
        }
    }

    #[must_use]
    pub fn error(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            is_error: true,
        }
    }
}
