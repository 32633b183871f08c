//! The gateway's HTTP endpoints, asked over a plain connection so that every header is the test's.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::process::PATIENCE;
use crate::rig::Rig;

/// How long is waited before health is asked again; there is nothing to be woken by.
const AGAIN: Duration = Duration::from_millis(50);

impl Rig {
    /// Where the running gateway serves, from its log.
    ///
    /// # Panics
    /// If it does not say so.
    pub async fn address(&self) -> String {
        let log = self.log();
        let line = log.wait_for(PATIENCE, "http.address=").await;
        let line = line.unwrap_or_else(|| panic!("no address in the log:\n{}", log.text()));
        let (_, rest) = line.split_once("http.address=").unwrap_or_default();
        rest.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    /// Waits until health says this status word; returns the whole answer.
    ///
    /// # Panics
    /// If it does not within `limit`.
    pub async fn health_says(&self, word: &str, limit: Duration) -> Value {
        let until = tokio::time::Instant::now() + limit;
        loop {
            let (_, body) = self.get("/healthz", "localhost").await;
            let answer: Value = serde_json::from_str(&body).unwrap_or_default();
            if answer["status"] == word {
                return answer;
            }
            if tokio::time::Instant::now() > until {
                panic!("health does not say {word:?} after {limit:?}: {body}");
            }
            tokio::time::timeout(AGAIN, self.telegram().changed())
                .await
                .ok();
        }
    }

    /// GET with this Host header: status and body.
    ///
    /// # Panics
    /// If there is no answer.
    pub async fn get(&self, path: &str, host: &str) -> (u16, String) {
        let address = self.address().await;
        let mut stream = TcpStream::connect(&address)
            .await
            .expect("the gateway's port");
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream
            .write_all(request.as_bytes())
            .await
            .expect("a request");
        let mut answer = Vec::new();
        tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer))
            .await
            .expect("an answer in time")
            .expect("an answer");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        (status.unwrap_or(0), body.to_owned())
    }
}
