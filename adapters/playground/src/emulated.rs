//! The emulators behind the playground: one Telegram bot with one user, and the demo model.
//!
//! A second model server, which nobody sees, is asked what the demo model says to each request of
//! the gateway, without a stream. So the page and the tests can compare what stands in the chat
//! with what the model said, whatever was killed while it said it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use talaria_emulators::telegram::UserSpec;
use talaria_emulators::{
    AnthropicControl, AnthropicEmulator, AnthropicOptions, TelegramEmulator, TelegramOptions,
};
use tokio::task::JoinSet;

use crate::Error;
use crate::chats::{Chat, TelegramChat};
use crate::http::ModelAnswers;

/// The one user.
const USER: i64 = 5001;
const USER_NAME: &str = "You";
const BOT_NAME: &str = "talaria_playground_bot";
const TITLE: &str = "Talaria";
/// How often new requests of the gateway are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Requests whose answers are kept.
const MAX_ANSWERS: usize = 500;

/// The running emulators; they end when this is dropped.
pub(crate) struct Emulated {
    telegram: TelegramEmulator,
    token: String,
    model: AnthropicEmulator,
    twin: AnthropicEmulator,
    client: reqwest::Client,
    answers: Arc<Answers>,
}

/// By the number of the gateway's request: what the model says to it.
type Answers = Mutex<BTreeMap<usize, Value>>;

impl Emulated {
    pub(crate) async fn start() -> Result<Self, Error> {
        let token = bot_token()?;
        let telegram = TelegramEmulator::start(TelegramOptions {
            users: vec![UserSpec {
                id: USER,
                first_name: USER_NAME.to_owned(),
                username: None,
            }],
            ..TelegramOptions::with_bot(&token, BOT_NAME)
        })
        .await
        .map_err(|source| Error::Emulator {
            name: "Telegram",
            source,
        })?;
        let failed = |source| Error::Emulator {
            name: "model",
            source,
        };
        let model = AnthropicEmulator::start(AnthropicOptions::default())
            .await
            .map_err(failed)?;
        let at_once = AnthropicOptions {
            tokens_per_second: 0.0,
            ..AnthropicOptions::default()
        };
        let twin = AnthropicEmulator::start(at_once).await.map_err(failed)?;
        // The proxies of the environment are for the outside world.
        let client = reqwest::Client::builder()
            .no_proxy()
            .build()
            .map_err(Error::Client)?;
        Ok(Self {
            telegram,
            token,
            model,
            twin,
            client,
            answers: Arc::default(),
        })
    }

    pub(crate) fn chats(&self) -> Vec<Arc<dyn Chat>> {
        vec![Arc::new(TelegramChat::new(
            self.telegram.control(),
            USER,
            TITLE,
        ))]
    }

    pub(crate) fn telegram_url(&self) -> String {
        self.telegram.api_url()
    }

    pub(crate) fn telegram_token(&self) -> &str {
        &self.token
    }

    pub(crate) fn model_url(&self) -> String {
        self.model.base_url()
    }

    /// Each request of the gateway to the model, oldest first: what became of its stream, and the
    /// whole text that the model says to it (null until it is known).
    pub(crate) fn model_answers(&self) -> ModelAnswers {
        let (control, answers) = (self.model.control(), Arc::clone(&self.answers));
        Arc::new(move || {
            let answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
            let requests = control.requests();
            requests
                .iter()
                .map(|request| {
                    json!({
                        "number": request.number,
                        "outcome": request.outcome,
                        "body_hash": request.body_hash,
                        "text": answers.get(&request.number),
                    })
                })
                .collect()
        })
    }

    /// Asks the twin about each request of the gateway; runs until it is aborted.
    pub(crate) fn keep_answers(&self) -> impl Future<Output = Result<(), Error>> + use<> {
        let url = format!("{}/v1/messages", self.twin.base_url());
        let (control, client) = (self.model.control(), self.client.clone());
        let answers = Arc::clone(&self.answers);
        async move {
            let mut asked = 0;
            let mut asking = JoinSet::new();
            loop {
                for (number, body) in new_requests(&control, asked) {
                    asked = number + 1;
                    let asks = ask(client.clone(), url.clone(), body);
                    let answers = Arc::clone(&answers);
                    asking.spawn(async move { keep(&answers, number, asks.await) });
                }
                while asking.try_join_next().is_some() {}
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
    }
}

fn new_requests(control: &AnthropicControl, from: usize) -> Vec<(usize, Value)> {
    let requests = control
        .requests()
        .into_iter()
        .filter(|request| request.number >= from);
    requests
        .map(|request| (request.number, request.body))
        .collect()
}

fn keep(answers: &Answers, number: usize, text: Option<String>) {
    let Some(text) = text else { return };
    let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
    answers.insert(number, Value::String(text));
    while answers.len() > MAX_ANSWERS {
        answers.pop_first();
    }
}

/// The text of the model's whole answer. A failure leaves the answer unknown; nothing hangs on it.
#[expect(
    clippy::disallowed_methods,
    reason = "this crate's one call over the network"
)]
async fn ask(client: reqwest::Client, url: String, mut body: Value) -> Option<String> {
    body["stream"] = Value::Bool(false);
    let request = client
        .post(url)
        .header("anthropic-version", "2023-06-01")
        .json(&body);
    let answer = request.send().await.ok()?.json::<Value>().await.ok()?;
    let blocks = answer["content"].as_array()?;
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    Some(texts.join("\n\n"))
}

/// A new bot at each start: with a kept data folder, yesterday's chat has the same message ids as
/// today's, and the gateway rightly takes a known id of the same bot for a duplicate.
fn bot_token() -> Result<String, Error> {
    let mut random = [0u8; 31];
    getrandom::fill(&mut random).map_err(Error::Random)?;
    let [a, b, c, d, secret @ ..] = random;
    let id = 7_000_000_000 + u64::from(u32::from_be_bytes([a, b, c, d]) % 1_000_000_000);
    Ok(format!(
        "{id}:{}",
        data_encoding::BASE64URL_NOPAD.encode(&secret)
    ))
}

#[cfg(test)]
mod tests;
