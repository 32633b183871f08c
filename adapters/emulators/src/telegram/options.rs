//! Starting a Telegram emulator.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use serde::{Deserialize, Serialize};

use super::control::TelegramControl;
use super::http;
use super::limits::Limits;
use super::shared::Shared;
use super::state::State;
use crate::Error;
use crate::server::Server;

/// A bot account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotSpec {
    /// `<digits>:<secret>`; the digits are the bot's user id.
    pub token: String,
    /// Without the `@`.
    pub username: String,
}

/// A user who has started every bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserSpec {
    /// The user's id, which is also the id of the private chat.
    pub id: i64,
    /// The first name.
    pub first_name: String,
    /// Without the `@`.
    #[serde(default)]
    pub username: Option<String>,
}

/// How to start a [`TelegramEmulator`].
#[derive(Debug, Clone)]
pub struct TelegramOptions {
    /// Where to listen; port 0 takes any.
    pub bind: SocketAddr,
    /// The rate limits; on by default.
    pub limits: Limits,
    /// The bots; the first one is the control handle's default.
    pub bots: Vec<BotSpec>,
    /// The users.
    pub users: Vec<UserSpec>,
}

impl Default for TelegramOptions {
    fn default() -> Self {
        Self {
            bind: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            limits: Limits::default(),
            bots: Vec::new(),
            users: Vec::new(),
        }
    }
}

impl TelegramOptions {
    /// Any port of the loopback interface, with one bot.
    #[must_use]
    pub fn with_bot(token: &str, username: &str) -> Self {
        let bot = BotSpec {
            token: token.to_owned(),
            username: username.to_owned(),
        };
        Self {
            bots: vec![bot],
            ..Self::default()
        }
    }
}

/// A running Telegram Bot API server. It ends when this is dropped.
#[derive(Debug)]
pub struct TelegramEmulator {
    server: Server,
    control: TelegramControl,
}

impl TelegramEmulator {
    /// Starts the server inside the current tokio runtime.
    ///
    /// # Errors
    /// [`Error::Bind`]; [`Error::MalformedToken`] for a bot in the options.
    pub async fn start(options: TelegramOptions) -> Result<Self, Error> {
        let state = State {
            limits: options.limits,
            ..State::default()
        };
        let shared = Arc::new(Shared::new(state));
        let router = Router::new()
            .fallback(http::handle)
            .with_state(Arc::clone(&shared));
        let server = Server::start(options.bind, router).await?;
        let default_bot = options.bots.first().map(|bot| bot.token.clone());
        let control = TelegramControl::new(shared, server.connections(), default_bot);
        for bot in &options.bots {
            control.add_bot(&bot.token, &bot.username)?;
        }
        for user in &options.users {
            control.add_user(user.id, &user.first_name, user.username.as_deref());
        }
        Ok(Self { server, control })
    }

    /// What a client takes as its API URL, without a slash at the end.
    #[must_use]
    pub fn api_url(&self) -> String {
        format!("http://{}", self.server.addr())
    }

    /// The listening address.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    /// The control handle; clones act on the same server and outlive it harmlessly.
    #[must_use]
    pub fn control(&self) -> TelegramControl {
        self.control.clone()
    }
}
