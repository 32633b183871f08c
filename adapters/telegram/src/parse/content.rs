//! What a message says: text, a command, an edit, or something that can't be read.

use serde_json::Value;
use talaria_types::{Command, Content};
use teloxide::types::{Message, MessageEntityKind};

use super::{Bot, Ignored, new_key};

/// What people send beside text, in their words. A message may have several of these fields: the
/// first that fits names it (an animation is a document too, a venue has a location).
const MEDIA: [(&str, &str); 19] = [
    ("voice", "a voice message"),
    ("video_note", "a video message"),
    ("photo", "a photo"),
    ("live_photo", "a photo"),
    ("sticker", "a sticker"),
    ("animation", "a GIF"),
    ("audio", "an audio file"),
    ("video", "a video"),
    ("document", "a file"),
    ("venue", "a place"),
    ("location", "a location"),
    ("contact", "a contact"),
    ("poll", "a poll"),
    ("checklist", "a checklist"),
    ("dice", "a dice"),
    ("game", "a game"),
    ("story", "a story"),
    ("paid_media", "paid media"),
    ("invoice", "an invoice"),
];

/// Messages that the platform writes by itself (Bot API: Message). What is in neither list is
/// treated as a person's: silence would be worse than one needless answer.
const SERVICE: [&str; 44] = [
    "pinned_message",
    "message_auto_delete_timer_changed",
    "write_access_allowed",
    "web_app_data",
    "users_shared",
    "chat_shared",
    "connected_website",
    "passport_data",
    "successful_payment",
    "refunded_payment",
    "proximity_alert_triggered",
    "boost_added",
    "chat_background_set",
    "checklist_tasks_done",
    "checklist_tasks_added",
    "direct_message_price_changed",
    "paid_message_price_changed",
    "suggested_post_approved",
    "suggested_post_approval_failed",
    "suggested_post_declined",
    "suggested_post_paid",
    "suggested_post_refunded",
    "forum_topic_created",
    "forum_topic_edited",
    "forum_topic_closed",
    "forum_topic_reopened",
    "general_forum_topic_hidden",
    "general_forum_topic_unhidden",
    "giveaway_created",
    "giveaway",
    "giveaway_winners",
    "giveaway_completed",
    "gift",
    "unique_gift",
    "gift_upgrade_sent",
    "video_chat_scheduled",
    "video_chat_started",
    "video_chat_ended",
    "video_chat_participants_invited",
    "new_chat_members",
    "left_chat_member",
    "group_chat_created",
    "migrate_to_chat_id",
    "migrate_from_chat_id",
];

/// The content of a new message.
pub(super) fn new(bot: Bot<'_>, message: &Message, raw: &Value) -> Result<Content, Ignored> {
    if let Some(text) = message.text() {
        return command(bot, message, text).unwrap_or_else(|| {
            Ok(Content::Text {
                text: text.to_owned(),
            })
        });
    }
    let what = MEDIA
        .iter()
        .find(|(field, _)| raw.get(*field).is_some())
        .map(|(_, what)| *what);
    if what.is_none() && SERVICE.iter().any(|field| raw.get(*field).is_some()) {
        return Err(Ignored::Service);
    }
    let what = what.unwrap_or("something of a kind that I don't know");
    Ok(match caption(raw) {
        Some(caption) => Content::Text {
            text: with_note(caption, what),
        },
        None => Content::Unsupported {
            what: what.to_owned(),
        },
    })
}

/// The content of an edited message. A caption keeps its note, so that an edit of it compares with
/// the original.
pub(super) fn edited(message: &Message, raw: &Value) -> Result<Content, Ignored> {
    let text = if let Some(text) = message.text() {
        text.to_owned()
    } else {
        let what = MEDIA.iter().find(|(field, _)| raw.get(*field).is_some());
        let caption = caption(raw).ok_or(Ignored::NoContent)?;
        with_note(caption, what.map_or("something", |(_, what)| what))
    };
    Ok(Content::Edit {
        of: new_key(message),
        text,
    })
}

/// A person who writes under a photo asks with that text, so it is answered; the note keeps the
/// model from pretending that it saw the rest.
fn with_note(caption: &str, what: &str) -> String {
    format!("{caption}\n\n[Sent together with {what}, which this bot can't read.]")
}

fn caption(raw: &Value) -> Option<&str> {
    raw.get("caption")
        .and_then(Value::as_str)
        .filter(|caption| !caption.trim().is_empty())
}

/// The command at the very start of the text, if it is one of ours.
fn command(bot: Bot<'_>, message: &Message, text: &str) -> Option<Result<Content, Ignored>> {
    let entity = message
        .entities()?
        .iter()
        .find(|entity| entity.offset == 0 && entity.kind == MessageEntityKind::BotCommand)?;
    let end = utf8_at(text, entity.length)?;
    let (word, rest) = text.split_at_checked(end)?;
    let word = word.strip_prefix('/')?;
    let (name, address) = word
        .split_once('@')
        .map_or((word, None), |(n, a)| (n, Some(a)));
    if let (Some(address), Some(own)) = (address, bot.username)
        && !address.eq_ignore_ascii_case(own)
    {
        return Some(Err(Ignored::ForAnotherBot));
    }
    let command = Command::parse(name)?;
    Some(Ok(Content::Command {
        command,
        args: rest.trim().to_owned(),
    }))
}

/// The byte offset of a UTF-16 offset; `None` if it is beyond the text or inside a character.
fn utf8_at(text: &str, utf16: usize) -> Option<usize> {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        if units >= utf16 {
            return (units == utf16).then_some(at);
        }
        units += c.len_utf16();
    }
    (units == utf16).then_some(text.len())
}
