//! The demo model: answers without a script. It says what it is, and shows what a gateway has to
//! cope with: long answers, all of Markdown, tools, a slow stream, an error.

mod texts;
mod tools;

use serde_json::Value;

use super::content::{last_tool_results, last_user_text};
use super::reply::{Message, Reply};

/// The reply to a request.
pub(crate) fn answer(body: &Value) -> Reply {
    let results = last_tool_results(body);
    if !results.is_empty() {
        return Message::text(&tools::conclude(body, &results)).into();
    }
    let text = last_user_text(body);
    match wish(&text) {
        Wish::Help => Message::text(&texts::help()).into(),
        Wish::Long => Message::text(&texts::long()).into(),
        Wish::Markdown => Message::text(texts::MARKDOWN).into(),
        Wish::Tool => tools::call(body, &["current_time", "calculator"], &text),
        Wish::Time => tools::call(body, &["current_time"], &text),
        Wish::Calc => tools::call(body, &["calculator"], &text),
        Wish::Slow => {
            let text = texts::slow();
            #[expect(clippy::cast_precision_loss, reason = "token counts are small")]
            let tokens = super::content::tokens(&text) as f64;
            Message::text(&text).at(tokens / SLOW_SECONDS).into()
        }
        Wish::Error => Reply::overloaded(),
        Wish::Other => Message::text(&texts::echo(&text, turns(body))).into(),
    }
}

const SLOW_SECONDS: f64 = 20.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Help,
    Long,
    Markdown,
    Tool,
    Time,
    Calc,
    Slow,
    Error,
    Other,
}

/// Messages longer than this are talk, not commands.
const COMMAND_WORDS: usize = 6;

fn wish(text: &str) -> Wish {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let Some(first) = words.first() else {
        return Wish::Help;
    };
    let first = command(first);
    // "what time is it" is a wish, "how long is the river" is none.
    let anywhere = || {
        let asked = words.iter().filter_map(|word| command(word));
        asked
            .into_iter()
            .find(|wish| matches!(wish, Wish::Time | Wish::Calc | Wish::Tool))
    };
    if words.len() <= COMMAND_WORDS {
        first.or_else(anywhere).unwrap_or(Wish::Other)
    } else {
        first
            .filter(|wish| *wish == Wish::Calc)
            .unwrap_or(Wish::Other)
    }
}

fn command(word: &str) -> Option<Wish> {
    match word {
        "help" | "start" | "hello" | "hi" | "hey" | "hallo" | "hola" | "bonjour" | "moin" => {
            Some(Wish::Help)
        }
        "long" => Some(Wish::Long),
        "markdown" => Some(Wish::Markdown),
        "tool" | "tools" => Some(Wish::Tool),
        "time" => Some(Wish::Time),
        "calc" | "calculate" | "calculator" => Some(Wish::Calc),
        "slow" => Some(Wish::Slow),
        "error" => Some(Wish::Error),
        _ => None,
    }
}

/// How many user messages with text there were.
fn turns(body: &Value) -> usize {
    let messages = body["messages"].as_array();
    let has_text = |message: &&Value| {
        super::content::blocks(message)
            .iter()
            .any(|b| b["type"] == "text")
    };
    messages
        .into_iter()
        .flatten()
        .filter(|m| m["role"] == "user")
        .filter(has_text)
        .count()
}
