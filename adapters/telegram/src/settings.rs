//! What the adapter is told: plain values, already read and validated by the configuration.

use std::time::Duration;

use reqwest::Url;
use talaria_types::{AccountId, Secret};

/// Where the Bot API is, unless the settings say otherwise (Bot API: Making requests).
pub(crate) const DEFAULT_API_URL: &str = "https://api.telegram.org";

/// The longest wait that the server grants to a poll (Bot API server: getUpdates clamps it).
pub(crate) const MAX_POLL: Duration = Duration::from_secs(50);

/// One bot.
#[derive(Clone, Debug)]
pub struct TelegramSettings {
    /// The name in the configuration, for messages to the operator only.
    pub name: String,
    /// `<bot id>:<secret>`, from BotFather.
    pub token: Secret,
    /// Scheme, host and path before `/bot<token>/`.
    pub api_url: String,
    /// How long a poll waits for an update. At most 50 s.
    pub poll_timeout: Duration,
    /// How long any other call may take, with its answer.
    pub call_timeout: Duration,
    /// How long a connection may take. Shorter than `call_timeout`, so that a connection that never
    /// came about is told from a call that was not answered.
    pub connect_timeout: Duration,
    /// The first wait after a failed poll; it doubles up to `retry_max`.
    pub retry_first: Duration,
    pub retry_max: Duration,
}

/// Settings that can't work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(
        "telegram {name}: the token does not have the form <bot id>:<secret>; copy it again from BotFather"
    )]
    Token { name: String },
    #[error("telegram {name}: api_url is not an http(s) address without query")]
    ApiUrl { name: String },
    #[error("telegram {name}: the HTTP client can't be set up: {detail}")]
    Client { name: String, detail: String },
}

impl TelegramSettings {
    /// The usual settings for a bot.
    #[must_use]
    pub fn new(name: impl Into<String>, token: Secret) -> Self {
        Self {
            name: name.into(),
            token,
            api_url: DEFAULT_API_URL.to_owned(),
            poll_timeout: Duration::from_secs(25),
            call_timeout: Duration::from_secs(15),
            connect_timeout: Duration::from_secs(5),
            retry_first: Duration::from_secs(1),
            retry_max: Duration::from_secs(30),
        }
    }

    /// The account that the token belongs to: the digits before its colon are the bot's id, so no
    /// network is needed (getMe confirms it).
    ///
    /// # Errors
    /// [`Error::Token`] if the token has another form.
    pub fn account(&self) -> Result<AccountId, Error> {
        Ok(AccountId::new(format!("telegram:{}", self.bot_id()?)))
    }

    pub(crate) fn bot_id(&self) -> Result<u64, Error> {
        let secret_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        self.token
            .expose()
            .split_once(':')
            .filter(|(id, _)| id.bytes().all(|b| b.is_ascii_digit()))
            .filter(|(_, secret)| !secret.is_empty() && secret.chars().all(secret_char))
            .and_then(|(id, _)| id.parse().ok())
            .ok_or_else(|| Error::Token {
                name: self.name.clone(),
            })
    }

    /// The address before `/bot<token>/`, without a slash at its end.
    pub(crate) fn base(&self) -> Result<String, Error> {
        let wrong = || Error::ApiUrl {
            name: self.name.clone(),
        };
        let url = Url::parse(self.api_url.trim()).map_err(|_| wrong())?;
        let usable = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none();
        if !usable {
            return Err(wrong());
        }
        Ok(url.as_str().trim_end_matches('/').to_owned())
    }
}

#[cfg(test)]
mod tests;
