//! A [`Body`] in the types of the client crate: entities and the keyboard under a message.

use reqwest::Url;
use talaria_types::{Body, Button, Entity, EntityKind};
use teloxide::types::{
    InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity, MessageEntityKind,
};

/// Buttons stand in one row up to this many, and with labels of at most `ROW_LABELS` characters
/// together: more would be cut on a phone.
const ROW_BUTTONS: usize = 3;
const ROW_LABELS: usize = 32;

/// The body's entities. A link whose address is no URL is left out: its text stays, and the server
/// would drop it as well.
pub(crate) fn entities(body: &Body) -> Vec<MessageEntity> {
    body.entities.iter().filter_map(entity).collect()
}

fn entity(entity: &Entity) -> Option<MessageEntity> {
    let kind = match &entity.kind {
        EntityKind::Bold => MessageEntityKind::Bold,
        EntityKind::Italic => MessageEntityKind::Italic,
        EntityKind::Underline => MessageEntityKind::Underline,
        EntityKind::Strikethrough => MessageEntityKind::Strikethrough,
        EntityKind::Spoiler => MessageEntityKind::Spoiler,
        EntityKind::Blockquote => MessageEntityKind::Blockquote,
        EntityKind::ExpandableBlockquote => MessageEntityKind::ExpandableBlockquote,
        EntityKind::Code => MessageEntityKind::Code,
        EntityKind::Pre { language } => MessageEntityKind::Pre {
            language: language.clone(),
        },
        EntityKind::TextLink { url } => MessageEntityKind::TextLink {
            url: Url::parse(url).ok()?,
        },
    };
    let offset = usize::try_from(entity.offset).ok()?;
    let length = usize::try_from(entity.length).ok()?;
    Some(MessageEntity {
        kind,
        offset,
        length,
    })
}

/// The keyboard of the body's buttons; none without buttons.
pub(crate) fn keyboard(buttons: &[Button]) -> Option<InlineKeyboardMarkup> {
    if buttons.is_empty() {
        return None;
    }
    let button = |b: &Button| InlineKeyboardButton::callback(b.label.as_str(), b.data.as_str());
    let labels: usize = buttons
        .iter()
        .map(|button| button.label.chars().count())
        .sum();
    let per_row = if buttons.len() <= ROW_BUTTONS && labels <= ROW_LABELS {
        ROW_BUTTONS
    } else {
        1
    };
    let rows = buttons
        .chunks(per_row)
        .map(|row| row.iter().map(button).collect::<Vec<_>>());
    Some(InlineKeyboardMarkup::new(rows))
}

#[cfg(test)]
mod tests;
