//! The actions on an Anthropic emulator.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::MAX_WAIT_MS;
use crate::AnthropicControl;
use crate::anthropic::{Matcher, Outcome, Reply};

/// An action; its name is the last part of the path.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "each is the method of the same name of AnthropicControl"
)]
pub enum AnthropicAction {
    Requests,
    Script {
        #[serde(default)]
        matcher: Matcher,
        #[serde(default = "once")]
        times: u32,
        reply: Reply,
    },
    Scripted,
    ClearScript,
    SetTokensPerSecond {
        tokens_per_second: f64,
    },
    SetApiKey {
        key: Option<String>,
    },
    CutConnections,
    SetDown {
        down: bool,
    },
    /// Waits until so many answers have been sent to their end.
    WaitFinished {
        count: usize,
        ms: u64,
    },
}

fn once() -> u32 {
    1
}

pub(super) async fn run(control: &AnthropicControl, action: AnthropicAction) -> Value {
    match action {
        AnthropicAction::Requests => json!(control.requests()),
        AnthropicAction::Scripted => json!(control.scripted()),
        AnthropicAction::WaitFinished { count, ms } => {
            let wait = Duration::from_millis(ms.min(MAX_WAIT_MS));
            let finished = |control: &AnthropicControl| control.count(Outcome::Finished) >= count;
            json!(control.wait_until(wait, finished).await)
        }
        AnthropicAction::Script {
            matcher,
            times,
            reply,
        } => {
            control.script_times(matcher, times, reply);
            Value::Null
        }
        AnthropicAction::ClearScript => {
            control.clear_script();
            Value::Null
        }
        AnthropicAction::SetTokensPerSecond { tokens_per_second } => {
            control.set_tokens_per_second(tokens_per_second);
            Value::Null
        }
        AnthropicAction::SetApiKey { key } => {
            control.set_api_key(key);
            Value::Null
        }
        AnthropicAction::CutConnections => {
            control.cut_connections();
            Value::Null
        }
        AnthropicAction::SetDown { down } => {
            control.set_down(down);
            Value::Null
        }
    }
}
