//! `[access]`.

use talaria_types::UserId;

use super::Meaning;
use crate::document::nearest;
use crate::error::{Error, Warning};
use crate::model::{Access, Policy, Principal};
use crate::raw::{PLATFORMS, RawAccess};

const POLICIES: [(&str, Policy); 3] = [
    ("deny", Policy::Deny),
    ("pair", Policy::Pair),
    ("open", Policy::Open),
];

/// Platforms that a later build has.
const LATER: [&str; 2] = ["discord", "slack"];

impl Meaning<'_> {
    pub(super) fn access(&mut self, raw: RawAccess) -> Option<Access> {
        let default = self.read("access.default", raw.default, "pair", policy);
        if default == Some(Policy::Open) {
            self.warnings.push(Warning::Open);
        }
        let admins = self.entries("access.admins", raw.admins, principal);
        Some(Access {
            default: default?,
            admins: admins?,
        })
    }
}

fn policy(text: &str) -> Result<Policy, Error> {
    let found = POLICIES.iter().find(|(name, _)| *name == text);
    found.map(|(_, policy)| *policy).ok_or_else(|| {
        let names = POLICIES.map(|(name, _)| name);
        Error::NoSuchChoice {
            given: text.to_owned(),
            choices: names.join(", "),
            suggestion: nearest(text, &names),
        }
    })
}

fn principal(text: &str) -> Result<Principal, Error> {
    let Some((platform, user)) = text.split_once(':') else {
        return Err(Error::Principal {
            given: text.to_owned(),
        });
    };
    if LATER.contains(&platform) {
        let available = PLATFORMS.join(", ");
        return Err(Error::NotInBuild {
            given: platform.to_owned(),
            available,
        });
    }
    if !PLATFORMS.contains(&platform) {
        return Err(Error::Principal {
            given: text.to_owned(),
        });
    }
    Ok(Principal {
        platform: platform.to_owned(),
        user: telegram_user(user)?,
    })
}

/// User ids of Telegram are positive and have at most 52 significant bits (Bot API: User).
pub(super) fn telegram_user(text: &str) -> Result<UserId, Error> {
    match text.trim().parse::<u64>() {
        Ok(id) if id > 0 && id < 1 << 52 => Ok(UserId::new(id.to_string())),
        Ok(_) | Err(_) => Err(Error::UserId {
            given: text.to_owned(),
        }),
    }
}
