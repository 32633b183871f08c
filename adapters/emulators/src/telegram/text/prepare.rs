//! From a call's arguments to the text that is shown: parse mode or entities, then cleaning,
//! trimming, the length limits, the rules for entities.

use super::entity::{Entity, utf16_len};
use super::{html, markdown_v2};
use crate::telegram::answer::ApiError;
use crate::telegram::params::Params;

/// Raw text, markup included, in bytes (server source: Client, "text is too long").
const MAX_RAW_BYTES: usize = 32_768;
/// Shown text. Documented as "characters"; UTF-16 units are the safe reading (platforms.md 1.7).
const MAX_UNITS: i64 = 4096;
/// More entities are ignored (observed; platforms.md 1.7).
const MAX_ENTITIES: usize = 100;

/// A text ready to be shown.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Prepared {
    pub(crate) text: String,
    pub(crate) entities: Vec<Entity>,
    /// What the real server would swallow silently.
    pub(crate) warnings: Vec<String>,
}

/// What to answer to a text over the limit: sends and edits differ.
pub(crate) const TOO_LONG_SEND: &str = "message is too long";
/// See [`TOO_LONG_SEND`].
pub(crate) const TOO_LONG_EDIT: &str = "MESSAGE_TOO_LONG";

/// Bot API: "Formatting options". `Err` is the API's refusal; an empty text is left to the caller.
pub(crate) fn prepare(params: &Params, too_long: &str) -> Result<Prepared, ApiError> {
    let raw = params.text("text").unwrap_or_default();
    if raw.len() > MAX_RAW_BYTES {
        return Err(ApiError::bad("text is too long"));
    }
    let unparsable = |why: String| ApiError::bad(&format!("can't parse entities: {why}"));
    let mode = params
        .text("parse_mode")
        .unwrap_or_default()
        .to_ascii_lowercase();
    let (text, entities) = match mode.as_str() {
        "" => {
            let entities: Option<Vec<Entity>> = params
                .object("entities")
                .map_err(|_| unparsable("Can't parse entities JSON object".to_owned()))?;
            (raw, entities.unwrap_or_default())
        }
        "html" => html::parse(&raw).map_err(unparsable)?,
        "markdownv2" => markdown_v2::parse(&raw).map_err(unparsable)?,
        _ => return Err(ApiError::bad("unsupported parse_mode")),
    };
    let mut prepared = Prepared {
        text,
        entities,
        warnings: Vec::new(),
    };
    prepared.check_entities()?;
    prepared.trim();
    prepared.nest();
    if utf16_len(&prepared.text) > MAX_UNITS {
        return Err(ApiError::bad(too_long));
    }
    Ok(prepared)
}

impl Prepared {
    /// Entities outside the text are dropped and ones that stick out are cut, as TDLib does it;
    /// both leave a warning. One that begins or ends inside a surrogate pair is refused: TDLib
    /// would show garbage, and it is always a client's counting error.
    fn check_entities(&mut self) -> Result<(), ApiError> {
        let len = utf16_len(&self.text);
        let starts = boundaries(&self.text);
        let mut kept = Vec::new();
        for mut entity in std::mem::take(&mut self.entities) {
            if entity.offset < 0 || entity.length <= 0 || entity.offset >= len {
                self.warnings
                    .push(format!("entity outside the text dropped: {entity:?}"));
                continue;
            }
            if entity.end() > len {
                self.warnings
                    .push(format!("entity cut at the end of the text: {entity:?}"));
                entity.length = len - entity.offset;
            }
            let inside = |at: i64| starts.binary_search(&at).is_err();
            if inside(entity.offset) || inside(entity.end()) {
                return Err(ApiError::bad(&format!(
                    "can't parse entities: entity beginning or ending in the middle of a UTF-16 \
                     symbol at offset {}",
                    entity.offset
                )));
            }
            if entity.kind == "text_link" && entity.url.as_deref().is_none_or(str::is_empty) {
                self.warnings
                    .push(format!("text_link without url dropped: {entity:?}"));
                continue;
            }
            kept.push(entity);
        }
        if kept.len() > MAX_ENTITIES {
            self.warnings
                .push(format!("{} entities, {MAX_ENTITIES} kept", kept.len()));
            kept.truncate(MAX_ENTITIES);
        }
        self.entities = kept;
        Ok(())
    }

