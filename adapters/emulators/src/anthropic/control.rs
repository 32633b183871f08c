//! The control handle: scripting replies and seeing what was asked.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::reply::{Matcher, Reply};
use super::shared::{Scripted, Shared};
use crate::server::Connections;

/// Single events of a stream wake nobody: waiting looks again after this time.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// A request as it came, and what became of it. Times are on the scale of [`crate::now_us`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestLog {
    /// Its number, counted from 0.
    pub number: usize,
    /// When it arrived.
    pub at_us: u64,
    /// The body; null if it is no JSON.
    pub body: Value,
    /// SHA-256 of the body's bytes, hexadecimal: equal requests have equal hashes.
    pub body_hash: String,
    /// Whether it asked for a stream.
    pub stream: bool,
    /// HTTP status; 0 before there is one.
    pub status: u16,
    /// What became of the answer.
    pub outcome: Outcome,
    /// The error's text, for a refusal.
    pub error: Option<String>,
    /// Events that were sent.
    pub events: usize,
    /// When the first content delta was sent.
    pub first_delta_us: Option<u64>,
    /// When the last content delta was sent.
    pub last_delta_us: Option<u64>,
    /// When the answer ended, however it did.
    pub end_us: Option<u64>,
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Still being sent, or stalled.
    Running,
    /// Sent to its end.
    Finished,
    /// Ended early by a fault.
    Cut,
    /// The client went away first.
    ClientGone,
    /// An HTTP error.
    Refused,
}

/// Steers an [`super::AnthropicEmulator`]. Cheap to clone, usable from any thread.
#[derive(Debug, Clone)]
pub struct AnthropicControl {
    shared: Arc<Shared>,
    connections: Arc<Connections>,
}

impl AnthropicControl {
    pub(super) fn new(shared: Arc<Shared>, connections: Arc<Connections>) -> Self {
        Self {
            shared,
            connections,
        }
    }

    /// Every request since the start, also refused ones.
    #[must_use]
    pub fn requests(&self) -> Vec<RequestLog> {
        self.shared.look(|state| state.requests.clone())
    }

    /// How many requests have come; cheap.
    #[must_use]
    pub fn request_count(&self) -> usize {
        self.shared.look(|state| state.requests.len())
    }

    /// How many answers have this outcome; cheap.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        let with = |state: &mut super::shared::State| {
            state
                .requests
                .iter()
                .filter(|request| request.outcome == outcome)
                .count()
        };
        self.shared.look(with)
    }

    /// The next request that fits gets this reply. Entries are tried in order; one that answered
    /// is gone. Without a fitting entry the demo model answers.
    pub fn script(&self, matcher: Matcher, reply: impl Into<Reply>) {
        self.script_times(matcher, 1, reply);
    }

    /// As [`AnthropicControl::script`], for `times` requests.
    pub fn script_times(&self, matcher: Matcher, times: u32, reply: impl Into<Reply>) {
        let reply = reply.into();
        self.shared.change(|state| {
            state.script.push_back(Scripted {
                matcher,
                reply,
                times,
            })
        });
    }

    /// How many scripted entries wait.
    #[must_use]
    pub fn scripted(&self) -> usize {
        self.shared.look(|state| state.script.len())
    }

    /// Forgets the script.
    pub fn clear_script(&self) {
        self.shared.change(|state| state.script.clear());
    }

    /// Sets the speed of replies that have none of their own; 0: no pauses.
    pub fn set_tokens_per_second(&self, tokens_per_second: f64) {
        self.shared
            .change(|state| state.settings.tokens_per_second = tokens_per_second);
    }

    /// Sets or removes the only accepted API key.
    pub fn set_api_key(&self, key: Option<String>) {
        self.shared.change(|state| state.settings.api_key = key);
    }

    /// Cuts every open connection, once.
    pub fn cut_connections(&self) {
        self.connections.cut_all();
    }

    /// While down, every connection is closed as soon as it is accepted.
    pub fn set_down(&self, down: bool) {
        self.connections.set_down(down);
    }

    /// Waits for the next request, reply, first delta or end of an answer.
    pub async fn changed(&self) {
        let mut changes = self.shared.subscribe();
        // The sender lives in `self.shared`, so this can't fail.
        changes.changed().await.ok();
    }

    /// Waits until the condition holds; false if it does not within the deadline.
    pub async fn wait_until(
        &self,
        deadline: Duration,
        mut condition: impl FnMut(&Self) -> bool,
    ) -> bool {
        let mut changes = self.shared.subscribe();
        let until = tokio::time::Instant::now() + deadline;
        loop {
            changes.mark_unchanged();
            if condition(self) {
                return true;
            }
            if tokio::time::Instant::now() >= until {
                return false;
            }
            let again = until.min(tokio::time::Instant::now() + LOOK_AGAIN);
            tokio::time::timeout_at(again, changes.changed()).await.ok();
        }
    }
}
