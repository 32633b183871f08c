//! Bot API: "MarkdownV2 style". Strict, with the error texts of TDLib (platforms.md 1.1); offsets
//! in them are bytes of the raw text.

use super::entity::Entity;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bold,
    Italic,
    Underline,
    Strikethrough,
    Spoiler,
    Code,
    Pre,
    PreCode,
    TextUrl,
    CustomEmoji,
    BlockQuote,
}

struct Open {
    kind: Kind,
    raw_at: usize,
    out_offset: i64,
    language: Option<String>,
}

struct Parser<'a> {
    raw: &'a str,
    at: usize,
    out: String,
    units: i64,
    entities: Vec<Entity>,
    open: Vec<Open>,
}

/// The plain text and its entities, or the tail of "can't parse entities: …".
pub(crate) fn parse(raw: &str) -> Result<(String, Vec<Entity>), String> {
    let mut parser = Parser {
        raw,
        at: 0,
        out: String::new(),
        units: 0,
        entities: Vec::new(),
        open: Vec::new(),
    };
    while let Some(c) = parser.rest().chars().next() {
        parser.step(c)?;
    }
    // A quote ends with the text; everything else has to be closed.
    if parser
        .open
        .last()
        .is_some_and(|top| top.kind == Kind::BlockQuote)
    {
        parser.close("blockquote");
    }
    if let Some(top) = parser.open.last() {
        return Err(format!(
            "Can't find end of {:?} entity at byte offset {}",
            top.kind, top.raw_at
        ));
    }
    Ok((parser.out, parser.entities))
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.raw.get(self.at..).unwrap_or_default()
    }

    fn put(&mut self, c: char) {
        self.out.push(c);
        self.units += if c.len_utf16() == 2 { 2 } else { 1 };
    }

    fn top(&self) -> Option<Kind> {
        self.open.last().map(|open| open.kind)
    }

    fn step(&mut self, c: char) -> Result<(), String> {
        if c == '\\'
            && let Some(next) = self
                .rest()
                .chars()
                .nth(1)
                .filter(|n| ('\u{1}'..='~').contains(n))
        {
            self.put(next);
            self.at += 2;
            return Ok(());
        }
        let in_code = matches!(self.top(), Some(Kind::Code | Kind::Pre | Kind::PreCode));
        let reserved = if in_code { "`" } else { "_*[]()~`>#+-=|{}.!\n" };
        if !reserved.contains(c) {
            self.put(c);
            self.at += c.len_utf8();
            return Ok(());
        }
        if self.end(c)? {
            return Ok(());
        }
        self.begin(c)
    }

    /// Closes the innermost entity if `c` ends it.
    fn end(&mut self, c: char) -> Result<bool, String> {
        let Some(top) = self.top() else {
            return Ok(false);
        };
        let rest = self.rest();
        let (len, kind) = match top {
            Kind::Bold if c == '*' => (1, "bold"),
            Kind::Italic if c == '_' && !rest.starts_with("__") => (1, "italic"),
            Kind::Underline if rest.starts_with("__") => (2, "underline"),
            Kind::Strikethrough if c == '~' => (1, "strikethrough"),
            Kind::Spoiler if rest.starts_with("||") => (2, "spoiler"),
            Kind::Code if c == '`' => (1, "code"),
            Kind::Pre | Kind::PreCode if rest.starts_with("```") => (3, "pre"),
            Kind::TextUrl | Kind::CustomEmoji if c == ']' => return self.end_link().map(|()| true),
            Kind::BlockQuote if c == '\n' && !rest.starts_with("\n>") => (0, "blockquote"),
            Kind::BlockQuote if rest == "||" || rest.starts_with("||\n") => {
                (2, "expandable_blockquote")
            }
            Kind::BlockQuote if c == '\n' => {
                self.put('\n');
                self.at += 2;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.at += len;
        self.close(kind);
        if kind == "blockquote" {
            self.put('\n');
            self.at += 1;
        }
        Ok(true)
    }

    fn close(&mut self, kind: &str) {
        if let Some(top) = self.open.pop() {
            let mut entity = Entity::new(kind, top.out_offset, self.units - top.out_offset);
            entity.language = top.language;
            if entity.length > 0 {
                self.entities.push(entity);
            }
        }
    }

    fn end_link(&mut self) -> Result<(), String> {
        let emoji = self.top() == Some(Kind::CustomEmoji);
        let rest = self.rest();
        let Some(target) = rest.strip_prefix("](") else {
            // Without a target the brackets just vanish.
            self.at += 1;
            self.open.pop();
            return Ok(());
        };
        let mut url = String::new();
        let mut len = 2;
        let mut chars = target.chars();
        loop {
            match chars.next() {
                None => {
                    return Err(format!(
                        "Can't find end of a URL at byte offset {}",
                        self.at + 2
                    ));
                }
                Some(')') => break,
                Some('\\') => {
                    let next = chars.next().unwrap_or('\\');
                    url.push(next);
                    len += 1 + next.len_utf8();
                }
                Some(c) => {
                    url.push(c);
                    len += c.len_utf8();
                }
            }
        }
        self.at += len + 1;
        let before = self.entities.len();
        self.close(if emoji { "custom_emoji" } else { "text_link" });
        if let Some(entity) = self.entities.get_mut(before) {
            if emoji {
                entity.custom_emoji_id = url.rsplit_once("id=").map(|(_, id)| id.to_owned());
            } else {
                entity.url = Some(url);
            }
        }
        Ok(())
    }

    fn begin(&mut self, c: char) -> Result<(), String> {
        let rest = self.rest();
        let line_start = self.out.is_empty() || self.out.ends_with('\n');
        let mut language = None;
        let (len, kind) = match c {
            '\n' => {
                self.put('\n');
                self.at += 1;
                return Ok(());
            }
            '_' if rest.starts_with("__") => (2, Kind::Underline),
            '_' => (1, Kind::Italic),
            '*' => (1, Kind::Bold),
            '~' => (1, Kind::Strikethrough),
            '|' if rest.starts_with("||") => (2, Kind::Spoiler),
            '[' => (1, Kind::TextUrl),
            '!' if rest.starts_with("![") => (2, Kind::CustomEmoji),
            '>' if line_start && self.top().is_none() => (1, Kind::BlockQuote),
            '`' => match rest.strip_prefix("```") {
                None => (1, Kind::Code),
                Some(body) => {
                    let (len, found) = fence(body);
                    let kind = if found.is_some() {
                        Kind::PreCode
                    } else {
                        Kind::Pre
                    };
                    language = found;
                    (3 + len, kind)
                }
            },
            _ => {
                return Err(format!(
                    "Character '{c}' is reserved and must be escaped with the preceding '\\'"
                ));
            }
        };
        self.open.push(Open {
            kind,
            raw_at: self.at,
            out_offset: self.units,
            language,
        });
        self.at += len;
        Ok(())
    }
}

/// Length and language of a fence's first line: a word right after the backquotes, ended by a line
/// break; the first line break belongs to the fence.
fn fence(body: &str) -> (usize, Option<String>) {
    let end = body
        .find(|c: char| c.is_whitespace() || c == '`')
        .unwrap_or(body.len());
    let tail = body.get(end..).unwrap_or_default();
    let word = body
        .get(..end)
        .filter(|word| !word.is_empty() && !tail.starts_with('`'));
    let start = if word.is_some() { end } else { 0 };
    let line_break = body.get(start..).is_some_and(|tail| tail.starts_with('\n'));
    (start + usize::from(line_break), word.map(str::to_owned))
}
