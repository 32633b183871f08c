//! How an answer grew on a user's screen, from the platform's log of calls, and how old what was
//! shown was.
//!
//! Staleness at a moment between the first token and the final text: the age of the newest shown
//! character (now minus the moment when the model emitted it) while the model has emitted more;
//! zero while everything emitted is shown; the time since the first token while nothing is shown.

use std::collections::BTreeMap;

use talaria_emulators::TelegramControl;
use talaria_emulators::anthropic::RequestLog;
use talaria_emulators::telegram::CallLog;

use crate::table::Samples;

/// Every so many microseconds the screen is looked at.
const LOOK_US: u64 = 50_000;

/// What one call changed in a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// When it took effect.
    pub at_us: u64,
    pub message: i64,
    /// The message's text from then on; `None`: it is gone.
    pub text: Option<String>,
}

/// The calls of one method that had a chat as their target.
fn change(call: &CallLog) -> Option<Change> {
    let at_us = call.done_us.unwrap_or(call.at_us);
    let number = |value: &serde_json::Value| {
        value
            .as_i64()
            .or_else(|| value.as_str().and_then(|text| text.parse().ok()))
    };
    let text = call.params["text"].as_str().map(str::to_owned);
    let message = match call.method.as_str() {
        "sendMessage" => number(&call.result.as_ref()?["message_id"])?,
        "editMessageText" | "deleteMessage" => number(&call.params["message_id"])?,
        _ => return None,
    };
    let text = (call.method != "deleteMessage").then_some(text?);
    Some(Change {
        at_us,
        message,
        text,
    })
}

/// What happened in each chat, in order of time.
#[must_use]
pub fn changes(telegram: &TelegramControl, from_call: u64) -> BTreeMap<i64, Vec<Change>> {
    let mut chats: BTreeMap<i64, Vec<Change>> = BTreeMap::new();
    for call in telegram.calls_from(from_call) {
        if let (true, Some(chat), Some(change)) = (call.effect, call.chat, change(&call)) {
            chats.entry(chat).or_default().push(change);
        }
    }
    for changes in chats.values_mut() {
        changes.sort_by_key(|change| change.at_us);
    }
    chats
}

/// An answer as the model emitted it: letters and digits with the moment of each.
#[derive(Clone, Debug)]
pub struct Emission {
    letters: String,
    at_us: Vec<u64>,
}

impl Emission {
    /// The emission of ASCII `markdown` in pieces of `chunk` bytes, evenly between the first and
    /// the last delta of the request, which is how the emulated model speaks.
    #[must_use]
    pub fn new(markdown: &str, chunk: usize, request: &RequestLog) -> Option<Self> {
        let (first, last) = (request.first_delta_us?, request.last_delta_us?);
        let pieces = markdown.len().div_ceil(chunk);
        let steps = u64::try_from(pieces.saturating_sub(1).max(1)).ok()?;
        let mut letters = String::new();
        let mut at_us = Vec::new();
        for (offset, letter) in shown_letters(markdown) {
            let piece = u64::try_from(offset / chunk).ok()?;
            letters.push(letter);
            at_us.push(first + (last - first) * piece / steps);
        }
        Some(Self { letters, at_us })
    }

    fn emitted(&self, at_us: u64) -> usize {
        self.at_us.partition_point(|at| *at <= at_us)
    }

    /// Age of what is shown when `shown` letters are, in microseconds.
    fn staleness(&self, shown: usize, at_us: u64) -> u64 {
        if shown >= self.emitted(at_us) {
            return 0;
        }
        let newest = self.at_us.get(shown.saturating_sub(1));
        at_us.saturating_sub(newest.copied().unwrap_or(at_us))
    }
}

/// The letters and digits that readers see, with their byte offsets: all but the name of a code
/// block's language.
fn shown_letters(markdown: &str) -> Vec<(usize, char)> {
    let mut letters = Vec::new();
    let mut start = 0;
    for line in markdown.split_inclusive('\n') {
        if !line.starts_with("```") {
            let found = line.char_indices().filter(|(_, c)| c.is_alphanumeric());
            letters.extend(found.map(|(at, c)| (start + at, c)));
        }
        start += line.len();
    }
    letters
}

/// What one chat's screen was like while its answer was written.
#[derive(Clone, Debug, Default)]
pub struct Growth {
    /// Staleness in seconds, one value a look.
    pub staleness: Samples,
    /// Screens that showed something else than a beginning of the answer.
    pub wrong: usize,
    /// Creates and edits.
    pub calls: usize,
    /// When the text became final.
    pub final_us: u64,
}

/// Looks at one chat. `changes` are those since the question.
#[must_use]
pub fn growth(changes: &[Change], emission: &Emission) -> Growth {
    let mut growth = Growth {
        calls: changes.len(),
        final_us: changes.last().map_or(0, |change| change.at_us),
        ..Growth::default()
    };
    let mut screens: Vec<(u64, usize)> = Vec::new();
    let mut shown: BTreeMap<i64, &str> = BTreeMap::new();
    for change in changes {
        match &change.text {
            Some(text) => shown.insert(change.message, text),
            None => shown.remove(&change.message),
        };
        let letters: String = shown
            .values()
            .flat_map(|text| text.chars().filter(|c| c.is_alphanumeric()))
            .collect();
        growth.wrong += usize::from(!emission.letters.starts_with(&letters));
        screens.push((change.at_us, letters.chars().count()));
    }
    let Some(first) = emission.at_us.first().copied() else {
        return growth;
    };
    let mut at_us = first;
    while at_us < growth.final_us {
        let index = screens.partition_point(|(from, _)| *from <= at_us);
        let letters = index
            .checked_sub(1)
            .and_then(|index| screens.get(index))
            .map_or(0, |(_, letters)| *letters);
        let since = emission.staleness(letters, at_us);
        #[expect(clippy::cast_precision_loss, reason = "seconds of one run")]
        growth.staleness.add(since as f64 / 1e6);
        at_us += LOOK_US;
    }
    growth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emission() -> Emission {
        // One letter a second.
        Emission {
            letters: "abcdef".to_owned(),
            at_us: (1..=6).map(|second| second * 1_000_000).collect(),
        }
    }

    fn shown(at_us: u64, text: &str) -> Change {
        Change {
            at_us,
            message: 1,
            text: Some(text.to_owned()),
        }
    }

    #[test]
    fn what_is_shown_ages_while_more_was_emitted() {
        let emission = emission();
        assert_eq!(emission.staleness(3, 3_500_000), 0);
        assert_eq!(emission.staleness(3, 4_000_000), 1_000_000);
        assert_eq!(emission.staleness(0, 3_000_000), 2_000_000);
    }

    #[test]
    fn a_screen_that_shows_something_else_is_counted() {
        let changes = [
            shown(1_100_000, "a"),
            shown(3_000_000, "ax"),
            shown(6_500_000, "abcdef"),
        ];
        let growth = growth(&changes, &emission());
        assert_eq!((growth.wrong, growth.calls), (1, 3));
        assert_eq!(growth.final_us, 6_500_000);
        assert_eq!(growth.staleness.len(), 110);
        assert!(growth.staleness.max() > 4.0);
    }

    #[test]
    fn a_language_is_not_shown() {
        let letters: String = shown_letters("a\n```rust\nb\n```\nc")
            .into_iter()
            .map(|(_, c)| c)
            .collect();
        assert_eq!(letters, "abc");
    }
}
