//! The source as the parser sees it: line ends are `\n`, and the characters that platforms strip
//! are gone. Offsets can be mapped both ways, so that callers only ever see their own.

use std::borrow::Cow;

#[cfg(test)]
mod tests;

/// A cleaned source. Cleaning a prefix gives a prefix of the cleaned whole.
pub(crate) struct Cleaned<'a> {
    pub(crate) text: Cow<'a, str>,
    /// From each cleaned offset on, where it stands in the original.
    jumps: Vec<Jump>,
}

struct Jump {
    clean: usize,
    original: usize,
}

enum Fate {
    Keep,
    Drop,
    NewLine,
}

/// C0 controls and DEL are dropped, but not newline and tab; so are U+202A to U+202E, which
/// Telegram removes and which can make text read otherwise than it is. The separators U+2028 and
/// U+2029 become line ends.
fn fate(c: char, after_return: bool) -> Fate {
    match c {
        '\n' if after_return => Fate::Drop,
        '\n' | '\t' => Fate::Keep,
        '\r' | '\u{2028}' | '\u{2029}' => Fate::NewLine,
        '\u{7f}' | '\u{202a}'..='\u{202e}' => Fate::Drop,
        c if c < ' ' => Fate::Drop,
        _ => Fate::Keep,
    }
}

fn is_clean(source: &str) -> bool {
    let ascii_clean = source
        .bytes()
        .all(|b| b >= b' ' && b != 0x7f || b == b'\n' || b == b'\t');
    ascii_clean
        && (source.is_ascii()
            || !source
                .chars()
                .any(|c| ('\u{2028}'..='\u{202e}').contains(&c)))
}

impl<'a> Cleaned<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        if is_clean(source) {
            return Self {
                text: Cow::Borrowed(source),
                jumps: Vec::new(),
            };
        }
        let mut text = String::with_capacity(source.len());
        let mut jumps = Vec::new();
        let mut after_return = false;
        for (at, c) in source.char_indices() {
            let kept = match fate(c, after_return) {
                Fate::Keep => {
                    text.push(c);
                    true
                }
                Fate::NewLine => {
                    text.push('\n');
                    c.len_utf8() == 1
                }
                Fate::Drop => false,
            };
            if !kept {
                jumps.push(Jump {
                    clean: text.len(),
                    original: at + c.len_utf8(),
                });
            }
            after_return = c == '\r';
        }
        Self {
            text: Cow::Owned(text),
            jumps,
        }
    }

    /// The offset in the original of an offset in the cleaned text.
    pub(crate) fn to_original(&self, clean: usize) -> usize {
        let before = self.jumps.partition_point(|jump| jump.clean <= clean);
        match before.checked_sub(1).and_then(|i| self.jumps.get(i)) {
            Some(jump) => jump.original + (clean - jump.clean),
            None => clean,
        }
    }

    /// The offset in the cleaned text of an offset in the original.
    pub(crate) fn to_clean(&self, original: usize) -> usize {
        let before = self.jumps.partition_point(|jump| jump.original <= original);
        let found = match before.checked_sub(1).and_then(|i| self.jumps.get(i)) {
            Some(jump) => jump.clean + (original - jump.original),
            None => original,
        };
        self.jumps
            .get(before)
            .map_or(found, |next| found.min(next.clean))
    }
}