    /// White space at both ends is not shown; entities move with the text. Control characters
    /// become spaces, carriage returns vanish (TDLib: clean_input_string).
    fn trim(&mut self) {
        let clean: String = self
            .text
            .chars()
            .map(|c| {
                if c < ' ' && c != '\n' && c != '\r' {
                    ' '
                } else {
                    c
                }
            })
            .collect();
        if clean.contains('\r') && self.entities.is_empty() {
            self.text = clean.replace('\r', "");
        } else {
            self.text = clean;
        }
        let start = utf16_len(&self.text) - utf16_len(self.text.trim_start());
        self.text = self.text.trim().to_owned();
        let len = utf16_len(&self.text);
        for entity in &mut self.entities {
            let end = (entity.end() - start).min(len);
            entity.offset = (entity.offset - start).max(0);
            entity.length = end - entity.offset;
        }
        self.entities.retain(|entity| entity.length > 0);
    }

    /// Code contains nothing and is part of nothing but quotes, quotes do not nest (Bot API:
    /// MessageEntity; TDLib: fix_entities): links and code that overlap an earlier one are dropped
    /// with a warning, formatting is split around code. Partial overlaps of formatting are kept
    /// with a warning (the server splits them too).
    fn nest(&mut self) {
        self.entities
            .sort_by_key(|entity| (entity.offset, -entity.length));
        let (solid, formats): (Vec<_>, Vec<_>) = std::mem::take(&mut self.entities)
            .into_iter()
            .partition(|entity| !entity.splits());
        let mut kept: Vec<Entity> = Vec::new();
        for entity in solid {
            // A quote may hold code and links; nothing else of these may share a character.
            let may = |outer: &Entity, inner: &Entity| {
                outer.is_quote() && !inner.is_quote() && outer.contains(inner)
            };
            let clash = |other: &Entity| {
                other.overlaps(&entity) && !may(other, &entity) && !may(&entity, other)
            };
            if kept.iter().any(clash) {
                self.warnings
                    .push(format!("entity that may not nest dropped: {entity:?}"));
            } else {
                kept.push(entity);
            }
        }
        let code: Vec<Entity> = kept
            .iter()
            .filter(|entity| entity.is_code())
            .cloned()
            .collect();
        for entity in formats {
            for piece in around(entity, &code) {
                if kept
                    .iter()
                    .any(|other| other.overlaps(&piece) && !nested(other, &piece))
                {
                    self.warnings
                        .push(format!("entities overlap without nesting: {piece:?}"));
                }
                kept.push(piece);
            }
        }
        kept.sort_by_key(|entity| (entity.offset, -entity.length));
        self.entities = kept;
    }
}

fn nested(a: &Entity, b: &Entity) -> bool {
    a.contains(b) || b.contains(a)
}

/// What is left of a format when the code ranges are taken out.
fn around(entity: Entity, code: &[Entity]) -> Vec<Entity> {
    let mut pieces = vec![entity];
    for hole in code {
        let mut next = Vec::new();
        for piece in pieces {
            if !piece.overlaps(hole) {
                next.push(piece);
                continue;
            }
            let mut add = |from: i64, to: i64| {
                if from < to {
                    next.push(Entity {
                        offset: from,
                        length: to - from,
                        ..piece.clone()
                    });
                }
            };
            add(piece.offset, hole.offset);
            add(hole.end(), piece.end());
        }
        pieces = next;
    }
    pieces
}

/// The UTF-16 offsets at which a character starts, and the end.
fn boundaries(text: &str) -> Vec<i64> {
    let mut at = 0;
    let mut found = vec![0];
    for c in text.chars() {
        at += if c.len_utf16() == 2 { 2 } else { 1 };
        found.push(at);
    }
    found
}
