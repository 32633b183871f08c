//! A Telegram emulator with a bot, a user and an HTTP client.

use std::time::Duration;

use serde_json::{Value, json};
use talaria_emulators::telegram::Limits;
use talaria_emulators::{TelegramControl, TelegramEmulator, TelegramOptions};

pub(crate) const TOKEN: &str = "4000001:TEST-secret_of_the_bot";
pub(crate) const ANN: i64 = 5001;
pub(crate) const SOON: Duration = Duration::from_secs(10);

pub(crate) struct Rig {
    pub(crate) emulator: TelegramEmulator,
    pub(crate) control: TelegramControl,
    pub(crate) http: reqwest::Client,
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Value,
}

impl Reply {
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert_eq!(
            (self.status, &self.body["ok"]),
            (200, &json!(true)),
            "{}",
            self.body
        );
        self.body["result"].clone()
    }

    #[track_caller]
    pub(crate) fn refused(self, status: u16, description: &str) -> Value {
        assert_eq!(self.body["description"], description);
        assert_eq!(self.status, status);
        assert_eq!(self.body["ok"], false);
        assert_eq!(self.body["error_code"], status);
        self.body
    }
}

impl Rig {
    /// Without rate limits.
    pub(crate) async fn free() -> Self {
        Self::with(Limits::off()).await
    }

    pub(crate) async fn with(limits: Limits) -> Self {
        let options = TelegramOptions {
            limits,
            ..TelegramOptions::with_bot(TOKEN, "demo_bot")
        };
        let emulator = TelegramEmulator::start(options).await.unwrap();
        let control = emulator.control();
        control.add_user(ANN, "Ann", Some("ann"));
        Self {
            emulator,
            control,
            http: reqwest::Client::new(),
        }
    }

    pub(crate) fn url(&self, method: &str) -> String {
        format!("{}/bot{TOKEN}/{method}", self.emulator.api_url())
    }

    pub(crate) async fn try_call(
        &self,
        method: &str,
        params: Value,
    ) -> Result<Reply, reqwest::Error> {
        read(
            self.http
                .post(self.url(method))
                .json(&params)
                .send()
                .await?,
        )
        .await
    }

    pub(crate) async fn call(&self, method: &str, params: Value) -> Reply {
        self.try_call(method, params).await.unwrap()
    }

    pub(crate) async fn send(&self, text: &str) -> Reply {
        self.call("sendMessage", json!({"chat_id": ANN, "text": text}))
            .await
    }

    /// Sends and returns the message id.
    pub(crate) async fn sent(&self, text: &str) -> i64 {
        self.send(text).await.ok()["message_id"].as_i64().unwrap()
    }

    pub(crate) async fn updates(&self, params: Value) -> Vec<Value> {
        self.call("getUpdates", params)
            .await
            .ok()
            .as_array()
            .unwrap()
            .clone()
    }

    /// The texts of the bot's messages on the screen.
    pub(crate) fn screen(&self) -> Vec<String> {
        let chat = self.control.chat(ANN).unwrap();
        chat.from_bot()
            .map(|message| message.text.clone())
            .collect()
    }
}

pub(crate) async fn read(response: reqwest::Response) -> Result<Reply, reqwest::Error> {
    let status = response.status().as_u16();
    let header = response.headers().get("retry-after");
    let retry_after = header.map(|value| value.to_str().unwrap().to_owned());
    let text = response.text().await?;
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Ok(Reply {
        status,
        retry_after,
        body,
    })
}

/// An Anthropic emulator without pauses, and an HTTP client.
pub(crate) struct Model {
    pub(crate) emulator: talaria_emulators::AnthropicEmulator,
    pub(crate) control: talaria_emulators::AnthropicControl,
    pub(crate) http: reqwest::Client,
}

pub(crate) const KEY: &str = "test-key";

impl Model {
    pub(crate) async fn start() -> Self {
        let options = talaria_emulators::AnthropicOptions {
            api_key: Some(KEY.to_owned()),
            tokens_per_second: 0.0,
            ..talaria_emulators::AnthropicOptions::default()
        };
        let emulator = talaria_emulators::AnthropicEmulator::start(options)
            .await
            .unwrap();
        let control = emulator.control();
        Self {
            emulator,
            control,
            http: reqwest::Client::new(),
        }
    }

    pub(crate) fn request(&self, body: &Value) -> reqwest::RequestBuilder {
        let url = format!("{}/v1/messages", self.emulator.base_url());
        let request = self.http.post(url).header("x-api-key", KEY);
        request.header("anthropic-version", "2023-06-01").json(body)
    }

    /// Status and JSON.
    pub(crate) async fn ask(&self, body: &Value) -> (u16, Value) {
        let response = self.request(body).send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    /// The events of a stream, and whether its body ended properly.
    pub(crate) async fn stream(&self, body: &Value) -> (Vec<(String, Value)>, bool) {
        let mut response = self.request(body).send().await.unwrap();
        assert_eq!(
            response.headers()["content-type"],
            "text/event-stream; charset=utf-8"
        );
        let mut text = String::new();
        let whole = loop {
            match response.chunk().await {
                Ok(Some(bytes)) => text.push_str(std::str::from_utf8(&bytes).unwrap()),
                Ok(None) => break true,
                Err(_) => break false,
            }
        };
        let event = |part: &str| {
            let (name, data) = part.strip_prefix("event: ")?.split_once("\ndata: ")?;
            Some((name.to_owned(), serde_json::from_str(data).ok()?))
        };
        (text.split("\n\n").filter_map(event).collect(), whole)
    }
}

/// A request with one user message.
pub(crate) fn says(text: &str) -> Value {
    json!({
        "model": "demo", "max_tokens": 8000, "messages": [{"role": "user", "content": text}],
    })
}

/// The same, streamed.
pub(crate) fn streams(text: &str) -> Value {
    let mut body = says(text);
    body["stream"] = json!(true);
    body
}
