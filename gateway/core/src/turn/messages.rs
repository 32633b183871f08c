//! A turn as messages: for the model while it runs, for the transcript when it is settled.

use talaria_ledger::records::{Outcome, ToolState, TurnRecord};
use talaria_types::model::{Block, Message, ToolResult, UserBlock};

use super::Turn;
use crate::wording;

/// What the model is told: the transcript without its `left_out` oldest messages, then the turn.
pub(crate) fn context_of(transcript: &[Message], turn: &Turn) -> Vec<Message> {
    let mut messages: Vec<Message> = transcript.iter().skip(turn.left_out).cloned().collect();
    messages.extend(turn_messages(turn));
    messages
}

/// What the transcript keeps of a turn that settles as `outcome`: valid for a model whatever
/// happened, so every tool call has its result and the last word is the assistant's.
pub(crate) fn transcript_of(turn: &Turn, outcome: Outcome, said: &str) -> Vec<Message> {
    let mut messages = turn_messages(turn);
    let ends_with_assistant = matches!(messages.last(), Some(Message::Assistant { .. }));
    if outcome == Outcome::Finished && ends_with_assistant {
        return messages;
    }
    let text = if said.trim().is_empty() {
        wording::NO_ANSWER
    } else {
        said
    };
    if !ends_with_assistant {
        messages.push(Message::Assistant {
            content: vec![Block::Text {
                text: text.to_owned(),
            }],
        });
    }
    messages
}

fn user_message(record: &TurnRecord) -> Message {
    let content = record
        .inbounds
        .iter()
        .map(|inbound| UserBlock::Text {
            text: inbound.text.clone(),
        })
        .collect();
    Message::User { content }
}

fn turn_messages(turn: &Turn) -> Vec<Message> {
    let mut messages = vec![user_message(&turn.record)];
    for step in &turn.steps {
        let content: Vec<Block> = step
            .blocks
            .iter()
            .filter(|block| !matches!(block, Block::Text { text } if text.trim().is_empty()))
            .cloned()
            .collect();
        if content.is_empty() {
            continue;
        }
        let results: Vec<UserBlock> = results_of(turn, step.step, &content);
        messages.push(Message::Assistant { content });
        if !results.is_empty() {
            messages.push(Message::User { content: results });
        }
    }
    messages
}

/// Exactly one result for each call of a step, in one message.
fn results_of(turn: &Turn, step: u32, content: &[Block]) -> Vec<UserBlock> {
    let ids = content.iter().filter_map(|block| match block {
        Block::ToolUse { id, .. } => Some(id),
        Block::Text { .. } | Block::Thinking { .. } | Block::RedactedThinking { .. } => None,
    });
    (0u32..)
        .zip(ids)
        .map(|(call, id)| {
            let result = match turn.tools.get(&(step, call)).map(|tool| &tool.state) {
                Some(ToolState::Finished { result, .. }) => result.clone(),
                Some(ToolState::Started { .. }) => unfinished(id, wording::TOOL_UNKNOWN),
                None => unfinished(id, wording::TOOL_CANCELLED),
            };
            UserBlock::ToolResult(result)
        })
        .collect()
}

fn unfinished(id: &str, why: &str) -> ToolResult {
    ToolResult {
        tool_use_id: id.to_owned(),
        content: why.to_owned(),
        is_error: true,
    }
}
