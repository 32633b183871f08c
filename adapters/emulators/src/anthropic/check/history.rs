//! The messages: roles, non-empty content, tool calls and their results, thinking.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Rules, invalid};
use crate::anthropic::content::{blocks, signature};
use crate::anthropic::reply::Refusal;

pub(super) fn check(body: &Value, rules: Rules) -> Result<(), Refusal> {
    let Some(messages) = body["messages"].as_array() else {
        return Err(invalid("messages: Input should be a valid list"));
    };
    if messages.is_empty() {
        return Err(invalid("messages: at least one message is required"));
    }
    let mut ids = BTreeSet::new();
    let mut before: Option<&Value> = None;
    for (index, message) in messages.iter().enumerate() {
        role(index, message, before, rules)?;
        let last = index + 1 == messages.len();
        content(index, message, last)?;
        calls_and_results(index, message, before, &mut ids)?;
        thinking(index, message, body)?;
        before = Some(message);
    }
    if let Some(message) = before.filter(|message| message["role"] == "assistant") {
        let open = call_ids(message);
        if !open.is_empty() {
            return Err(without_result(messages.len() - 1, &open));
        }
        let content = blocks(message);
        let text = content
            .last()
            .and_then(|block| block["text"].as_str())
            .unwrap_or_default();
        if text.ends_with(char::is_whitespace) {
            return Err(invalid(
                "messages: final assistant content cannot end with trailing whitespace",
            ));
        }
    }
    Ok(())
}

fn role(
    index: usize,
    message: &Value,
    before: Option<&Value>,
    rules: Rules,
) -> Result<(), Refusal> {
    let role = message["role"].as_str().unwrap_or_default();
    if role == "system" {
        return Err(invalid(
            "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` \
             parameter, not \"system\" as an input message role.",
        ));
    }
    if role != "user" && role != "assistant" {
        return Err(invalid(format!(
            "messages.{index}.role: Input should be 'user' or 'assistant'"
        )));
    }
    if before.is_none() && role != "user" {
        return Err(invalid(
            "messages: first message must use the \"user\" role",
        ));
    }
    if rules.strict_alternation && before.is_some_and(|before| before["role"] == role) {
        return Err(invalid(format!(
            "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \
             \"{role}\" roles in a row"
        )));
    }
    Ok(())
}

fn content(index: usize, message: &Value, last: bool) -> Result<(), Refusal> {
    let content = &message["content"];
    if !content.is_string() && !content.is_array() {
        return Err(invalid(format!("messages.{index}.content: Field required")));
    }
    let empty = content.as_str() == Some("") || content.as_array().is_some_and(Vec::is_empty);
    if empty && !(last && message["role"] == "assistant") {
        return Err(invalid(format!(
            "messages.{index}: all messages must have non-empty content except for the optional \
             final assistant message"
        )));
    }
    for (number, block) in blocks(message).iter().enumerate() {
        let at = format!("messages.{index}.content.{number}");
        match block["type"].as_str() {
            Some("text") => {
                let text = block["text"].as_str();
                let text =
                    text.ok_or_else(|| invalid(format!("{at}.text.text: Field required")))?;
                if text.is_empty() && content.is_array() {
                    return Err(invalid("messages: text content blocks must be non-empty"));
                }
                if !text.is_empty() && text.trim().is_empty() {
                    return Err(invalid(
                        "messages: text content blocks must contain non-whitespace text",
                    ));
                }
            }
            Some(
                "image" | "document" | "search_result" | "server_tool_use" | "tool_use"
                | "tool_result" | "thinking" | "redacted_thinking",
            ) => {}
            Some(other) => {
                return Err(invalid(format!(
                    "{at}: Input tag '{other}' found using 'type' does not match any of the \
                     expected tags"
                )));
            }
            None => return Err(invalid(format!("{at}.type: Field required"))),
        }
    }
    Ok(())
}

