//! `[providers.NAME]`.

use std::collections::BTreeMap;

use super::{Meaning, address};
use crate::document::{Key, nearest};
use crate::error::Error;
use crate::model::{Provider, ProviderKind};
use crate::raw::{RawProvider, in_keys};
use crate::secret::{RawSecret, variable};
use crate::sources::Source;

/// The provider that the environment alone can set up.
pub(super) const ANTHROPIC: &str = "anthropic";
pub(super) const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";

const ANTHROPIC_URL: &str = "https://api.anthropic.com";
const DEMO_EXAMPLE: &str = "http://127.0.0.1:8790";

const KINDS: [(&str, ProviderKind); 2] = [
    ("anthropic", ProviderKind::Anthropic),
    ("demo", ProviderKind::Demo),
];
/// Kinds that a later build has.
const KINDS_LATER: [&str; 2] = ["openai-chat", "openai-responses"];

impl Meaning<'_> {
    /// The sound providers, whether all were sound, and whether [`KEY_VARIABLE`] was used.
    pub(super) fn providers(
        &mut self,
        raw: Vec<RawProvider>,
        implied: bool,
    ) -> (BTreeMap<String, Provider>, bool, bool) {
        let mut raw = raw;
        if implied {
            raw.push(RawProvider {
                name: ANTHROPIC.to_owned(),
                line: None,
                kind: Key::Absent,
                base_url: Key::Absent,
                api_key: Key::Absent,
            });
        }
        let count = raw.len();
        let mut key_used = false;
        let mut found = BTreeMap::new();
        for provider in raw {
            let name = provider.name.clone();
            if let Some(provider) = self.provider(provider, &mut key_used) {
                found.insert(name, provider);
            }
        }
        let complete = found.len() == count;
        (found, complete, key_used)
    }

    fn provider(&mut self, raw: RawProvider, key_used: &mut bool) -> Option<Provider> {
        let key = |name: &str| format!("providers.{}.{name}", in_keys(&raw.name));
        // A name that is a kind needs no kind.
        let implied = KINDS.iter().any(|(name, _)| *name == raw.name);
        if matches!(raw.kind, Key::Absent) && !implied {
            let what = "kind (anthropic or demo)";
            self.problem(&key("kind"), raw.line, Error::Incomplete { what });
            return None;
        }
        let kind = self.read(&key("kind"), raw.kind, &raw.name, kind)?;
        match kind {
            ProviderKind::Anthropic => {
                let base_url = self.secret_address(&key("base_url"), raw.base_url, ANTHROPIC_URL);
                let name = key("api_key");
                let api_key = match raw.api_key {
                    Key::Set { value, line } => {
                        *key_used |= matches!(&value, RawSecret::Variable(v) if v == KEY_VARIABLE);
                        self.secret(&name, &value, line)
                    }
                    Key::Broken => None,
                    Key::Absent => {
                        *key_used = true;
                        self.secret_of_variable(&name, raw.line, KEY_VARIABLE, || Error::NoKey {
                            name: KEY_VARIABLE,
                        })
                    }
                };
                Some(Provider {
                    kind,
                    base_url: base_url?,
                    api_key: Some(api_key?),
                })
            }
            ProviderKind::Demo => {
                let base_url = if matches!(raw.base_url, Key::Absent) {
                    self.problem(
                        &key("base_url"),
                        raw.line,
                        Error::Incomplete {
                            what: "base_url, the demo model server's address",
                        },
                    );
                    None
                } else {
                    self.read(&key("base_url"), raw.base_url, DEMO_EXAMPLE, |text| {
                        address(text, DEMO_EXAMPLE)
                    })
                };
                if let Key::Set { line, .. } = raw.api_key {
                    return self.refuse(&key("api_key"), Some(line), Error::KeyForDemo);
                }
                Some(Provider {
                    kind,
                    base_url: base_url?,
                    api_key: None,
                })
            }
        }
    }

    /// A secret that the file leaves out: this variable's, or `missing`.
    pub(super) fn secret_of_variable(
        &mut self,
        key: &str,
        line: Option<usize>,
        name: &str,
        missing: impl FnOnce() -> Error,
    ) -> Option<talaria_types::Secret> {
        let found = match variable(self.environment, name) {
            Ok(secret) => crate::secret::checked(secret),
            Err(Error::VariableUnset { .. } | Error::VariableBlank { .. }) => {
                self.sources.secret(key, false, Source::Missing);
                return self.refuse(key, line, missing());
            }
            Err(error) => Err(error),
        };
        self.sources.secret(
            key,
            found.is_ok(),
            Source::Environment {
                name: name.to_owned(),
            },
        );
        match found {
            Ok(secret) => Some(secret),
            Err(error) => self.refuse(key, line, error),
        }
    }
}

fn kind(text: &str) -> Result<ProviderKind, Error> {
    if let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == text) {
        return Ok(*kind);
    }
    let names = KINDS.map(|(name, _)| name);
    if KINDS_LATER.contains(&text) {
        return Err(Error::NotInBuild {
            given: text.to_owned(),
            available: names.join(", "),
        });
    }
    let suggestion = nearest(text, &names);
    Err(Error::NoSuchChoice {
        given: text.to_owned(),
        choices: names.join(", "),
        suggestion,
    })
}
