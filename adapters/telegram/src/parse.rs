//! One update, as raw JSON, into an [`Inbound`]. Pure.
//!
//! The client crate's types do the reading, but they see a projection: only the fields that are
//! used here. Its message type fails as a whole on one entity or one attachment of a newer kind,
//! and a person's text must not be lost because of a field that nobody reads.

mod content;
mod project;

use serde_json::Value;
use talaria_types::{
    AccountId, ChatId, Content, Inbound, InboundKey, MessageId, Place, PlaceKind, Sender, ThreadId,
    UserId, Wall,
};
use teloxide::types::{CallbackQuery, Chat, Message, User};

/// The longest name that is taken, in characters.
const NAME_CHARS: usize = 64;

/// For whom is parsed.
#[derive(Clone, Copy, Debug)]
pub struct Bot<'a> {
    pub account: &'a AccountId,
    /// Without `@`; `None` as long as it is not known. Commands addressed to anybody then count.
    pub username: Option<&'a str>,
}

/// What an update is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    Inbound(Box<Inbound>),
    Ignored(Ignored),
}

/// Why an update needs no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ignored {
    /// A kind of update that was not asked for.
    Kind,
    /// Groups and channels are not served yet.
    Group,
    /// A bot wrote it.
    FromBot,
    /// The platform wrote it (a pinned message, a changed setting).
    Service,
    /// A command for another bot.
    ForAnotherBot,
    /// Nothing that could be read changed (an edited attachment, a button without data).
    NoContent,
    /// The person blocked the bot or came back.
    Membership,
}

/// An update of a known kind that can't be read. Says which field, never what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("the update is no object")]
    NoObject,
    #[error("the message lacks a field that every message has, or has it in another form")]
    Message,
    #[error("the button press lacks a field that every press has, or has it in another form")]
    Press,
    #[error("the message in a private chat has no sender")]
    NoSender,
}

impl Ignored {
    /// One word for logs and counters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Group => "group",
            Self::FromBot => "from_bot",
            Self::Service => "service",
            Self::ForAnotherBot => "for_another_bot",
            Self::NoContent => "no_content",
            Self::Membership => "membership",
        }
    }
}

/// Reads one update (Bot API: Update).
///
/// # Errors
/// [`ParseError`] if an update of a kind that is read here has another form than documented.
pub fn parse(bot: Bot<'_>, update: &Value) -> Result<Parsed, ParseError> {
    let update = update.as_object().ok_or(ParseError::NoObject)?;
    if let Some(raw) = update.get("message") {
        message(bot, raw, false)
    } else if let Some(raw) = update.get("edited_message") {
        message(bot, raw, true)
    } else if let Some(raw) = update.get("callback_query") {
        press(bot, raw)
    } else if update.contains_key("my_chat_member") {
        Ok(Parsed::Ignored(Ignored::Membership))
    } else {
        Ok(Parsed::Ignored(Ignored::Kind))
    }
}

fn message(bot: Bot<'_>, raw: &Value, edited: bool) -> Result<Parsed, ParseError> {
    let Some(projected) = project::message(raw) else {
        return Err(ParseError::Message);
    };
    match project::chat_type(raw) {
        Some("private") => {}
        Some(_) => return Ok(Parsed::Ignored(Ignored::Group)),
        None => return Err(ParseError::Message),
    }
    let message: Message = serde_json::from_value(projected).map_err(|_| ParseError::Message)?;
    let from = message.from.as_ref().ok_or(ParseError::NoSender)?;
    if from.is_bot {
        return Ok(Parsed::Ignored(Ignored::FromBot));
    }
    let read = if edited {
        content::edited(&message, raw)
    } else {
        content::new(bot, &message, raw)
    };
    let content = match read {
        Ok(content) => content,
        Err(ignored) => return Ok(Parsed::Ignored(ignored)),
    };
    let key = match &content {
        Content::Edit { text, .. } => edit_key(&message, raw, text),
        Content::Text { .. }
        | Content::Command { .. }
        | Content::Press { .. }
        | Content::Unsupported { .. } => new_key(&message),
    };
    Ok(Parsed::Inbound(Box::new(Inbound {
        key,
        aliases: Vec::new(),
        place: place(bot.account, &message.chat, thread(&message)),
        sender: sender(from),
        content,
        message: Some(MessageId::new(message.id.to_string())),
        reply_to: project::reply_to(raw).map(|id| MessageId::new(id.to_string())),
        sent: u64::try_from(message.date.timestamp())
            .ok()
            .map(|s| Wall(s.saturating_mul(1_000))),
    })))
}

fn press(bot: Bot<'_>, raw: &Value) -> Result<Parsed, ParseError> {
    let projected = project::press(raw).ok_or(ParseError::Press)?;
    let press: CallbackQuery = serde_json::from_value(projected).map_err(|_| ParseError::Press)?;
    // Without a message it is of an inline message, without data of a game: neither is ours.
    let (Some(message), Some(data)) = (&press.message, press.data) else {
        return Ok(Parsed::Ignored(Ignored::NoContent));
    };
    if !message.chat().is_private() {
        return Ok(Parsed::Ignored(Ignored::Group));
    }
    if press.from.is_bot {
        return Ok(Parsed::Ignored(Ignored::FromBot));
    }
    let interaction = press.id.0;
    Ok(Parsed::Inbound(Box::new(Inbound {
        key: InboundKey::new(format!("press:{interaction}")),
        aliases: Vec::new(),
        place: place(
            bot.account,
            message.chat(),
            message.regular_message().and_then(thread),
        ),
        sender: sender(&press.from),
        content: Content::Press { data, interaction },
        message: Some(MessageId::new(message.id().to_string())),
        reply_to: None,
        // The press itself has no date; the message's would be that of the question.
        sent: None,
    })))
}

fn new_key(message: &Message) -> InboundKey {
    InboundKey::new(format!("new:{}:{}", message.chat.id, message.id))
}

/// Two edits within one second have the same date, so the key has a checksum of the text as well.
fn edit_key(message: &Message, raw: &Value, text: &str) -> InboundKey {
    let date = raw
        .get("edit_date")
        .and_then(Value::as_i64)
        .unwrap_or_default();
    let sum = crc32fast::hash(text.as_bytes());
    InboundKey::new(format!(
        "edit:{}:{}:{date}:{sum:08x}",
        message.chat.id, message.id
    ))
}

fn place(account: &AccountId, chat: &Chat, thread: Option<ThreadId>) -> Place {
    Place {
        account: account.clone(),
        kind: PlaceKind::Direct,
        chat: ChatId::new(chat.id.to_string()),
        thread,
    }
}

/// A topic of the private chat. Reply chains have a thread id too, but are no topic.
fn thread(message: &Message) -> Option<ThreadId> {
    let topic = message.thread_id.filter(|_| message.is_topic_message)?;
    Some(ThreadId::new(topic.0.to_string()))
}

fn sender(user: &User) -> Sender {
    Sender {
        id: UserId::new(user.id.to_string()),
        name: bounded_name(&user.full_name()),
        is_bot: user.is_bot,
    }
}

/// A name on one line, without control and direction characters, of bounded length.
fn bounded_name(name: &str) -> Option<String> {
    let turns = |c: &char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let shown: String = name
        .chars()
        .filter(|c| !turns(c))
        .map(plain)
        .take(NAME_CHARS)
        .collect();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    if shown.is_empty() { None } else { Some(shown) }
}

#[cfg(test)]
mod tests;
