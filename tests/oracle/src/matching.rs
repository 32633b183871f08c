//! Shown parts against what must be seen.

use crate::difference::{Difference, Kind};
use crate::tokens::{Token, normalised, tokens};

/// A word or a line of code with more UTF-16 units than this may be cut: no platform's message
/// takes it in every place.
pub const CUT_OVER: usize = 1900;

/// How much text a difference quotes.
const CONTEXT: usize = 40;

/// Whether the visible text of `shown_parts`, one after the other, is that of `markdown`.
///
/// # Errors
/// The first difference that is not in [`crate::DECLARED`].
pub fn equal(markdown: &str, shown_parts: &[String]) -> Result<(), Difference> {
    equal_cutting(markdown, shown_parts, CUT_OVER)
}

/// Like [`equal`], for messages of another size: words and lines of code with more than `cut_over`
/// UTF-16 units may be cut.
///
/// # Errors
/// The first difference that is not in [`crate::DECLARED`].
pub fn equal_cutting(
    markdown: &str,
    shown_parts: &[String],
    cut_over: usize,
) -> Result<(), Difference> {
    let parts: Vec<String> = shown_parts.iter().map(|part| normalised(part)).collect();
    let mut cursor = Cursor {
        parts: &parts,
        part: 0,
        at: 0,
        cut_over,
    };
    cursor.all(&tokens(markdown))?;
    cursor.skip_space();
    if cursor.rest().is_empty() {
        Ok(())
    } else {
        Err(cursor.fault(Kind::Surplus, "the end"))
    }
}

#[derive(Clone, Copy)]
struct Cursor<'p> {
    parts: &'p [String],
    part: usize,
    at: usize,
    cut_over: usize,
}

type Step = Result<(), Difference>;

