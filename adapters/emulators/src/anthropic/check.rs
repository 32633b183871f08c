//! What the real API refuses before it runs the model, with its error texts (API reference:
//! "Errors", "Tool use", "Extended thinking"; texts as the API answers them).

mod history;
mod tools;

use serde_json::Value;

use super::content::tokens;
use super::reply::Refusal;

/// Fields of a request (API reference: "Create a Message"); others are refused.
const FIELDS: [&str; 18] = [
    "model",
    "messages",
    "max_tokens",
    "container",
    "context_management",
    "mcp_servers",
    "metadata",
    "output_config",
    "output_format",
    "service_tier",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
];

/// How strict to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// Refuse two messages of one role in a row. The real API joins them today; a client that
    /// relies on that has lost the shape of its history.
    pub(crate) strict_alternation: bool,
    /// The model's context in tokens.
    pub(crate) context_tokens: usize,
}

pub(crate) fn invalid(message: impl Into<String>) -> Refusal {
    Refusal {
        status: 400,
        kind: "invalid_request_error".to_owned(),
        message: message.into(),
        retry_after: None,
    }
}

/// Checks a request body.
pub(crate) fn check(body: &Value, rules: Rules) -> Result<(), Refusal> {
    let Some(fields) = body.as_object() else {
        return Err(invalid("Input should be a valid dictionary"));
    };
    for required in ["model", "max_tokens", "messages"] {
        if !fields.contains_key(required) {
            return Err(invalid(format!("{required}: Field required")));
        }
    }
    if let Some(extra) = fields
        .keys()
        .find(|key| *key != "top_p" && !FIELDS.contains(&key.as_str()))
    {
        return Err(invalid(format!("{extra}: Extra inputs are not permitted")));
    }
    if body["model"].as_str().is_none_or(str::is_empty) {
        return Err(invalid("model: String should have at least 1 character"));
    }
    let max_tokens = body["max_tokens"].as_u64();
    let Some(max_tokens) = max_tokens.filter(|tokens| *tokens > 0) else {
        return Err(invalid("max_tokens: must be greater than or equal to 1"));
    };
    thinking(body, max_tokens)?;
    system(&body["system"])?;
    tools::check(body)?;
    history::check(body, rules)?;
    cache_marks(body)?;
    let size = tokens(&body.to_string());
    if size > rules.context_tokens {
        return Err(invalid(format!(
            "prompt is too long: {size} tokens > {} maximum",
            rules.context_tokens
        )));
    }
    Ok(())
}

fn thinking(body: &Value, max_tokens: u64) -> Result<(), Refusal> {
    if body["thinking"]["type"] != "enabled" {
        return Ok(());
    }
    match body["thinking"]["budget_tokens"].as_u64() {
        None => Err(invalid("thinking.enabled.budget_tokens: Field required")),
        Some(budget) if budget < 1024 => Err(invalid(
            "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        )),
        Some(budget) if budget >= max_tokens => Err(invalid(
            "`max_tokens` must be greater than `thinking.budget_tokens`.",
        )),
        Some(_) => Ok(()),
    }
}

fn system(system: &Value) -> Result<(), Refusal> {
    match system {
        Value::Null | Value::String(_) => Ok(()),
        Value::Array(blocks) => {
            let empty = |block: &Value| block["text"].as_str().is_none_or(str::is_empty);
            if blocks.iter().any(empty) {
                return Err(invalid("system: text content blocks must be non-empty"));
            }
            Ok(())
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            Err(invalid("system: Input should be a valid list"))
        }
    }
}

/// Prompt caching: at most four breakpoints.
fn cache_marks(body: &Value) -> Result<(), Refusal> {
    fn count(value: &Value) -> usize {
        match value {
            Value::Object(fields) => {
                usize::from(fields.get("cache_control").is_some_and(Value::is_object))
                    + fields
                        .iter()
                        .filter(|(key, _)| *key != "input")
                        .map(|(_, v)| count(v))
                        .sum::<usize>()
            }
            Value::Array(items) => items.iter().map(count).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        }
    }
    let found = count(body);
    if found > 4 {
        return Err(invalid(format!(
            "A maximum of 4 blocks with cache_control may be provided. Found {found}."
        )));
    }
    Ok(())
}
