//! What people read that no model wrote. Plain English, one place.

use std::time::Duration;

use talaria_ledger::records::Outcome;
use talaria_types::Command;
use talaria_types::model::ModelErrorKind;

/// The one sentence that a chat gets when the model can't answer. The operator gets the rest.
#[must_use]
pub fn model_failure(kind: ModelErrorKind) -> &'static str {
    match kind {
        ModelErrorKind::Auth => {
            "I can't answer: the AI service doesn't accept my key. The operator of this bot needs to fix it."
        }
        ModelErrorKind::Billing => {
            "I can't answer: my account with the AI service has no credit left. The operator of this bot needs to fix it."
        }
        ModelErrorKind::Overloaded | ModelErrorKind::RateLimited => {
            "The AI service is overloaded right now. Please try again in a few minutes."
        }
        ModelErrorKind::Network | ModelErrorKind::Server | ModelErrorKind::Protocol => {
            "I couldn't reach the AI service. Please try again in a few minutes."
        }
        ModelErrorKind::TooLong => {
            "This conversation is too long for me to go on. Start a new one with /new, or send a shorter message."
        }
        ModelErrorKind::Invalid => {
            "The AI service refused this request. Start a new conversation with /new, or ask in another way."
        }
    }
}

/// What stands under a text that did not become a whole answer.
#[must_use]
pub fn ending(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Finished => None,
        Outcome::Stopped | Outcome::Superseded => Some("(Stopped.)"),
        Outcome::Failed { error } => Some(model_failure(error)),
        Outcome::GivenUp => {
            Some("I had to give up on this answer: it failed several times. Please ask again.")
        }
    }
}

pub const EMPTY_ANSWER: &str = "I have no answer to that. Please ask in another way.";
pub const STOPPED: &str = "Stopped.";
pub const NOTHING_TO_STOP: &str = "Nothing is running: the last answer is already finished.";
pub const NEW_CONVERSATION: &str =
    "This is a new conversation. I no longer use what was said before.";
pub const PAIRED: &str = "You are in. Write me a message and I will answer.";
pub const OLD_BUTTON: &str = "This button does nothing any more.";
pub const STUB: &str = "(This message was withdrawn.)";
pub const EXPIRED: &str = "I was away for too long and did not answer an earlier message. Please send it again if it still matters.";

/// What the transcript says in the place of an answer that did not come.
pub const NO_ANSWER: &str = "(This answer was not finished.)";
/// What a model is told about a tool call whose outcome nobody knows.
pub const TOOL_UNKNOWN: &str = "The outcome of this call is unknown: it was started and then interrupted. It may have taken effect. Do not assume either.";
pub const TOOL_CANCELLED: &str = "This call was not made: the answer was stopped before.";
/// How the model is told that a text replaces an earlier one.
pub const EDITED_PREFIX: &str = "(The user edited an earlier message. It now reads:)\n";

#[must_use]
pub fn greeting() -> String {
    format!(
        "Hello! Write me a message and I will answer. These commands help:\n\n{}",
        help()
    )
}

#[must_use]
pub fn help() -> String {
    Command::ALL
        .into_iter()
        .map(|command| format!("/{} - {}", command.name(), command.description()))
        .collect::<Vec<_>>()
        .join("\n")
}

#[must_use]
pub fn unsupported(what: &str) -> String {
    format!("I can't read this ({what}) yet. Please send it as text.")
}

/// `/status`.
#[must_use]
pub fn status(model: &str, running: Option<Duration>, waiting: usize, entries: u64) -> String {
    let doing = match running {
        Some(since) => format!(
            "I have been working on an answer for {} s.",
            since.as_secs()
        ),
        None => "I am idle.".to_owned(),
    };
    let waiting = match waiting {
        0 => String::new(),
        1 => " One message waits.".to_owned(),
        more => format!(" {more} messages wait."),
    };
    format!("{doing}{waiting}\nModel: {model}\nMessages in this conversation: {entries}")
}

#[must_use]
pub fn pairing(code: &str) -> String {
    format!(
        "Hello! I don't know you yet. Your pairing code is {code}\n\nGive it to the operator of this bot, who lets you in with: talaria pair approve {code}"
    )
}

#[must_use]
pub fn too_many_steps(steps: u32) -> String {
    format!(
        "I stopped after {steps} steps without reaching an answer. Please ask for a smaller part of it."
    )
}
