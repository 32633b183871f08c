//! What can be wrong with a configuration. Each message ends with what to do about it, and none
//! shows a secret.

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};
use talaria_types::secret::scrub;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("the file can't be read ({reason}); check the path and its permissions")]
    Unreadable { reason: String },
    #[error("this is not TOML: {message}")]
    Syntax { message: String },
    #[error("there is no such key{}; known here: {known}", did_you_mean(suggestion.as_deref()))]
    UnknownKey {
        suggestion: Option<String>,
        known: String,
    },
    #[error("expected {expected}, found {found}")]
    WrongType {
        expected: &'static str,
        found: &'static str,
    },
    #[error("`{given}` is not in this build yet; it has {available}. Use that, or remove this")]
    NotInBuild { given: String, available: String },
    #[error("`{given}` is not one of {choices}{}", did_you_mean(suggestion.as_deref()))]
    NoSuchChoice {
        given: String,
        choices: String,
        suggestion: Option<String>,
    },
    #[error("{given} is outside {min} to {max}; choose a number in between")]
    OutOfRange { given: String, min: u32, max: u32 },
    #[error("`{given}` is not an address; write IP:PORT, such as 127.0.0.1:8787, or \"off\"")]
    Listen { given: String },
    #[error("the address {reason}; write it like {example}")]
    Url {
        reason: &'static str,
        example: &'static str,
    },
    #[error("`{given}` is not a length of time; write it like \"24h\" or \"90m\", from {range}")]
    Duration { given: String, range: &'static str },
    #[error("it is empty; write a value or remove the key")]
    Empty,
    #[error("`{given}` is not a name; use 1 to 32 of a-z, 0-9, - and _")]
    Name { given: String },
    #[error("`{given}` names no model; write PROVIDER/MODEL, such as {example}")]
    Model {
        given: String,
        example: &'static str,
    },
    #[error(
        "there is no provider `{name}`{}; add [providers.{name}]",
        known_ones(known)
    )]
    UnknownProvider { name: String, known: Vec<String> },
    #[error("no model is chosen; set ANTHROPIC_API_KEY, or write agent.model and its [providers]")]
    NoModel,
    #[error("a provider of this kind needs {what}; add it")]
    Incomplete { what: &'static str },
    #[error("a provider of kind demo takes no key; remove it")]
    KeyForDemo,
    #[error(
        "no API key; set {name}, or write api_key = {{ env = \"NAME\" }} or {{ file = \"PATH\" }}"
    )]
    NoKey { name: &'static str },
    #[error("no token; set {name}, or write token = {{ env = \"NAME\" }} or {{ file = \"PATH\" }}")]
    NoToken { name: &'static str },
    #[error("no chat account; set TELEGRAM_BOT_TOKEN, or add a [[telegram]] section with a token")]
    NoAccount,
    #[error(
        "this has not the shape of a bot token (digits, a colon, 20 to 64 of A-Z a-z 0-9 _ -); copy it again from @BotFather"
    )]
    Token,
    #[error("the environment variable {name} is not set; set it where the gateway starts")]
    VariableUnset { name: String },
    #[error("the environment variable {name} is empty; set it to the secret")]
    VariableBlank { name: String },
    #[error("the environment variable {name} is not UTF-8 text; set it again")]
    VariableNotText { name: String },
    #[error("a secret is {{ env = \"NAME\" }}, {{ file = \"PATH\" }} or a string, exactly one")]
    SecretForm,
    #[error("the secret file {} can't be read ({reason}); check the path and its permissions", path.display())]
    SecretFile { path: PathBuf, reason: String },
    #[error("the secret file {} is empty; write the secret into it", path.display())]
    SecretFileEmpty { path: PathBuf },
    #[error("the secret holds blanks, line breaks or characters beyond ASCII; copy it again")]
    SecretCharacters,
    #[error(
        "this is the same bot (id {bot}) as {other}; one account polls a bot, remove the other"
    )]
    SameBot { bot: u64, other: String },
    #[error("two accounts are named `{name}`; give each its own name")]
    SameName { name: String },
    #[error(
        "`{given}` is not a numeric Telegram user id (names can change hands); for everybody, set access.default = \"open\""
    )]
    UserId { given: String },
    #[error("`{given}` names nobody; write PLATFORM:USER_ID, such as telegram:5001")]
    Principal { given: String },
    #[error(
        "no folder for the gateway's data: neither the file nor STATE_DIRECTORY, XDG_STATE_HOME or HOME names one; set gateway.data_dir"
    )]
    NoDataDir,
    #[error("`~` means the home folder, and HOME is not set; write the whole path")]
    NoHome,
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

fn known_ones(known: &[String]) -> String {
    if known.is_empty() {
        String::new()
    } else {
        format!(" (there is {})", known.join(", "))
    }
}

/// Where a problem is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Location {
    pub file: PathBuf,
    /// From 1; `None` for the file as a whole.
    pub line: Option<usize>,
}

/// An [`Error`], with the key and the place that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// `None` for the file or the environment as a whole.
    pub key: Option<String>,
    #[serde(flatten)]
    pub location: Option<Location>,
    #[serde(rename = "message", serialize_with = "as_message")]
    pub error: Error,
}

fn as_message<S: Serializer>(error: &Error, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&scrub(&error.to_string()))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if let Some(Location { file, line }) = &self.location {
            text.push_str(&file.display().to_string());
            if let Some(line) = line {
                text.push_str(&format!(":{line}"));
            }
            text.push_str(": ");
        }
        if let Some(key) = &self.key {
            text.push_str(&format!("{key}: "));
        }
        text.push_str(&self.error.to_string());
        // The last fence: a token that was pasted under the wrong key is not repeated.
        f.write_str(&scrub(&text))
    }
}

/// Everything that is wrong, in the file's order. The exit code for it is 78.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problems {
    pub problems: Vec<Problem>,
    pub warnings: Vec<Warning>,
    /// What could be read.
    pub sources: crate::Sources,
    /// The file that was read, if there is one.
    pub file: Option<PathBuf>,
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.len() {
            1 => f.write_str("The configuration has a problem:")?,
            count => write!(f, "The configuration has {count} problems:")?,
        }
        for (number, problem) in self.problems.iter().enumerate() {
            write!(f, "\n  {}. {problem}", number + 1)?;
        }
        for warning in &self.warnings {
            write!(f, "\n  Note: {warning}")?;
        }
        Ok(())
    }
}

/// Something that works and is worth a second look.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    #[error(
        "{key} is written into the file itself; better {{ env = \"NAME\" }} or {{ file = \"PATH\" }}"
    )]
    PlainSecret { key: String },
    #[error("{} holds secrets and other users can read it; run: chmod 600 {}", file.display(), file.display())]
    ReadableByOthers { file: PathBuf },
    #[error("{name} is set and not used, because the file sets {key}")]
    Overruled { name: &'static str, key: String },
    #[error("{name} is set and not used: {what} is not in this build yet")]
    NotInBuild {
        name: &'static str,
        what: &'static str,
    },
    #[error("{name} is set to nothing, so it is taken as not set")]
    Blank { name: &'static str },
    #[error("access.default is \"open\": whoever finds the bot can use it, at your expense")]
    Open,
    #[error(
        "{key} sends a secret over http:// to another machine, readable on the way; use https://"
    )]
    PlainHttp { key: String },
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&scrub(&self.to_string()))
    }
}
