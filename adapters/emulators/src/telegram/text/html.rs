//! Bot API: "HTML style". Strict, with the error texts of TDLib (platforms.md 1.1); offsets in
//! them are bytes of the raw text.

use super::entity::{Entity, utf16_len};

struct Open {
    tag: String,
    entity: Entity,
    out_offset: i64,
}

/// The plain text and its entities, or the tail of "can't parse entities: …".
pub(crate) fn parse(raw: &str) -> Result<(String, Vec<Entity>), String> {
    let mut out = String::new();
    let mut units = 0;
    let mut entities = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while let Some(rest) = raw.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some(end) = rest.strip_prefix("</") {
            let close = end
                .find('>')
                .ok_or(format!("Unclosed end tag at byte offset {at}"))?;
            let name = end
                .get(..close)
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase();
            let Some(top) = open.pop() else {
                return Err(format!("Unexpected end tag at byte offset {at}"));
            };
            if !name.is_empty() && name != top.tag {
                return Err(format!(
                    "Unmatched end tag at byte offset {at}, expected \"</{}>\", found \"</{name}>\"",
                    top.tag
                ));
            }
            finish(top, units, &mut entities);
            at += 2 + close + 1;
        } else if rest.starts_with('<') {
            let (tag, entity, len) = start_tag(rest, at)?;
            open.push(Open {
                tag,
                entity,
                out_offset: units,
            });
            at += len;
        } else if let Some((c, len)) = reference(rest) {
            out.push(c);
            units += if c.len_utf16() == 2 { 2 } else { 1 };
            at += len;
        } else if let Some(c) = rest.chars().next() {
            out.push(c);
            units += if c.len_utf16() == 2 { 2 } else { 1 };
            at += c.len_utf8();
        }
    }
    if let Some(top) = open.last() {
        return Err(format!(
            "Can't find end tag corresponding to start tag \"{}\"",
            top.tag
        ));
    }
    debug_assert_eq!(units, utf16_len(&out));
    Ok((out, entities))
}

fn finish(top: Open, units: i64, entities: &mut Vec<Entity>) {
    let mut entity = top.entity;
    entity.offset = top.out_offset;
    entity.length = units - top.out_offset;
    if entity.length <= 0 || entity.kind.is_empty() {
        return;
    }
    // <pre><code class="language-x"> is one entity with a language.
    if entity.kind == "pre"
        && let Some(inner) = entities.last()
        && inner.kind == "code"
        && inner.offset == entity.offset
        && inner.length == entity.length
    {
        entity.language.clone_from(&inner.language);
        entities.pop();
    }
    entities.push(entity);
}

/// Name, entity and length in bytes of the start tag at the beginning of `rest`.
fn start_tag(rest: &str, at: usize) -> Result<(String, Entity, usize), String> {
    let Some(close) = rest.find('>') else {
        let name: String = rest
            .chars()
            .skip(1)
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect();
        return Err(if name.is_empty() {
            format!("Unclosed start tag at byte offset {at}")
        } else {
            format!("Unclosed start tag \"{name}\" at byte offset {at}")
        });
    };
    let inner = rest.get(1..close).unwrap_or_default();
    let name_len = inner.find(char::is_whitespace).unwrap_or(inner.len());
    let name = inner
        .get(..name_len)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let attributes = attributes(inner.get(name_len..).unwrap_or_default(), &name, at)?;
    let get = |key: &str| {
        attributes
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, v)| v.clone())
    };
    let mut entity = Entity::default();
    entity.kind = match name.as_str() {
        "b" | "strong" => "bold",
        "i" | "em" => "italic",
        "u" | "ins" => "underline",
        "s" | "strike" | "del" => "strikethrough",
        "tg-spoiler" => "spoiler",
        "span" if get("class").as_deref() == Some("tg-spoiler") => "spoiler",
        "span" => {
            return Err(format!(
                "Tag \"span\" must have class \"tg-spoiler\" at byte offset {at}"
            ));
        }
        "a" => {
            entity.url = get("href").filter(|url| !url.is_empty());
            if entity.url.is_some() {
                "text_link"
            } else {
                ""
            }
        }
        "tg-emoji" => {
            entity.custom_emoji_id = get("emoji-id");
            "custom_emoji"
        }
        "code" => {
            entity.language =
                get("class").and_then(|class| class.strip_prefix("language-").map(str::to_owned));
            "code"
        }
        "pre" => "pre",
        "blockquote" if get("expandable").is_some() => "expandable_blockquote",
        "blockquote" => "blockquote",
        other => {
            return Err(format!(
                "Unsupported start tag \"{other}\" at byte offset {at}"
            ));
        }
    }
    .to_owned();
    Ok((name, entity, close + 1))
}

fn attributes(text: &str, tag: &str, at: usize) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| c == '=' || c.is_whitespace())
            .unwrap_or(rest.len());
        let (key, tail) = rest.split_at(end);
        if key.is_empty() {
            return Err(format!(
                "Empty attribute name in the tag \"{tag}\" at byte offset {at}"
            ));
        }
        let tail = tail.trim_start();
        let (value, tail) = match tail.strip_prefix('=').map(str::trim_start) {
            None => ("", tail),
            Some(tail) => match tail.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let body = tail.get(1..).unwrap_or_default();
                    let Some(end) = body.find(quote) else {
                        return Err(format!("Unclosed start tag at byte offset {at}"));
                    };
                    (
                        body.get(..end).unwrap_or_default(),
                        body.get(end + 1..).unwrap_or_default(),
                    )
                }
                _ => tail.split_at(tail.find(char::is_whitespace).unwrap_or(tail.len())),
            },
        };
        found.push((key.to_ascii_lowercase(), unescape(value)));
        rest = tail.trim_start();
    }
    Ok(found)
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (c, len) = reference(rest).unwrap_or((c, c.len_utf8()));
        out.push(c);
        rest = rest.get(len..).unwrap_or_default();
    }
    out
}

/// The character reference at the start: the four named ones and all numeric ones; anything else
/// is literal text.
fn reference(rest: &str) -> Option<(char, usize)> {
    let body = rest.strip_prefix('&')?;
    for (name, c) in [("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"')] {
        if let Some(tail) = body.strip_prefix(name) {
            return Some((c, 1 + name.len() + usize::from(tail.starts_with(';'))));
        }
    }
    let number = body.strip_prefix('#')?;
    let end = number
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(number.len());
    let digits = number.get(..end)?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let c = char::from_u32(code).filter(|c| *c != '\0')?;
    let semicolon = number.get(end..).is_some_and(|tail| tail.starts_with(';'));
    Some((c, 2 + end + usize::from(semicolon)))
}
