//! The HTTP client that all model clients share, and the one place where a request to a model
//! leaves the process.

use std::time::{Duration, SystemTime};

use reqwest::{Client, RequestBuilder, Response, Url, redirect};
use talaria_types::crash::{self, Choke, Side, WorkKind};
use talaria_types::model::{ModelError, ModelErrorKind};

use crate::Error;
use crate::anthropic::classify;

/// How long each wait of a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Name resolution, TCP and TLS.
    pub connect: Duration,
    /// From sending the request to the first byte of the answer's body.
    pub first_byte: Duration,
    /// Between two pieces of the body; a ping or comment counts.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(90),
        }
    }
}

/// The shared client. Cheap to clone; clones share connections.
#[derive(Clone, Debug)]
pub struct Http {
    outside: Client,
    /// For addresses of this machine: a proxy of the environment can't reach them.
    local: Client,
    timeouts: Timeouts,
    clock: fn() -> SystemTime,
}

impl Http {
    /// `clock` serves waits that a server gives as a date.
    ///
    /// # Errors
    /// [`Error::Client`] if TLS can't be set up.
    pub fn new(timeouts: Timeouts, clock: fn() -> SystemTime) -> Result<Self, Error> {
        let builder = || {
            Client::builder()
                .connect_timeout(timeouts.connect)
                .tcp_nodelay(true)
                .tcp_keepalive(Duration::from_secs(30))
                // A redirect would carry the key to another host.
                .redirect(redirect::Policy::none())
                .user_agent(concat!("talaria/", env!("CARGO_PKG_VERSION")))
        };
        let outside = builder().build().map_err(Error::Client)?;
        let local = builder().no_proxy().build().map_err(Error::Client)?;
        Ok(Self {
            outside,
            local,
            timeouts,
            clock,
        })
    }

    #[must_use]
    pub fn timeouts(&self) -> Timeouts {
        self.timeouts
    }

    pub(crate) fn now(&self) -> SystemTime {
        (self.clock)()
    }

    pub(crate) fn post(&self, url: Url) -> RequestBuilder {
        let client = if is_local(&url) {
            &self.local
        } else {
            &self.outside
        };
        client.post(url)
    }

    /// The choke point: sends the request and waits for the answer's head. [`Http::finished`] is
    /// its other end.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Response, ModelError> {
        crash::pass(Choke::Work(WorkKind::Model), Side::Before);
        #[expect(
            clippy::disallowed_methods,
            reason = "the choke point of model requests"
        )]
        let answer = tokio::time::timeout(self.timeouts.first_byte, request.send()).await;
        match answer {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(network(&error)),
            Err(_elapsed) => Err(classify::failure(
                ModelErrorKind::Network,
                &format!("no answer within {:?}", self.timeouts.first_byte),
            )),
        }
    }

    /// Says that the last event of a request is known (its end, or its failure).
    pub(crate) fn finished() {
        crash::pass(Choke::Work(WorkKind::Model), Side::After);
    }
}

/// The failure that an error of the client library is, with its causes and without the URL.
pub(crate) fn network(error: &reqwest::Error) -> ModelError {
    let mut detail = if error.is_connect() {
        "can't connect".to_owned()
    } else if error.is_timeout() {
        "timed out".to_owned()
    } else {
        "the connection broke".to_owned()
    };
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        detail.push_str(": ");
        detail.push_str(&cause.to_string());
        source = cause.source();
    }
    classify::failure(ModelErrorKind::Network, &detail)
}

fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests;