fn call_ids(message: &Value) -> Vec<String> {
    let blocks = blocks(message);
    let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
    calls
        .filter_map(|block| block["id"].as_str().map(str::to_owned))
        .collect()
}

fn without_result(index: usize, ids: &[String]) -> Refusal {
    invalid(format!(
        "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately \
         after: {}. Each `tool_use` block must have a corresponding `tool_result` block in the next \
         message.",
        ids.join(", ")
    ))
}

fn calls_and_results(
    index: usize,
    message: &Value,
    before: Option<&Value>,
    seen: &mut BTreeSet<String>,
) -> Result<(), Refusal> {
    let open = before
        .filter(|b| b["role"] == "assistant")
        .map(call_ids)
        .unwrap_or_default();
    let mut results: Vec<String> = Vec::new();
    let mut after_other = false;
    for (number, block) in blocks(message).iter().enumerate() {
        let at = format!("messages.{index}.content.{number}");
        match block["type"].as_str() {
            Some("tool_use") => {
                if message["role"] != "assistant" {
                    return Err(invalid(format!(
                        "{at}: `tool_use` blocks can only be in `assistant` messages"
                    )));
                }
                let id = block["id"].as_str().unwrap_or_default();
                if block["name"].as_str().is_none() || !block["input"].is_object() {
                    return Err(invalid(format!(
                        "{at}.tool_use.input: Input should be a valid dictionary"
                    )));
                }
                if !seen.insert(id.to_owned()) {
                    return Err(invalid(format!("{at}: `tool_use` ids must be unique")));
                }
            }
            Some("tool_result") => {
                if message["role"] != "user" {
                    return Err(invalid(format!(
                        "{at}: `tool_result` blocks can only be in `user` messages"
                    )));
                }
                let id = block["tool_use_id"].as_str().unwrap_or_default().to_owned();
                if !open.contains(&id) {
                    return Err(invalid(format!(
                        "{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
                         `tool_result` block must have a corresponding `tool_use` block in the \
                         previous message."
                    )));
                }
                if results.contains(&id) {
                    return Err(invalid(format!(
                        "{at}: each tool_use must have a single result. Found multiple \
                         `tool_result` blocks with id: {id}"
                    )));
                }
                // Results come first: one behind a text does not stand "immediately after".
                if !after_other {
                    results.push(id);
                }
            }
            _ => after_other = true,
        }
    }
    let missing: Vec<String> = open
        .into_iter()
        .filter(|id| !results.contains(id))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(without_result(index.saturating_sub(1), &missing))
    }
}

/// Thinking comes back unchanged, with the signature that it was given.
fn thinking(index: usize, message: &Value, body: &Value) -> Result<(), Refusal> {
    let content = blocks(message);
    for (number, block) in content.iter().enumerate() {
        if block["type"] != "thinking" {
            continue;
        }
        let at = format!("messages.{index}.content.{number}");
        let Some(given) = block["signature"].as_str() else {
            return Err(invalid(format!("{at}.thinking.signature: Field required")));
        };
        let thinking = block["thinking"].as_str().unwrap_or_default();
        // A scripted signature is opaque; ours prove that the text was not touched.
        if given.is_empty() || (given.starts_with("Emulator") && given != signature(thinking)) {
            return Err(invalid(format!(
                "{at}: Invalid `signature` in `thinking` block"
            )));
        }
    }
    let calls = content.iter().any(|block| block["type"] == "tool_use");
    let first = content
        .first()
        .and_then(|block| block["type"].as_str())
        .unwrap_or_default();
    if body["thinking"]["type"] == "enabled"
        && message["role"] == "assistant"
        && calls
        && !matches!(first, "thinking" | "redacted_thinking")
    {
        return Err(invalid(format!(
            "messages.{index}.content.0.type: Expected `thinking` or `redacted_thinking`, but found \
             `{first}`. When `thinking` is enabled, a final `assistant` message must start with a \
             thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
        )));
    }
    Ok(())
}
