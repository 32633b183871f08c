//! What a test's gateway and its surroundings are like.

use std::path::{Path, PathBuf};

use talaria_emulators::telegram::Limits;

/// The bot's token: of the real form, known to nobody.
pub const TOKEN: &str = "4200000001:AAHarnessHarnessHarnessHarnessCanary";
/// The model's key.
pub const API_KEY: &str = "sk-ant-harness-canary-0123456789abcdef";
/// A user that the usual setup lets in.
pub const ANN: i64 = 5001;
/// Another one.
pub const BOB: i64 = 5002;

/// Everything that a test may choose. The usual setup: one bot, two users who are let in, the
/// platform's limits, a fast model.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The gateway's program.
    pub binary: PathBuf,
    pub token: String,
    pub api_key: String,
    /// Users who have started the bot.
    pub users: Vec<i64>,
    /// Those in the account's `allow`.
    pub allow: Vec<i64>,
    /// `access.default`.
    pub access: String,
    /// The platform's limits.
    pub limits: Limits,
    /// The model's speed; 0: no pauses.
    pub tokens_per_second: f64,
    /// `--log`.
    pub log: String,
    /// Put at the end of `[agent]`.
    pub agent: String,
    /// Put at the end of the file.
    pub more: String,
}

impl Setup {
    #[must_use]
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self {
            binary: binary.into(),
            token: TOKEN.to_owned(),
            api_key: API_KEY.to_owned(),
            users: vec![ANN, BOB],
            allow: vec![ANN, BOB],
            access: "deny".to_owned(),
            limits: Limits::default(),
            tokens_per_second: 2000.0,
            log: "info".to_owned(),
            agent: String::new(),
            more: String::new(),
        }
    }

    /// The configuration file. Secrets come through the environment.
    pub(crate) fn config(&self, data_dir: &Path, telegram: &str, model: &str) -> String {
        let allow: Vec<String> = self
            .allow
            .iter()
            .map(|user| format!("\"{user}\""))
            .collect();
        format!(
            r#"[gateway]
data_dir = "{}"
listen = "127.0.0.1:0"

[agent]
model = "anthropic/claude-sonnet-4-6"
{}

[providers.anthropic]
kind = "anthropic"
base_url = "{model}"
api_key = {{ env = "ANTHROPIC_API_KEY" }}

[access]
default = "{}"

[[telegram]]
token = {{ env = "TELEGRAM_BOT_TOKEN" }}
api_url = "{telegram}"
allow = [{}]

{}
"#,
            data_dir.display(),
            self.agent,
            self.access,
            allow.join(", "),
            self.more,
        )
    }

    /// The variables that the gateway gets, and no others.
    pub(crate) fn environment(&self, home: &Path) -> Vec<(String, String)> {
        [
            ("PATH", "/usr/bin:/bin"),
            ("HOME", &home.display().to_string()),
            ("TELEGRAM_BOT_TOKEN", &self.token),
            ("ANTHROPIC_API_KEY", &self.api_key),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }
}
