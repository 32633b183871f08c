//! `[[telegram]]`, or the account that the environment sets up.

use std::collections::BTreeMap;

use super::Meaning;
use super::access::telegram_user;
use crate::document::Key;
use crate::error::{Error, Warning};
use crate::model::Telegram;
use crate::raw::{DEFAULT_NAME, RawTelegram, in_keys, is_name};
use crate::secret::RawSecret;

pub(super) const TOKEN_VARIABLE: &str = "TELEGRAM_BOT_TOKEN";
const API_URL: &str = "https://api.telegram.org";

impl Meaning<'_> {
    pub(super) fn telegram(&mut self, raw: Option<Vec<RawTelegram>>) -> Option<Vec<Telegram>> {
        let set = self.environment.text(TOKEN_VARIABLE).is_some();
        let raw = match raw {
            Some(raw) => raw,
            None if set => vec![RawTelegram::default()],
            None => Vec::new(),
        };
        if raw.is_empty() {
            // A section that is there and wrong has its own problem.
            let said = self
                .problems
                .iter()
                .any(|p| p.key.as_deref() == Some("telegram"));
            if !said {
                self.problem("telegram", None, Error::NoAccount);
            }
            return None;
        }
        // The variable holds one token: it can't fill two accounts.
        let without = raw
            .iter()
            .filter(|a| matches!(a.token, Key::Absent))
            .count();
        let named = |a: &RawTelegram| matches!(&a.token, Key::Set { value: RawSecret::Variable(name), .. } if name == TOKEN_VARIABLE);
        if set && without == 0 && !raw.iter().any(named) {
            let key = "the tokens of [[telegram]]".to_owned();
            self.warnings.push(Warning::Overruled {
                name: TOKEN_VARIABLE,
                key,
            });
        }
        let count = raw.len();
        let mut found: Vec<Telegram> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let mut bots: BTreeMap<u64, String> = BTreeMap::new();
        for account in raw {
            let line = account.line;
            let Some(account) = self.account(account, without == 1, &mut names) else {
                continue;
            };
            let key = format!("telegram.{}.token", account.name);
            if let Some(other) = bots.get(&account.bot_id) {
                let other = format!("telegram.{other}");
                self.problem(
                    &key,
                    line,
                    Error::SameBot {
                        bot: account.bot_id,
                        other,
                    },
                );
                continue;
            }
            bots.insert(account.bot_id, account.name.clone());
            found.push(account);
        }
        (found.len() == count).then_some(found)
    }

    fn account(
        &mut self,
        raw: RawTelegram,
        fill: bool,
        names: &mut Vec<String>,
    ) -> Option<Telegram> {
        let given = match &raw.name {
            Key::Set { value, .. } => value.clone(),
            Key::Absent | Key::Broken => DEFAULT_NAME.to_owned(),
        };
        let key = |name: &str| format!("telegram.{}.{name}", in_keys(&given));
        let unique = !names.contains(&given);
        let name = self.read(&key("name"), raw.name, DEFAULT_NAME, |text| {
            let given = text.to_owned();
            match (is_name(text), unique) {
                (true, true) => Ok(given),
                (true, false) => Err(Error::SameName { name: given }),
                (false, _) => Err(Error::Name { given }),
            }
        });
        names.push(given.clone());
        let no_token = || Error::NoToken {
            name: TOKEN_VARIABLE,
        };
        let token_line = match &raw.token {
            Key::Set { line, .. } => Some(*line),
            Key::Absent | Key::Broken => raw.line,
        };
        let token = match raw.token {
            Key::Set { value, line } => self.secret(&key("token"), &value, line),
            Key::Absent if fill => {
                self.secret_of_variable(&key("token"), raw.line, TOKEN_VARIABLE, no_token)
            }
            Key::Absent => self.refuse(&key("token"), raw.line, no_token()),
            Key::Broken => None,
        };
        let bot_id = token
            .as_ref()
            .and_then(|token| match bot_id(token.expose()) {
                Some(id) => Some(id),
                None => self.refuse(&key("token"), token_line, Error::Token),
            });
        let api_url = self.secret_address(&key("api_url"), raw.api_url, API_URL);
        let allow = self.entries(&key("allow"), raw.allow, telegram_user);
        Some(Telegram {
            name: name?,
            token: token?,
            bot_id: bot_id?,
            api_url: api_url?,
            allow: allow?,
        })
    }
}

/// The bot's user id in a token: `<id>:<35 or so characters>`. What is accepted here is what
/// [`talaria_types::secret::scrub`] recognises, so no accepted token can be shown.
fn bot_id(token: &str) -> Option<u64> {
    let (digits, rest) = token.split_once(':')?;
    let is_id = (6..=16).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let is_rest = (20..=64).contains(&rest.len()) && rest.bytes().all(fits);
    if is_id && is_rest {
        digits.parse().ok()
    } else {
        None
    }
}
