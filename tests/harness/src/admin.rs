//! The gateway's admin socket: one line of JSON there, one back.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::rig::Rig;

/// How long is waited before the gateway is asked again; there is nothing to be woken by.
const AGAIN: Duration = Duration::from_millis(25);

impl Rig {
    /// Asks the running gateway; `Err` is its error, or why there is no answer.
    ///
    /// # Errors
    /// The gateway's own error text, or what is wrong with the socket.
    pub async fn ask(&self, request: &Value) -> Result<Value, String> {
        let text = |error: std::io::Error| error.to_string();
        let mut stream = UnixStream::connect(self.data_dir().join("admin.sock"))
            .await
            .map_err(text)?;
        stream
            .write_all(format!("{request}\n").as_bytes())
            .await
            .map_err(text)?;
        let mut line = String::new();
        BufReader::new(stream)
            .read_line(&mut line)
            .await
            .map_err(text)?;
        let mut answer: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        match answer.get("error").and_then(Value::as_str) {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer["ok"].take()),
        }
    }

    /// Everything that is owed: open inbounds, running turns, posts.
    ///
    /// # Errors
    /// As [`Rig::ask`].
    pub async fn owed(&self) -> Result<Vec<Value>, String> {
        let list = self
            .ask(&json!({"command": "list", "all": false, "limit": 50}))
            .await?;
        Ok(list.as_array().cloned().unwrap_or_default())
    }

    /// Figures since the start.
    ///
    /// # Errors
    /// As [`Rig::ask`].
    pub async fn overview(&self) -> Result<Value, String> {
        self.ask(&json!({"command": "overview"})).await
    }

    /// Whether every update is confirmed and nothing is owed.
    ///
    /// # Panics
    /// If there is no bot.
    pub async fn is_quiet(&self) -> bool {
        let waiting = self.telegram().pending_updates().expect("the bot").len();
        waiting == 0 && matches!(self.owed().await, Ok(owed) if owed.is_empty())
    }

    /// Waits until everything is done: every update is confirmed and nothing is owed. Only for
    /// knowing when to look; what is right is judged by the chat.
    ///
    /// # Panics
    /// If it is not so within `limit`.
    pub async fn quiet(&self, limit: Duration) {
        let until = tokio::time::Instant::now() + limit;
        loop {
            let waiting = self.telegram().pending_updates().expect("the bot").len();
            let owed = self.owed().await;
            if waiting == 0 && matches!(&owed, Ok(owed) if owed.is_empty()) {
                return;
            }
            if tokio::time::Instant::now() >= until {
                panic!(
                    "not quiet after {limit:?}: {waiting} updates wait, owed: {owed:?}\n{}",
                    self.log_text()
                );
            }
            tokio::time::timeout(AGAIN, self.telegram().changed())
                .await
                .ok();
        }
    }
}
