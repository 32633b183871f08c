//! From a user's message to the model, and from the model's last token to the final text: read
//! from the logs of the emulators, which share one clock.

use std::collections::BTreeMap;

use talaria_emulators::anthropic::{Matcher, Message, RequestLog};
use talaria_emulators::{AnthropicControl, TelegramControl};

use crate::growth::changes;
use crate::table::{Samples, ms};
use crate::texts::{answer, mark};

/// One question with its answer.
#[derive(Clone, Debug)]
pub struct Asked {
    pub user: i64,
    pub number: usize,
    pub markdown: String,
    /// When the platform took it.
    pub at_us: u64,
    /// The message's id.
    pub message: i64,
}

/// The text of question `number`.
#[must_use]
pub fn question(number: usize) -> String {
    format!("Please explain {} to me.", mark(number))
}

/// Scripts the answer to a question, for every time that it is asked.
pub fn script(model: &AnthropicControl, number: usize, markdown: &str, speed: f64) {
    let reply = Message::text(markdown).at(speed);
    model.script_times(Matcher::LastUserContains(mark(number)), u32::MAX, reply);
}

/// The user asks.
///
/// # Panics
/// For an unknown user.
pub fn ask(telegram: &TelegramControl, user: i64, number: usize, markdown: &str) -> Asked {
    let message = telegram
        .user_text(user, &question(number))
        .expect("a user of the platform");
    let at_us = telegram
        .chat(user)
        .expect("a chat")
        .messages
        .iter()
        .find(|shown| shown.id == message)
        .expect("the message")
        .at_us;
    Asked {
        user,
        number,
        markdown: markdown.to_owned(),
        at_us,
        message,
    }
}

/// The question that a request answers: the mark in its last message with one.
#[must_use]
pub fn number_of(request: &RequestLog) -> Option<usize> {
    let messages = request.body["messages"].as_array()?;
    messages.iter().rev().find_map(|message| {
        let text = message.to_string();
        let (_, rest) = text.rsplit_once("explain q")?;
        rest.get(..5)?.parse().ok()
    })
}

/// The requests of each question, in order.
#[must_use]
pub fn requests(model: &AnthropicControl) -> BTreeMap<usize, Vec<RequestLog>> {
    let mut by_number: BTreeMap<usize, Vec<RequestLog>> = BTreeMap::new();
    for request in model.requests() {
        if let Some(number) = number_of(&request) {
            by_number.entry(number).or_default().push(request);
        }
    }
    by_number
}

/// Both ways, in milliseconds.
#[derive(Clone, Debug, Default)]
pub struct Latency {
    pub to_model: Samples,
    pub to_screen: Samples,
    /// The machine's load average, before and after.
    pub load: (f64, f64),
    /// What one durable write takes on the ledger's disk meanwhile, in milliseconds; 0: no disk is
    /// used.
    pub sync: f64,
}

/// How the questions of a latency run are asked.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    pub messages: usize,
    pub first_number: usize,
    pub chats: usize,
    /// The client shows Markdown as it is written.
    pub raw: bool,
}

/// Asks one question after the other, each when the one before is answered. Short answers of a
/// quick model: what is measured is the way, not the limits.
///
/// # Panics
/// If an answer does not come within 30 s.
pub async fn one_by_one(
    telegram: &TelegramControl,
    model: &AnthropicControl,
    rounds: Rounds,
) -> Latency {
    let mut latency = Latency {
        load: (crate::proc::load_average(), 0.0),
        ..Latency::default()
    };
    let limit = std::time::Duration::from_secs(30);
    for index in 0..rounds.messages {
        let number = rounds.first_number + index;
        let markdown = answer(number as u64, 40);
        script(model, number, &markdown, 400.0);
        let from_call = telegram.call_count();
        let user = crate::options::user(index % rounds.chats);
        let asked = ask(telegram, user, number, &markdown);
        let done = telegram
            .wait_until(limit, |telegram| {
                if rounds.raw {
                    texts(telegram, &asked).concat() == markdown
                } else {
                    whole(telegram, &asked)
                }
            })
            .await;
        assert!(done, "question {number} is not answered");
        // The answer of the last call has to arrive before the next question.
        tokio::time::sleep(std::time::Duration::from_millis(60)).await;
        let request = requests(model)
            .remove(&number)
            .and_then(|mut requests| requests.pop());
        let request = request.expect("a request for the question");
        latency.to_model.add(ms(asked.at_us, request.at_us));
        let changes = changes(telegram, from_call);
        let last = changes.get(&user).and_then(|changes| changes.last());
        let last = last.expect("a shown answer");
        let emitted = request.last_delta_us.expect("a last token");
        latency.to_screen.add(ms(emitted, last.at_us));
    }
    latency.load.1 = crate::proc::load_average();
    latency
}

/// What the bot shows after a question.
///
/// # Panics
/// For an unknown user.
#[must_use]
pub fn texts(telegram: &TelegramControl, asked: &Asked) -> Vec<String> {
    let chat = telegram.chat(asked.user).expect("a chat");
    chat.from_bot()
        .filter(|shown| shown.id > asked.message)
        .map(|shown| shown.text.clone())
        .collect()
}

/// Whether the chat shows exactly the answer after its question.
///
/// # Panics
/// For an unknown user.
#[must_use]
pub fn whole(telegram: &TelegramControl, asked: &Asked) -> bool {
    talaria_oracle::equal(&asked.markdown, &texts(telegram, asked)).is_ok()
}
