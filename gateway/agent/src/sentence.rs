//! What the chat is told when the model can't answer.

use talaria_types::model::{ModelError, ModelErrorKind};

/// One plain sentence for the people in the chat: what happened and what they can do. Nothing of
/// the provider is in it; the operator reads the error's detail in the log.
#[must_use]
pub fn failure_sentence(error: &ModelError) -> &'static str {
    match error.kind {
        ModelErrorKind::Auth => {
            "I can't answer because my access to the language model was refused; please ask whoever runs this bot to check its API key."
        }
        ModelErrorKind::Billing => {
            "I can't answer because the account for the language model has no credit left; please ask whoever runs this bot to top it up."
        }
        ModelErrorKind::Overloaded => {
            "The language model is overloaded right now; please send your message again in a few minutes."
        }
        ModelErrorKind::RateLimited => {
            "I have asked the language model too much in a short time; please wait a few minutes and send your message again."
        }
        ModelErrorKind::Network => {
            "I lost the connection to the language model before the answer was complete; please send your message again."
        }
        ModelErrorKind::TooLong => {
            "This conversation has become too long for the language model; send /new to start a fresh one."
        }
        ModelErrorKind::Server | ModelErrorKind::Protocol => {
            "The language model had a problem and couldn't finish the answer; please send your message again in a moment."
        }
        ModelErrorKind::Invalid => {
            "The language model refused this request; please word it differently, or send /new to start a fresh conversation."
        }
    }
}

#[cfg(test)]
mod tests;
