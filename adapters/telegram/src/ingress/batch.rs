//! The answer to one poll: each update for itself, so that a bad one never harms its neighbours.

use serde::Deserialize;
use serde_json::value::RawValue;
use talaria_contract::Ingress;
use talaria_types::secret::scrub;

use crate::adapter::Link;
use crate::parse::{Bot, Parsed, parse};

/// The longest raw text that is kept of an update which can't be read, in bytes.
const RAW_BYTES: usize = 8 << 10;

/// A longer update is none of this platform: its texts have at most 4096 characters (Bot API:
/// Message). The ledger must not be asked to keep it.
const UPDATE_BYTES: usize = 1 << 20;

/// What is handed over together.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) events: Vec<Ingress>,
    /// `None` if there was no update.
    pub(super) next_offset: Option<i64>,
}

#[derive(Deserialize)]
struct Numbered {
    update_id: i64,
}

impl Batch {
    /// Reads the result of getUpdates; `None` if it is no list, or none of its updates has a number
    /// (then the offset could never move past them).
    pub(super) fn read(link: &Link, result: &str) -> Option<Self> {
        let updates: Vec<&RawValue> = serde_json::from_str(result).ok()?;
        let bot = Bot {
            account: &link.account,
            username: link.username.get().and_then(Option::as_deref),
        };
        let mut events = Vec::with_capacity(updates.len());
        let mut last = None;
        for update in &updates {
            let number = serde_json::from_str::<Numbered>(update.get())
                .ok()
                .map(|n| n.update_id);
            last = last.max(number);
            events.extend(event(bot, number, update.get()));
        }
        if last.is_none() && !updates.is_empty() {
            return None;
        }
        Some(Self {
            events,
            next_offset: last.map(|last| last.saturating_add(1)),
        })
    }

    /// An answer with one update that can't be read at all: its number stands at its beginning.
    pub(super) fn unreadable(head: &[u8]) -> Option<Self> {
        let head = String::from_utf8_lossy(head);
        let rest = head
            .split_once("\"update_id\"")?
            .1
            .trim_start()
            .strip_prefix(':')?
            .trim_start();
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: i64 = rest.get(..end)?.parse().ok()?;
        let event = quarantine(Some(number), "too large or too deep to be read", &head);
        Some(Self {
            events: vec![event],
            next_offset: Some(number.saturating_add(1)),
        })
    }
}

fn event(bot: Bot<'_>, number: Option<i64>, raw: &str) -> Option<Ingress> {
    let update = if raw.len() > UPDATE_BYTES {
        Err(format!("{} bytes long", raw.len()))
    } else {
        serde_json::from_str(raw).map_err(|_| "nested too deeply to be read".to_owned())
    };
    let parsed = update.and_then(|update| parse(bot, &update).map_err(|error| error.to_string()));
    match parsed {
        Ok(Parsed::Inbound(inbound)) => Some(Ingress::Inbound(*inbound)),
        Ok(Parsed::Ignored(why)) => {
            tracing::debug!(account.id = %bot.account, update.id = number, reason = why.name(), "update ignored");
            None
        }
        Err(reason) => {
            tracing::warn!(account.id = %bot.account, update.id = number, %reason, "update set aside");
            Some(quarantine(number, &reason, raw))
        }
    }
}

fn quarantine(number: Option<i64>, reason: &str, raw: &str) -> Ingress {
    let id = number.map_or_else(
        || "update:?".to_owned(),
        |number| format!("update:{number}"),
    );
    // Cut roughly before the scrubbing, which is slow on megabytes, and exactly after it, so that no
    // half of a secret stands at the end.
    let raw = capped(&scrub(capped(raw, 8 * RAW_BYTES)), RAW_BYTES).to_owned();
    Ingress::Quarantine {
        id,
        reason: reason.to_owned(),
        raw,
    }
}

/// The beginning of `text`, at most `bytes` long, no character cut.
fn capped(text: &str, bytes: usize) -> &str {
    let cut = (0..=bytes.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at));
    cut.and_then(|at| text.get(..at)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
