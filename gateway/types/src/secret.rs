//! Secrets, redacted by type, and the scrubbing of text that may carry one.

use std::fmt;
use std::sync::RwLock;

use zeroize::Zeroize;

/// What stands where a secret was.
pub const REDACTED: &str = "[redacted]";

/// A secret. `Debug` and `Display` never print it; it is cleared on drop. It has no serde
/// implementation on purpose: storing one is an explicit act.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for the one place that puts it on the wire.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Makes [`scrub`] replace this value wherever it occurs in logged or shown text.
    pub fn register(&self) {
        // Very short values would blank ordinary words.
        if self.0.len() >= 8
            && let Ok(mut known) = KNOWN.write()
            && !known.contains(&self.0)
        {
            known.push(self.0.clone());
        }
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

static KNOWN: RwLock<Vec<String>> = RwLock::new(Vec::new());

/// Replaces in `text` every registered secret and everything that has the shape of a platform
/// token or provider key (also inside URLs and library errors).
#[must_use]
pub fn scrub(text: &str) -> String {
    let mut out = text.to_owned();
    if let Ok(known) = KNOWN.read() {
        for value in known
            .iter()
            .filter(|value| out.contains(value.as_str()))
            .collect::<Vec<_>>()
        {
            out = out.replace(value.as_str(), REDACTED);
        }
    }
    scrub_shapes(&out)
}

/// Shapes of secrets: a prefix, and the characters that go on after it.
const PREFIXES: [&str; 8] = [
    "sk-ant-", "sk-proj-", "sk-", "xoxb-", "xoxp-", "xapp-", "xoxe-", "Bearer ",
];

fn scrub_shapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if let Some(len) = secret_at(rest, out.chars().next_back()) {
            out.push_str(REDACTED);
            rest = rest.get(len..).unwrap_or_default();
        } else {
            out.push(next);
            rest = rest.get(next.len_utf8()..).unwrap_or_default();
        }
    }
    out
}

/// The length of the secret-shaped text at the start of `rest`, if there is one.
fn secret_at(rest: &str, before: Option<char>) -> Option<usize> {
    let token_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let run = |text: &str| text.find(|c: char| !token_char(c)).unwrap_or(text.len());
    if before.is_none_or(|c| !c.is_ascii_alphanumeric()) {
        for prefix in PREFIXES {
            if let Some(tail) = rest.strip_prefix(prefix) {
                let len = run(tail);
                if len >= 12 {
                    return Some(prefix.len() + len);
                }
            }
        }
    }
    // A bot token: 6 to 16 digits, a colon, at least 20 token characters. In URLs it follows "bot".
    if before.is_none_or(|c| !c.is_ascii_digit()) {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        if (6..=16).contains(&digits) {
            let tail = rest.get(digits..)?;
            let tail = tail.strip_prefix(':').map(|t| (1, t)).or_else(|| {
                tail.get(..3)
                    .filter(|t| t.eq_ignore_ascii_case("%3A"))
                    .and_then(|_| tail.get(3..).map(|t| (3, t)))
            });
            if let Some((colon, tail)) = tail {
                let len = run(tail);
                if len >= 20 {
                    return Some(digits + colon + len);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
