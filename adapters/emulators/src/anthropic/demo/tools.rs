//! Asking the tools `current_time` and `calculator` and using their results.

use serde_json::{Value, json};

use crate::anthropic::content::{ToolResult, blocks};
use crate::anthropic::reply::{Block, Message, Reply};

const DEFAULT_SUM: &str = "(17 + 25) * 3";

/// Asks those of the tools that the request offers, all in one message.
pub(super) fn call(body: &Value, names: &[&str], text: &str) -> Reply {
    let offered = |name: &str| {
        body["tools"]
            .as_array()
            .is_some_and(|tools| tools.iter().any(|tool| tool["name"] == name))
    };
    let names: Vec<&str> = names.iter().copied().filter(|name| offered(name)).collect();
    if names.is_empty() {
        return Reply::text(
            "This is the demo model, no real AI. It would ask a tool now, but this request offers \
             neither `current_time` nor `calculator`. Enable tools in the configuration and try \
             again.",
        );
    }
    let mut content = vec![Block::text("Let me ask the tools for that.")];
    for name in names {
        let input = match name {
            "calculator" => json!({"expression": expression(text)}),
            _ => json!({}),
        };
        let name = name.to_owned();
        content.push(Block::ToolUse {
            id: None,
            name,
            input,
            raw_input: None,
        });
    }
    Message::blocks(content).into()
}

/// The part of the text that looks like a sum.
fn expression(text: &str) -> String {
    let legal = |c: char| c.is_ascii_digit() || " +-*/().,^%".contains(c);
    let runs = text.split(|c: char| !legal(c)).map(str::trim);
    let sums = runs.filter(|run| {
        run.contains(|c: char| c.is_ascii_digit()) && run.contains(['+', '-', '*', '/', '^', '%'])
    });
    sums.max_by_key(|run| run.len())
        .unwrap_or(DEFAULT_SUM)
        .trim_matches(['.', ','])
        .to_owned()
}

/// The answer once the results are there.
pub(super) fn conclude(body: &Value, results: &[ToolResult]) -> String {
    let mut lines = vec![
        "The tools have answered (demo model, no real AI):".to_owned(),
        String::new(),
    ];
    for result in results {
        let (name, input) = asked(body, &result.id).unwrap_or_default();
        let shown: String = result.text.chars().take(500).collect();
        let sum = input["expression"]
            .as_str()
            .map(|sum| format!(" of `{sum}`"));
        let verb = if result.is_error {
            "failed with"
        } else {
            "says"
        };
        lines.push(format!(
            "- **{name}**{} {verb}: {shown}",
            sum.unwrap_or_default()
        ));
    }
    lines.join("\n")
}

/// Name and input of the call that a result belongs to.
fn asked(body: &Value, id: &str) -> Option<(String, Value)> {
    let messages = body["messages"].as_array()?;
    messages.iter().rev().flat_map(blocks).find_map(|block| {
        (block["type"] == "tool_use" && block["id"] == id).then(|| {
            (
                block["name"].as_str().unwrap_or_default().to_owned(),
                block["input"].clone(),
            )
        })
    })
}
