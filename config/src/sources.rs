//! Where each value came from. Secrets are said to be set or not, never shown.

use std::fmt;

use serde::Serialize;

/// Every key that the configuration has, in the file's order of sections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Sources(pub Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Dotted; accounts by their name: `telegram.main.token`.
    pub key: String,
    #[serde(flatten)]
    pub value: Shown,
    #[serde(flatten)]
    pub source: Source,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    Value(String),
    /// A secret: whether it is set.
    SecretSet(bool),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum Source {
    /// The file sets it, at this line.
    File {
        line: usize,
    },
    /// The file names this variable, at this line.
    FileEnvironment {
        line: usize,
        name: String,
    },
    /// The file names this secret file, at this line.
    FileSecret {
        line: usize,
        path: String,
    },
    /// The file leaves it out; this variable fills it.
    Environment {
        name: String,
    },
    Default,
    /// Nothing sets it, and there is no default.
    Missing,
}

impl Sources {
    /// The entry of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.key == key)
    }

    pub(crate) fn value(&mut self, key: impl Into<String>, value: impl ToString, source: Source) {
        let value = Shown::Value(talaria_types::secret::scrub(&value.to_string()));
        self.0.push(Entry {
            key: key.into(),
            value,
            source,
        });
    }

    pub(crate) fn secret(&mut self, key: impl Into<String>, set: bool, source: Source) {
        self.0.push(Entry {
            key: key.into(),
            value: Shown::SecretSet(set),
            source,
        });
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(text) => write!(f, "{text:?}"),
            Self::SecretSet(true) => f.write_str("set (secret)"),
            Self::SecretSet(false) => f.write_str("not set (secret)"),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { line } => write!(f, "file, line {line}"),
            Self::FileEnvironment { line, name } => {
                write!(f, "environment {name} (named in the file, line {line})")
            }
            Self::FileSecret { line, path } => {
                write!(f, "secret file {path} (named in the file, line {line})")
            }
            Self::Environment { name } => write!(f, "environment {name}"),
            Self::Default => f.write_str("default"),
            Self::Missing => f.write_str("missing"),
        }
    }
}
