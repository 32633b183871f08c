//! Entities that the server finds by itself in a user's text: commands, mentions, links (Bot API:
//! MessageEntity). Simple on purpose: a word that looks like one is one.

use super::entity::{Entity, utf16_len};

/// Entities of a plain text, in order.
pub(crate) fn detect(text: &str) -> Vec<Entity> {
    let mut found = Vec::new();
    let mut offset = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        let clean = bare.trim_end_matches(['.', ',', '!', '?', ';', ':', ')', '"', '\'']);
        let open = clean.len() - clean.trim_start_matches(['(', '"', '\'']).len();
        let clean = clean.get(open..).unwrap_or_default();
        if let Some((kind, piece)) = classify(clean) {
            // What was skipped in front is ASCII: one unit each.
            let skipped = i64::try_from(open).unwrap_or_default();
            found.push(Entity::new(kind, offset + skipped, utf16_len(piece)));
        }
        offset += utf16_len(word);
    }
    found
}

fn classify(word: &str) -> Option<(&'static str, &str)> {
    let name_len = |text: &str| {
        text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(text.len())
    };
    if let Some(rest) = word.strip_prefix('/') {
        let mut len = name_len(rest);
        if !(1..=64).contains(&len) {
            return None;
        }
        if let Some(bot) = rest.get(len..).and_then(|tail| tail.strip_prefix('@')) {
            let bot_len = name_len(bot);
            if bot_len >= 3 {
                len += 1 + bot_len;
            }
        }
        return Some(("bot_command", word.get(..=len)?));
    }
    if let Some(rest) = word.strip_prefix('@') {
        let len = name_len(rest);
        return (3..=32)
            .contains(&len)
            .then(|| word.get(..=len))
            .flatten()
            .map(|w| ("mention", w));
    }
    let lower = word.to_ascii_lowercase();
    let host = lower
        .strip_prefix("https://")
        .or_else(|| lower.strip_prefix("http://"));
    host.is_some_and(|host| !host.is_empty())
        .then_some(("url", word))
}
