//! The one place where requests leave: a POST of JSON to `{api_url}/bot{token}/{method}`, its
//! answer read up to a bound, and what went wrong told apart without the URL, which has the token.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use talaria_types::Secret;
use talaria_types::secret::scrub;

use crate::settings::{Error, TelegramSettings};

/// An answer, whatever its status.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The header of that name, in seconds.
    pub(crate) retry_after: Option<u64>,
    pub(crate) body: Vec<u8>,
}

/// No answer that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The request never left: no connection came about.
    NotSent { detail: String },
    /// The request may have arrived: reset, cut or timed out afterwards.
    MaybeSent { detail: String },
    /// The answer is longer than its bound. `head` is its beginning.
    TooLarge { head: Vec<u8> },
}

/// The connections to one Bot API server, for one bot.
#[derive(Debug)]
pub(crate) struct Http {
    client: Client,
    base: String,
    token: Secret,
}

impl Http {
    pub(crate) fn new(settings: &TelegramSettings) -> Result<Self, Error> {
        let client = Client::builder()
            .connect_timeout(settings.connect_timeout)
            // An answer must not wait for a delayed acknowledgement.
            .tcp_nodelay(true)
            .tcp_keepalive(Duration::from_secs(15))
            // Shorter than what servers and NATs keep, so that a call rarely meets a connection
            // which is just being closed: that would be a call with unknown outcome.
            .pool_idle_timeout(Duration::from_secs(45))
            // Over HTTP/2 the waiting poll keeps the connection warm for the calls; the pings
            // notice when it is dead.
            .http2_keep_alive_interval(Duration::from_secs(15))
            .http2_keep_alive_timeout(Duration::from_secs(10))
            .http2_keep_alive_while_idle(true)
            // A redirect would carry the token to another host.
            .redirect(Policy::none())
            .build()
            .map_err(|error| Error::Client {
                name: settings.name.clone(),
                detail: scrub(&chain(&error.without_url())),
            })?;
        Ok(Self {
            client,
            base: settings.base()?,
            token: settings.token.clone(),
        })
    }

    /// Scheme, host and path before the token: what may be shown.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Posts once, no retry. Ends within `timeout`; reads at most `bound` bytes of the answer.
    pub(crate) async fn post(
        &self,
        method: &str,
        body: Vec<u8>,
        timeout: Duration,
        bound: usize,
    ) -> Result<Answer, Lost> {
        let url = format!("{}/bot{}/{method}", self.base, self.token.expose());
        let request = self
            .client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .timeout(timeout)
            .body(body)
            .build()
            .map_err(|error| Lost::NotSent {
                detail: shown(error),
            })?;
        #[expect(
            clippy::disallowed_methods,
            reason = "the adapter's choke point for the network"
        )]
        let sent = self.client.execute(request).await;
        match sent {
            Ok(response) => read(response, bound).await,
            // DNS, TCP and TLS failures happen before the first byte of the request is written.
            Err(error) if error.is_connect() => Err(Lost::NotSent {
                detail: shown(error),
            }),
            Err(error) => Err(Lost::MaybeSent {
                detail: shown(error),
            }),
        }
    }
}

async fn read(mut response: Response, bound: usize) -> Result<Answer, Lost> {
    let status = response.status().as_u16();
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.trim().parse().ok());
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > bound => {
                body.extend_from_slice(&chunk);
                body.truncate(bound.min(64 * 1024));
                return Err(Lost::TooLarge { head: body });
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => {
                return Ok(Answer {
                    status,
                    retry_after,
                    body,
                });
            }
            Err(error) => {
                let detail = format!("status {status}, then the answer was cut: {}", shown(error));
                return Err(Lost::MaybeSent { detail });
            }
        }
    }
}

/// What may be shown of a client error: its causes, never its URL.
fn shown(error: reqwest::Error) -> String {
    scrub(&chain(&error.without_url()))
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
