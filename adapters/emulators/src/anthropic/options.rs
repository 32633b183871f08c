//! Starting an Anthropic emulator.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::post;

use super::check::Rules;
use super::control::AnthropicControl;
use super::http;
use super::shared::{Settings, Shared};
use crate::Error;
use crate::server::Server;

/// How to start an [`AnthropicEmulator`].
#[derive(Debug, Clone)]
pub struct AnthropicOptions {
    /// Where to listen; port 0 takes any.
    pub bind: SocketAddr,
    /// The only accepted `x-api-key`; absent: every key, also none.
    pub api_key: Option<String>,
    /// Streaming speed; 0: no pauses.
    pub tokens_per_second: f64,
    /// Tokens in one delta.
    pub chunk_tokens: usize,
    /// Refuse two messages of one role in a row (the real API joins them today).
    pub strict_alternation: bool,
    /// The model's context; longer prompts are refused.
    pub context_tokens: usize,
}

impl Default for AnthropicOptions {
    fn default() -> Self {
        Self {
            bind: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            api_key: None,
            tokens_per_second: 60.0,
            chunk_tokens: 2,
            strict_alternation: true,
            context_tokens: 200_000,
        }
    }
}

/// A running Messages API server. It ends when this is dropped.
#[derive(Debug)]
pub struct AnthropicEmulator {
    server: Server,
    control: AnthropicControl,
}

impl AnthropicEmulator {
    /// Starts the server inside the current tokio runtime.
    ///
    /// # Errors
    /// [`Error::Bind`].
    pub async fn start(options: AnthropicOptions) -> Result<Self, Error> {
        let shared = Arc::new(Shared::new(Settings {
            api_key: options.api_key,
            tokens_per_second: options.tokens_per_second,
            chunk_tokens: options.chunk_tokens,
            rules: Rules {
                strict_alternation: options.strict_alternation,
                context_tokens: options.context_tokens,
            },
        }));
        let router = Router::new()
            .route("/v1/messages", post(http::messages))
            .fallback(http::not_found)
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&shared));
        let server = Server::start(options.bind, router).await?;
        let control = AnthropicControl::new(shared, server.connections());
        Ok(Self { server, control })
    }

    /// What a client takes as its base URL, without a slash at the end.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.server.addr())
    }

    /// The listening address.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    /// The control handle; clones act on the same server and outlive it harmlessly.
    #[must_use]
    pub fn control(&self) -> AnthropicControl {
        self.control.clone()
    }
}
