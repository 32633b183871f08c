//! Tool definitions (API reference: "Tool use").

use std::collections::BTreeSet;

use serde_json::Value;

use super::invalid;
use crate::anthropic::reply::Refusal;

pub(super) fn check(body: &Value) -> Result<(), Refusal> {
    let tools = match &body["tools"] {
        Value::Null => return choice(body, &BTreeSet::new()),
        Value::Array(tools) => tools,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            return Err(invalid("tools: Input should be a valid list"));
        }
    };
    let mut names = BTreeSet::new();
    for (index, tool) in tools.iter().enumerate() {
        let Some(name) = tool["name"].as_str() else {
            return Err(invalid(format!(
                "tools.{index}.custom.name: Field required"
            )));
        };
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !(1..=128).contains(&name.len()) || !name.chars().all(legal) {
            return Err(invalid(format!(
                "tools.{index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
            )));
        }
        if !names.insert(name) {
            return Err(invalid("tools: Tool names must be unique."));
        }
        // Server tools carry a type of their own and no schema.
        if tool.get("type").is_some_and(|kind| kind != "custom") {
            continue;
        }
        if !tool["input_schema"].is_object() {
            return Err(invalid(format!(
                "tools.{index}.custom.input_schema: Field required"
            )));
        }
        if tool["input_schema"]["type"] != "object" {
            return Err(invalid(format!(
                "tools.{index}.custom.input_schema.type: Input should be 'object'"
            )));
        }
    }
    choice(body, &names)
}

fn choice(body: &Value, names: &BTreeSet<&str>) -> Result<(), Refusal> {
    if body["tool_choice"].is_null() {
        return Ok(());
    }
    if names.is_empty() {
        return Err(invalid(
            "tool_choice: may only be specified while providing tools",
        ));
    }
    if body["tool_choice"]["type"] == "tool" {
        let name = body["tool_choice"]["name"].as_str().unwrap_or_default();
        if !names.contains(name) {
            return Err(invalid(format!(
                "Tool '{name}' not found in provided tools"
            )));
        }
    }
    Ok(())
}
