//! The least that any client of these emulators takes: a loop without memory, limits or drafts
//! that polls, asks and sends. What it needs is the emulators' own share of a figure.

use futures::StreamExt;
use serde_json::{Value, json};
use talaria_emulators::{AnthropicEmulator, AnthropicOptions, TelegramEmulator, TelegramOptions};
use talaria_harness::setup::{API_KEY, TOKEN};

use crate::latency::{Latency, Rounds, one_by_one};
use crate::options::user;

/// A Bot API client without any care.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: String,
}

impl Client {
    #[must_use]
    pub fn new(telegram_url: &str) -> Self {
        Self {
            http: http(),
            base: format!("{telegram_url}/bot{TOKEN}"),
        }
    }

    /// One call: its status and its answer.
    ///
    /// # Errors
    /// The network's.
    pub async fn call(&self, method: &str, body: &Value) -> reqwest::Result<(u16, Value)> {
        let url = format!("{}/{method}", self.base);
        let response = self.http.post(url).json(body).send().await?;
        let status = response.status().as_u16();
        Ok((status, response.json().await?))
    }
}

fn http() -> reqwest::Client {
    // Only one provider is linked; a second installation is refused and not needed.
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
    reqwest::Client::builder()
        .tcp_nodelay(true)
        .no_proxy()
        .build()
        .expect("a client")
}

/// Polls, asks and sends until it is dropped.
async fn echo(telegram: Client, model_url: String) -> reqwest::Result<()> {
    let model = http();
    let mut offset = 0;
    loop {
        let poll = json!({"offset": offset, "timeout": 30});
        let (_, answer) = telegram.call("getUpdates", &poll).await?;
        for update in answer["result"].as_array().into_iter().flatten() {
            offset = update["update_id"].as_i64().unwrap_or(0) + 1;
            let message = &update["message"];
            let request = json!({
                "model": "claude-sonnet-4-6", "max_tokens": 1000, "stream": true,
                "messages": [{"role": "user", "content": message["text"]}],
            });
            let url = format!("{model_url}/v1/messages");
            let response = model
                .post(url)
                .header("x-api-key", API_KEY)
                .header("anthropic-version", "2023-06-01")
                .json(&request)
                .send()
                .await?;
            let text = read(response).await?;
            let send = json!({"chat_id": message["chat"]["id"], "text": text});
            telegram.call("sendMessage", &send).await?;
        }
    }
}

/// The text of a stream.
async fn read(response: reqwest::Response) -> reqwest::Result<String> {
    let (mut text, mut rest) = (String::new(), Vec::new());
    let mut stream = response.bytes_stream();
    while let Some(bytes) = stream.next().await {
        rest.extend_from_slice(&bytes?);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let Some(data) = line.strip_prefix("data: ") else {
                continue;
            };
            let event: Value = serde_json::from_str(data).unwrap_or_default();
            if let Some(more) = event["delta"]["text"].as_str() {
                text.push_str(more);
            }
            if event["type"] == "message_stop" {
                return Ok(text);
            }
        }
    }
    Ok(text)
}

/// The latency of that loop.
///
/// # Panics
/// If an emulator does not start.
pub async fn floor(rounds: Rounds) -> Latency {
    let telegram = TelegramEmulator::start(TelegramOptions::with_bot(TOKEN, "floor_bot"))
        .await
        .expect("the platform");
    for chat in 0..rounds.chats {
        telegram.control().add_user(user(chat), "User", None);
    }
    let model = AnthropicEmulator::start(AnthropicOptions {
        api_key: Some(API_KEY.to_owned()),
        ..AnthropicOptions::default()
    })
    .await
    .expect("the model");
    let client = Client::new(&telegram.api_url());
    let looping = tokio::spawn(echo(client, model.base_url()));
    let latency = one_by_one(&telegram.control(), &model.control(), rounds).await;
    looping.abort();
    latency
}
