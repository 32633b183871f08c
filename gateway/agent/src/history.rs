//! A conversation as a provider accepts it. Pure; the same input gives the same output, so the
//! prompt's prefix stays stable.
//!
//! Providers refuse a whole conversation for one bad message in it, then and for ever. So: no
//! blank text and no empty message; one message a turn; every tool call has exactly one result, in
//! the message right after it and before anything else there; no result without its call. Thinking
//! goes back unchanged, an empty one too: its signature is what counts.

use std::collections::BTreeMap;

use talaria_types::model::{Block, Message, ToolResult, UserBlock};

/// What stands for the result of a call that has none.
pub const NO_RESULT: &str =
    "No result: the call was interrupted. Whether it took effect is unknown.";

/// The conversation, made acceptable. One that is acceptable comes out as it is.
#[must_use]
pub fn repair(messages: &[Message]) -> Vec<Message> {
    let messages = merge(messages.iter().cloned());
    let mut out = Vec::with_capacity(messages.len() + 1);
    // The calls of the message before, in order.
    let mut calls: Vec<String> = Vec::new();
    for message in messages {
        match message {
            Message::Assistant { content } => {
                // After a merge no assistant message follows another.
                calls = call_ids(&content);
                out.push(Message::Assistant { content });
            }
            Message::User { content } => {
                let calls = std::mem::take(&mut calls);
                out.push(Message::User {
                    content: answer(&calls, content),
                });
            }
        }
    }
    if !calls.is_empty() {
        out.push(Message::User {
            content: answer(&calls, Vec::new()),
        });
    }
    // Dropping a result without its call can leave an empty message.
    merge(out.into_iter())
}

/// Drops blank text and empty messages, joins neighbours of one role.
fn merge(messages: impl Iterator<Item = Message>) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::new();
    for message in messages {
        match message {
            Message::User { mut content } => {
                content.retain(|block| match block {
                    UserBlock::Text { text } => !text.trim().is_empty(),
                    UserBlock::ToolResult(_) => true,
                });
                match out.last_mut() {
                    _ if content.is_empty() => {}
                    Some(Message::User { content: last }) => last.append(&mut content),
                    Some(Message::Assistant { .. }) | None => out.push(Message::User { content }),
                }
            }
            Message::Assistant { mut content } => {
                content.retain(|block| match block {
                    Block::Text { text } => !text.trim().is_empty(),
                    Block::Thinking { .. }
                    | Block::RedactedThinking { .. }
                    | Block::ToolUse { .. } => true,
                });
                match out.last_mut() {
                    _ if content.is_empty() => {}
                    Some(Message::Assistant { content: last }) => last.append(&mut content),
                    Some(Message::User { .. }) | None => out.push(Message::Assistant { content }),
                }
            }
        }
    }
    out
}

fn call_ids(content: &[Block]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for block in content {
        if let Block::ToolUse { id, .. } = block
            && !ids.contains(id)
        {
            ids.push(id.clone());
        }
    }
    ids
}

/// The results of `calls`, in their order, then the rest of `content`.
fn answer(calls: &[String], content: Vec<UserBlock>) -> Vec<UserBlock> {
    let mut results: BTreeMap<String, ToolResult> = BTreeMap::new();
    let mut rest = Vec::new();
    for block in content {
        match block {
            UserBlock::ToolResult(result) => {
                results.entry(result.tool_use_id.clone()).or_insert(result);
            }
            UserBlock::Text { .. } => rest.push(block),
        }
    }
    let mut out: Vec<UserBlock> = calls
        .iter()
        .map(|id| {
            UserBlock::ToolResult(results.remove(id).unwrap_or_else(|| ToolResult {
                tool_use_id: id.clone(),
                content: NO_RESULT.to_owned(),
                is_error: true,
            }))
        })
        .collect();
    out.append(&mut rest);
    out
}

#[cfg(test)]
mod tests;
