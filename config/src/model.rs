//! The configuration as it is meant: complete, checked, typed. Secrets are [`Secret`]s.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use talaria_types::{Secret, UserId};

#[derive(Clone, Debug)]
pub struct Config {
    pub gateway: Gateway,
    pub agent: Agent,
    /// By the name in `[providers.NAME]`. Holds the one that [`Agent::provider`] names.
    pub providers: BTreeMap<String, Provider>,
    pub access: Access,
    pub delivery: Delivery,
    /// In the file's order. Names and bot identities are unique.
    pub telegram: Vec<Telegram>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gateway {
    /// Absolute. Not checked for existence: whoever opens it says what is wrong with it.
    pub data_dir: PathBuf,
    /// Where health and metrics are served; `None` for "off". Port 0 means any.
    pub listen: Option<SocketAddr>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// A key of [`Config::providers`].
    pub provider: String,
    /// The model's id, as the provider names it.
    pub model: String,
    pub system_prompt: String,
    pub busy: Busy,
    /// Model responses in one turn, 1 to 1000.
    pub max_steps: u32,
    /// Tokens in one model response, 1 to 1,000,000.
    pub max_tokens: u32,
}

/// What happens to a message that comes while a turn is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Busy {
    /// It waits for its own turn.
    Queue,
}

#[derive(Clone, Debug)]
pub struct Provider {
    pub kind: ProviderKind,
    /// Checked: http or https, a host, no credentials, query, fragment or final slash.
    pub base_url: String,
    /// There for every kind but demo.
    pub api_key: Option<Secret>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    Anthropic,
    /// A local model server that speaks the Anthropic wire format and asks for no key.
    Demo,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    pub default: Policy,
    pub admins: Vec<Principal>,
}

/// What happens to people whom no rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    Deny,
    /// They get a code that an admin can approve.
    Pair,
    Open,
}

/// A person on a platform, as `<platform>:<user id>` in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Principal {
    pub platform: String,
    pub user: UserId,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// After this an owed post is settled as expired.
    pub max_age: Duration,
}

/// One Telegram account.
#[derive(Clone, Debug)]
pub struct Telegram {
    /// For people: logs and listings. Never an identity.
    pub name: String,
    pub token: Secret,
    /// The bot's user id: what stands before the token's colon (Bot API: Authorizing your bot).
    pub bot_id: u64,
    /// Checked as [`Provider::base_url`] is.
    pub api_url: String,
    /// People who need no pairing.
    pub allow: Vec<UserId>,
}
