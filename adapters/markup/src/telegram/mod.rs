//! Telegram: plain text with entities, so that nothing in a text can be taken for markup.
//! Limits and rules: Bot API, "Formatting options", `sendMessage`, `MessageEntity`.

mod entities;
mod layout;
mod links;

#[cfg(test)]
mod tests;

use talaria_types::{Body, EntityKind, Part, RenderStage, Renderer, TextUnit};

use crate::clean::Cleaned;
use crate::flow::Flow;
use crate::split::{Layout, split};

/// The longest text of a message, in UTF-16 code units (Bot API: sendMessage, 1-4096 characters).
pub const TEXT_LIMIT: usize = 4096;

/// More entities than this are ignored by the platform (observed), so a part has no more.
pub const ENTITY_LIMIT: usize = 100;

/// Room that every part keeps for the short label, in UTF-16 code units.
pub const LABEL_ROOM: usize = 6;

/// Marks a repeated message that has room for it.
const LABEL: &str = "(This may be a repeat.)\n";

/// Marks a repeated message that is full; as long as [`LABEL_ROOM`].
const SHORT_LABEL: &str = "(🔁?)\n";

/// Renders Markdown for Telegram. See [`Renderer`].
#[derive(Clone, Debug)]
pub struct TelegramRenderer {
    limit: usize,
    entities: usize,
}

impl Default for TelegramRenderer {
    fn default() -> Self {
        Self::new()
    }
}

impl TelegramRenderer {
    #[must_use]
    pub fn new() -> Self {
        Self {
            limit: TEXT_LIMIT - LABEL_ROOM,
            entities: ENTITY_LIMIT,
        }
    }

    /// For shorter messages than the platform's. `limit` is in UTF-16 code units and includes the
    /// room for the label; it is raised to 32 where it is less.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit: limit.max(32) - LABEL_ROOM,
            entities: ENTITY_LIMIT,
        }
    }
}

impl Renderer for TelegramRenderer {
    fn render(&self, markdown: &str, stage: RenderStage, frozen: &[usize]) -> Vec<Part> {
        let cleaned = Cleaned::new(markdown);
        let frozen: Vec<_> = frozen.iter().map(|&end| cleaned.to_clean(end)).collect();
        let live = matches!(stage, RenderStage::Live);
        let mut parts: Vec<_> = split(self, &cleaned.text, live, &frozen)
            .into_iter()
            .map(|share| Part {
                body: entities::body(&share.flow),
                source_end: cleaned.to_original(share.end),
            })
            .collect();
        if let Some(last) = parts.last_mut() {
            last.source_end = markdown.len();
        }
        parts
    }

    fn plainer(&self, body: &Body) -> Body {
        Body {
            entities: Vec::new(),
            ..body.clone()
        }
    }

    fn labelled(&self, body: &Body) -> Body {
        let room = TEXT_LIMIT.saturating_sub(TextUnit::Utf16.count(&body.text));
        let label = if TextUnit::Utf16.count(LABEL) <= room {
            LABEL
        } else {
            SHORT_LABEL
        };
        let mut labelled = body.clone();
        labelled.text.insert_str(0, label);
        let shift = u32::try_from(TextUnit::Utf16.count(label)).unwrap_or(0);
        for entity in &mut labelled.entities {
            entity.offset = entity.offset.saturating_add(shift);
        }
        labelled
    }
}

impl Layout for TelegramRenderer {
    type Kind = EntityKind;

    fn lay(&self, blocks: &[crate::ir::Block<'_>], from: usize) -> Flow<EntityKind> {
        // A header with its line and a row take less than a message.
        layout::lay(blocks, from, self.limit / 4)
    }

    fn room(&self, flow: &Flow<EntityKind>) -> usize {
        let shown = flow.text.trim_end().len();
        let mut units = 0;
        let mut room = flow.text.len();
        // A code unit takes at most three bytes, and no less than one.
        if shown > self.limit {
            for (at, c) in flow.text.char_indices() {
                units += c.len_utf16();
                if units > self.limit {
                    room = if at >= shown { room } else { at };
                    break;
                }
            }
        }
        match entities::start_of(flow, self.entities) {
            Some(start) => room.min(start),
            None => room,
        }
    }

    fn whole(&self, kind: &EntityKind) -> bool {
        !matches!(
            kind,
            EntityKind::Pre { .. } | EntityKind::Blockquote | EntityKind::ExpandableBlockquote
        )
    }

    fn reach(&self) -> usize {
        self.limit * 3
    }
}
