//! Names of the protocol and what they mean here.

use talaria_types::model::StopReason;

use super::Partial;
use crate::anthropic::wire::Kinds;
use crate::sse::SseEvent;

/// Whether an event that does not fit is of a kind that we leave out anyway.
pub(super) fn is_foreign(event: &SseEvent) -> bool {
    const EVENTS: [&str; 7] = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "error",
    ];
    let Some(kinds) = Kinds::of(&event.data) else {
        return !event.name.is_empty() && !EVENTS.contains(&event.name.as_str());
    };
    let kind = if kinds.event.is_empty() {
        &event.name
    } else {
        &kinds.event
    };
    match kind.as_str() {
        "content_block_start" => kinds.block().is_some_and(|block| !Partial::is_known(block)),
        "content_block_delta" => kinds
            .delta()
            .is_some_and(|delta| !Partial::is_known_delta(delta)),
        kind => !EVENTS.contains(&kind),
    }
}

/// Stop reasons after which the last block may be cut off in its middle, even where it parses.
pub(super) fn cuts_off(reason: &StopReason) -> bool {
    match reason {
        StopReason::MaxTokens | StopReason::Refusal => true,
        StopReason::Other(name) => name == "model_context_window_exceeded",
        StopReason::EndTurn
        | StopReason::ToolUse
        | StopReason::StopSequence
        | StopReason::PauseTurn
        | StopReason::Cut => false,
    }
}

pub(super) fn stop_reason(name: &str) -> StopReason {
    match name {
        "end_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "pause_turn" => StopReason::PauseTurn,
        "refusal" => StopReason::Refusal,
        other => StopReason::Other(other.chars().take(64).collect()),
    }
}
