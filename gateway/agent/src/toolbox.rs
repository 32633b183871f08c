//! The tools of an agent: found by name, checked, run within limits. Every call ends in exactly one
//! result, whatever the tool does.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::SystemTime;

use futures::FutureExt;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use talaria_types::crash::{self, Choke, Side, WorkKind};
use talaria_types::model::{ToolClass, ToolResult, ToolSpec};

use crate::Error;
use crate::tools::{Calculator, CurrentTime, Tool, ToolContext, ToolOutput};

/// The longest output that reaches the model, in bytes, before the note that it was cut.
pub const MAX_OUTPUT: usize = 64 * 1024;

/// How many problems of an input are named to the model.
const MAX_PROBLEMS: usize = 5;

/// The longest text of one problem, in characters: it may quote the input.
const MAX_PROBLEM: usize = 300;

/// The registered tools.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<String, Arc<Entry>>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    schema: Validator,
}

impl Toolbox {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The tools that need nothing but a clock: `calculator` and `current_time`.
    ///
    /// # Errors
    /// None in practice: these tools' names and schemas are fixed.
    pub fn with_pure_tools(clock: fn() -> SystemTime) -> Result<Self, Error> {
        let mut toolbox = Self::new();
        toolbox.add(Arc::new(Calculator))?;
        toolbox.add(Arc::new(CurrentTime::new(clock)))?;
        Ok(toolbox)
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// [`Error::DuplicateTool`], [`Error::ToolName`] (providers accept only such names) or
    /// [`Error::ToolSchema`].
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), Error> {
        let spec = tool.spec();
        if !is_tool_name(&spec.name) {
            return Err(Error::ToolName(spec.name));
        }
        if self.tools.contains_key(&spec.name) {
            return Err(Error::DuplicateTool(spec.name));
        }
        let schema = jsonschema::options()
            // A pattern from outside can't make the matcher backtrack for ever.
            .with_pattern_options(PatternOptions::regex())
            .build(&spec.input_schema)
            .map_err(|error| Error::ToolSchema {
                tool: spec.name.clone(),
                problem: shorten(&error.to_string(), MAX_PROBLEM),
            })?;
        self.tools
            .insert(spec.name, Arc::new(Entry { tool, schema }));
        Ok(())
    }

    /// What the model is told, in the order of the names: the same whatever the order of adding, so
    /// that the prompt's prefix stays stable.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.values().map(|entry| entry.tool.spec()).collect()
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name).map(|entry| &entry.tool)
    }

    /// The class of the named tool. A call of an unknown tool only makes an error result: pure.
    #[must_use]
    pub fn class(&self, name: &str) -> ToolClass {
        self.get(name).map_or(ToolClass::Pure, |tool| tool.class())
    }

    /// Whether the named tool may run beside others; an unknown one may.
    #[must_use]
    pub fn concurrency_safe(&self, name: &str) -> bool {
        self.get(name).is_none_or(|tool| tool.concurrency_safe())
    }

    /// What is wrong with a call before it runs: unknown tool, or an input that its schema refuses.
    /// The text is for the model.
    #[must_use]
    pub fn check(&self, name: &str, input: &Value) -> Option<String> {
        let Some(entry) = self.tools.get(name) else {
            let known: Vec<&str> = self.tools.keys().map(String::as_str).collect();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            return Some(format!(
                "There is no tool named {:?}. Available tools: {known}.",
                shorten(name, 80)
            ));
        };
        let problems: Vec<String> = entry
            .schema
            .iter_errors(input)
            .take(MAX_PROBLEMS)
            .map(|error| {
                let at = error.instance_path().to_string();
                let at = if at.is_empty() {
                    "input".to_owned()
                } else {
                    format!("input{at}")
                };
                format!(
                    "- {}: {}",
                    shorten(&at, 120),
                    shorten(&error.to_string(), MAX_PROBLEM)
                )
            })
            .collect();
        if problems.is_empty() {
            return None;
        }
        Some(format!(
            "The input does not fit the schema of {name}; the tool did not run:\n{}",
            problems.join("\n")
        ))
    }

    /// Runs one call of the model and answers with its one result. Unknown tools, inputs that do
    /// not fit, failures, panics, the time limit and cancellation are results with `is_error`.
    pub async fn run(
        &self,
        tool_use_id: String,
        name: &str,
        input: Value,
        context: ToolContext,
    ) -> ToolResult {
        let output = match (self.check(name, &input), self.tools.get(name)) {
            (None, Some(entry)) => run_entry(name, Arc::clone(entry), input, context).await,
            (Some(problem), Some(_) | None) => ToolOutput::error(problem),
            (None, None) => ToolOutput::error("There is no such tool."),
        };
        ToolResult {
            tool_use_id,
            content: bounded(output.content),
            is_error: output.is_error,
        }
    }
}

/// The choke point of tool calls.
async fn run_entry(
    name: &str,
    entry: Arc<Entry>,
    input: Value,
    context: ToolContext,
) -> ToolOutput {
    let limit = entry.tool.time_limit();
    let cancel = context.cancel.clone();
    if cancel.is_cancelled() {
        return ToolOutput::error("Cancelled before the tool ran.");
    }
    crash::pass(Choke::Work(WorkKind::Tool), Side::Before);
    // Inside an async block, so that a panic of `run` itself is caught as well.
    let work = AssertUnwindSafe(async move { entry.tool.run(input, context).await }).catch_unwind();
    let output = tokio::select! {
        biased;
        done = tokio::time::timeout(limit, work) => match done {
            Ok(Ok(output)) => output,
            Ok(Err(panic)) => {
                tracing::error!(tool.name = name, panic = panic_text(&*panic), "tool panicked");
                ToolOutput::error("The tool failed with an internal error. Its effect is unknown.")
            }
            Err(_elapsed) => ToolOutput::error(format!(
                "The tool did not finish within {} and was stopped. Its effect is unknown.",
                seconds(limit)
            )),
        },
        () = cancel.cancelled() => {
            ToolOutput::error("Cancelled while the tool ran. Its effect is unknown.")
        }
    };
    crash::pass(Choke::Work(WorkKind::Tool), Side::After);
    output
}

fn seconds(limit: std::time::Duration) -> String {
    if limit.as_millis().is_multiple_of(1000) {
        format!("{} s", limit.as_secs())
    } else {
        format!("{} ms", limit.as_millis())
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&'static str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// Cuts an output that is too long, at a character, and says so; an empty one gets a word, because
/// providers refuse empty content.
fn bounded(mut content: String) -> String {
    if content.trim().is_empty() {
        return "(no output)".to_owned();
    }
    if content.len() > MAX_OUTPUT {
        let total = content.len();
        let cut = floor_boundary(&content, MAX_OUTPUT);
        content.truncate(cut);
        content.push_str(&format!("\n[output cut: {cut} of {total} bytes shown]"));
    }
    content
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(0)
}

fn shorten(text: &str, max: usize) -> String {
    let mut short: String = text.chars().take(max).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Messages API, tools: names match `^[a-zA-Z0-9_-]{1,64}$`.
fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[cfg(test)]
mod tests;
