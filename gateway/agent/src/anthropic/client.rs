//! The Messages API over HTTP: one request, its stream of events.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Response, Url};
use talaria_types::Secret;
use talaria_types::model::{ModelError, ModelErrorKind, ModelRequest, StreamEvent};

use super::decode::StreamDecoder;
use super::{classify, request};
use crate::http::{self, Http};
use crate::{Error, Model};

/// The version of the API that this client speaks.
const API_VERSION: &str = "2023-06-01";

/// How much of an error's body is read, in bytes, and for how long.
const MAX_ERROR_BODY: usize = 64 * 1024;
const ERROR_BODY_TIME: Duration = Duration::from_secs(10);

/// How long the end of a body may take after the last event.
const DRAIN_TIME: Duration = Duration::from_millis(50);

/// Where and as whom to ask.
#[derive(Clone, Debug)]
pub struct AnthropicSettings {
    /// Name of the provider in the configuration; for logs.
    pub provider: String,
    /// Without `/v1/messages`. `http://` is allowed, for local servers.
    pub base_url: String,
    pub api_key: Secret,
    /// The model's id as the provider knows it.
    pub model: String,
}

/// A model behind the Messages API.
#[derive(Clone)]
pub struct Anthropic {
    shared: Arc<Shared>,
}

struct Shared {
    http: Http,
    url: Url,
    key: HeaderValue,
    model: String,
    name: String,
}

impl Anthropic {
    /// # Errors
    /// [`Error::BaseUrl`] and [`Error::ApiKey`].
    pub fn new(http: Http, settings: AnthropicSettings) -> Result<Self, Error> {
        let AnthropicSettings {
            provider,
            base_url,
            api_key,
            model,
        } = settings;
        let mut url = Url::parse(&base_url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or(Error::BaseUrl(base_url))?;
        url.set_path(&format!("{}/v1/messages", url.path().trim_end_matches('/')));
        let mut key = HeaderValue::from_str(api_key.expose()).map_err(|_| Error::ApiKey)?;
        key.set_sensitive(true);
        api_key.register();
        let name = format!("{provider}/{model}");
        Ok(Self {
            shared: Arc::new(Shared {
                http,
                url,
                key,
                model,
                name,
            }),
        })
    }
}

impl fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Anthropic").field(&self.shared.name).finish()
    }
}

impl Model for Anthropic {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, StreamEvent> {
        let start = Asking::Start(Arc::clone(&self.shared), Box::new(request));
        stream::unfold(
            (start, VecDeque::new()),
            |(mut asking, mut ready)| async move {
                loop {
                    if let Some(event) = ready.pop_front() {
                        return Some((event, (asking, ready)));
                    }
                    asking = asking.advance(&mut ready).await?;
                }
            },
        )
        .boxed()
    }

    fn name(&self) -> &str {
        &self.shared.name
    }
}

/// Where a request is. Dropping it in any state drops the connection's use.
enum Asking {
    Start(Arc<Shared>, Box<ModelRequest>),
    Reading(Box<Reading>),
    Done,
}

struct Reading {
    body: BoxStream<'static, reqwest::Result<Bytes>>,
    decoder: StreamDecoder,
    /// How long the next piece may take.
    patience: Duration,
    idle: Duration,
    out: Vec<StreamEvent>,
}

impl Asking {
    /// One step: puts events into `ready`. None when nothing is left.
    async fn advance(self, ready: &mut VecDeque<StreamEvent>) -> Option<Self> {
        match self {
            Self::Start(shared, request) => match shared.start(&request).await {
                Ok(reading) => Some(Self::Reading(Box::new(reading))),
                Err(error) => {
                    Http::finished();
                    ready.push_back(StreamEvent::Failed(error));
                    Some(Self::Done)
                }
            },
            Self::Reading(mut reading) => {
                reading.read().await;
                ready.extend(reading.out.drain(..));
                if reading.decoder.is_done() {
                    reading.drain().await;
                    Http::finished();
                    return Some(Self::Done);
                }
                Some(Self::Reading(reading))
            }
            Self::Done => None,
        }
    }
}

impl Shared {
    async fn start(&self, request: &ModelRequest) -> Result<Reading, ModelError> {
        let body = request::body(&self.model, request).map_err(|error| {
            classify::failure(
                ModelErrorKind::Invalid,
                &format!("can't write the request: {error}"),
            )
        })?;
        let request = self
            .http
            .post(self.url.clone())
            .header("x-api-key", self.key.clone())
            .header("anthropic-version", API_VERSION)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(body);
        let response = self.http.send(request).await?;
        let status = response.status().as_u16();
        if status != 200 {
            let headers = response.headers().clone();
            let body = error_body(response).await;
            return Err(classify::http_error(
                status,
                &headers,
                &body,
                self.http.now(),
            ));
        }
        if let Some(kind) = foreign_content(&response) {
            let detail = format!("the answer is {kind}, not an event stream");
            return Err(classify::failure(ModelErrorKind::Protocol, &detail));
        }
        let timeouts = self.http.timeouts();
        Ok(Reading {
            body: response.bytes_stream().boxed(),
            decoder: StreamDecoder::new(),
            patience: timeouts.first_byte.max(timeouts.idle),
            idle: timeouts.idle,
            out: Vec::new(),
        })
    }
}

impl Reading {
    /// Takes the next piece of the body, or its end.
    async fn read(&mut self) {
        match tokio::time::timeout(self.patience, self.body.next()).await {
            Ok(Some(Ok(bytes))) => {
                self.patience = self.idle;
                self.decoder.feed(&bytes, &mut self.out);
            }
            Ok(Some(Err(error))) => {
                self.decoder
                    .end(Some(&http::network(&error).detail), &mut self.out);
            }
            Ok(None) => self.decoder.end(None, &mut self.out),
            Err(_elapsed) => {
                let detail = format!("the stream was silent for {:?}", self.patience);
                self.decoder.end(Some(&detail), &mut self.out);
            }
        }
    }

    /// Reads the end of the body, which usually came with the last event: only then the connection
    /// is used again. Not worth a wait that anyone feels.
    async fn drain(&mut self) {
        let rest = async { while let Some(Ok(_)) = self.body.next().await {} };
        let _at_best = tokio::time::timeout(DRAIN_TIME, rest).await;
    }
}

/// A type of content that says that this is no event stream. Servers that name none are believed.
fn foreign_content(response: &Response) -> Option<String> {
    let kind = response
        .headers()
        .get(CONTENT_TYPE)?
        .to_str()
        .ok()?
        .to_ascii_lowercase();
    ["text/html", "application/json"]
        .iter()
        .find(|foreign| kind.starts_with(**foreign))?;
    Some(kind)
}

/// The head of an error's body; empty if it does not come.
async fn error_body(response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    let mut pieces = response.bytes_stream();
    let read = async {
        while let Some(Ok(piece)) = pieces.next().await {
            body.extend_from_slice(&piece);
            if body.len() >= MAX_ERROR_BODY {
                body.truncate(MAX_ERROR_BODY);
                return;
            }
        }
    };
    // What came in time is enough.
    let _in_time = tokio::time::timeout(ERROR_BODY_TIME, read).await;
    body
}

#[cfg(test)]
mod tests;