impl<'p> Cursor<'p> {
    /// What the current part still shows.
    fn rest(&self) -> &'p str {
        self.parts
            .get(self.part)
            .and_then(|part| part.get(self.at..))
            .unwrap_or_default()
    }

    fn before(&self) -> &'p str {
        self.parts
            .get(self.part)
            .and_then(|part| part.get(..self.at))
            .unwrap_or_default()
    }

    fn fault(&self, kind: Kind, expected: &str) -> Difference {
        let before = self.before();
        let skip = before.chars().count().saturating_sub(CONTEXT);
        Difference {
            kind,
            part: self.part,
            at: self.at,
            expected: expected.chars().take(4 * CONTEXT).collect(),
            shown: self.rest().chars().take(4 * CONTEXT).collect(),
            before: before.chars().skip(skip).collect(),
        }
    }

    /// Goes on to the next part where this one is used up.
    fn next_part(&mut self) -> bool {
        if self.rest().is_empty() && self.part + 1 < self.parts.len() {
            self.part += 1;
            self.at = 0;
            return true;
        }
        false
    }

    /// Whether any white space, or a part's end, was skipped.
    fn skip_space(&mut self) -> bool {
        let start = (self.part, self.at);
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.next_part() {
                return start != (self.part, self.at) || self.at == 0;
            }
        }
    }

    /// The word that is shown here.
    fn word_here(&self) -> &'p str {
        self.rest()
            .split(char::is_whitespace)
            .next()
            .unwrap_or_default()
    }

    fn all(&mut self, tokens: &[Token]) -> Step {
        for (nth, token) in tokens.iter().enumerate() {
            if let Token::Either(resolved, written) = token {
                let rest = tokens.get(nth + 1..).unwrap_or_default();
                let mut other = *self;
                let found = self.all(resolved).and_then(|()| self.all(rest));
                let again = found.is_err() && self.parts.len() > 1;
                if again && other.all(written).and_then(|()| other.all(rest)).is_ok() {
                    *self = other;
                    return Ok(());
                }
                return found;
            }
            self.one(token)?;
        }
        Ok(())
    }

    fn one(&mut self, token: &Token) -> Step {
        match token {
            Token::Word { text, glued } => self.word(text, *glued),
            Token::CodeLine(line) => self.code_line(line),
            Token::Bullet { required } => self.sign("a bullet", *required, |word| {
                matches!(word, "•" | "◦" | "▪" | "-" | "*")
            }),
            Token::Number { at_least, required } => {
                let number = format!("number {at_least}");
                self.sign(&number, *required, |word| {
                    let digits = word.strip_suffix(['.', ')']).unwrap_or_default();
                    digits
                        .parse::<usize>()
                        .is_ok_and(|number| number >= *at_least)
                })
            }
            Token::Task { done } => {
                let sign = if *done { "☑" } else { "☐" };
                self.sign(sign, true, |word| word == sign)
            }
            Token::Rule => self.sign("a rule", true, |word| {
                word.chars().count() >= 3 && word.chars().all(|c| "─-*_".contains(c))
            }),
            Token::Bar => self.sign("a bar", false, |word| matches!(word, "|" | "│")),
            Token::HeadLine => self.sign("a line under the header", false, |word| {
                word.chars().count() >= 3 && word.chars().all(|c| "+-|─┼".contains(c))
            }),
            Token::HeadAgain(head) => {
                self.head_again(head);
                Ok(())
            }
            Token::Target { url, alone } => self.target(url, *alone),
            // Reached inside a reference only; `all` reads it.
            Token::Either(resolved, _) => self.all(resolved),
            Token::LineEnd => Ok(()),
        }
    }

    /// A word of its own that stands for markup.
    fn sign(&mut self, name: &str, required: bool, fits: impl Fn(&str) -> bool) -> Step {
        let mut after = *self;
        after.skip_space();
        let word = after.word_here();
        if fits(word) {
            after.at += word.len();
            *self = after;
            return Ok(());
        }
        if required {
            Err(after.fault(Kind::Text, name))
        } else {
            Ok(())
        }
    }

    fn word(&mut self, word: &str, glued: bool) -> Step {
        let mut after = *self;
        let spaced = !glued && after.skip_space();
        if after.rest().is_empty() {
            return Err(after.fault(Kind::Missing, word));
        }
        if !spaced && !glued {
            return Err(after.fault(Kind::Text, &format!("white space and {word}")));
        }
        let long = word.encode_utf16().count() > self.cut_over;
        let mut left = word;
        loop {
            let rest = after.rest();
            if let Some(end) = rest.strip_prefix(left) {
                after.at = after.before().len() + rest.len() - end.len();
                *self = after;
                return Ok(());
            }
            let here = after.word_here();
            let Some(more) = left.strip_prefix(here).filter(|_| !here.is_empty()) else {
                return Err(after.fault(Kind::Text, left));
            };
            let ends_part = here.len() == rest.trim_end().len();
            after.at += rest.len();
            if !long || !ends_part || !after.next_part() {
                let mut fault = self.fault(Kind::CutWord, word);
                fault.part = after.part;
                return Err(fault);
            }
            left = more;
        }
    }

    /// The rest of the line that is shown here.
    fn line_here(&self) -> &'p str {
        self.rest().split('\n').next().unwrap_or_default()
    }

    fn code_line(&mut self, line: &str) -> Step {
        let mut after = *self;
        // To the start of the next line that shows something.
        loop {
            let here = after.line_here();
            if !here.trim().is_empty() {
                break;
            }
            let rest = after.rest();
            let step = (here.len() + 1).min(rest.len());
            after.at += step;
            if step == 0 && !after.next_part() {
                return Err(after.fault(Kind::Missing, line));
            }
        }
        if !(after.at == 0 || after.before().ends_with('\n')) {
            return Err(after.fault(Kind::Text, &format!("a new line and {line}")));
        }
        let long = line.encode_utf16().count() > self.cut_over;
        let mut left = line;
        loop {
            let here = after.line_here();
            if here.trim_end() == left {
                after.at += here.len();
                *self = after;
                return Ok(());
            }
            let whole_rest = here.len() == after.rest().trim_end().len();
            let Some(more) = left.strip_prefix(here.trim_end()).filter(|_| whole_rest) else {
                return Err(after.fault(Kind::Text, left));
            };
            after.at += after.rest().len();
            if !long || !after.next_part() {
                return Err(after.fault(Kind::CutWord, line));
            }
            left = more.trim_start();
        }
    }

    /// A table's header at the start of a part, with its line.
    fn head_again(&mut self, head: &[Token]) {
        let mut after = *self;
        after.skip_space();
        if after.at > 0 && !after.before().trim().is_empty() {
            return;
        }
        let lined = |cursor: &Self| cursor.before().ends_with(['+', '-', '|', '─']);
        if after.all(head).is_ok() && lined(&after) {
            *self = after;
        }
    }

    fn target(&mut self, url: &str, alone: bool) -> Step {
        let bracketed = format!("({url})");
        let mut after = *self;
        after.skip_space();
        let forms: &[&str] = if alone {
            &[&bracketed, url]
        } else {
            &[&bracketed]
        };
        // White space inside a target is rare, and shown as it is.
        match forms.iter().find(|form| after.rest().starts_with(**form)) {
            Some(form) => {
                after.at += form.len();
                *self = after;
                Ok(())
            }
            None if alone => Err(after.fault(Kind::Text, url)),
            None => Ok(()),
        }
    }
}
