//! Reading a request's messages: content is a string or a list of blocks.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A message's blocks; a string is one text block.
pub(crate) fn blocks(message: &Value) -> Vec<Value> {
    match &message["content"] {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

pub(crate) fn last_user(body: &Value) -> Option<&Value> {
    body["messages"]
        .as_array()?
        .iter()
        .rev()
        .find(|message| message["role"] == "user")
}

/// All text blocks of the last user message, one per line.
pub(crate) fn last_user_text(body: &Value) -> String {
    let blocks = last_user(body).map(blocks).unwrap_or_default();
    let texts: Vec<&str> = blocks
        .iter()
        .filter(|block| block["type"] == "text")
        .filter_map(|block| block["text"].as_str())
        .collect();
    texts.join("\n")
}

/// A tool result of the last user message.
pub(crate) struct ToolResult {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

pub(crate) fn last_tool_results(body: &Value) -> Vec<ToolResult> {
    let blocks = last_user(body).map(blocks).unwrap_or_default();
    let results = blocks.iter().filter(|block| block["type"] == "tool_result");
    results
        .map(|block| ToolResult {
            id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
            text: self::blocks(block)
                .iter()
                .filter_map(|inner| inner["text"].as_str())
                .collect::<Vec<_>>()
                .join("\n"),
            is_error: block["is_error"] == true,
        })
        .collect()
}

/// The signature that belongs to a thinking block of ours.
pub(crate) fn signature(thinking: &str) -> String {
    let digest = Sha256::digest(thinking.as_bytes());
    format!("EmulatorSignature{}", hex(&digest))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        use std::fmt::Write as _;
        // Writing to a string can't fail.
        write!(out, "{byte:02x}").ok();
        out
    })
}

/// A rough count: four bytes of text are one token.
pub(crate) fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}
