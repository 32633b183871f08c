//! The part of a message that is read: everything else is left out before it is typed.

use serde_json::{Map, Value, json};

/// Fields that are taken as they are.
const MESSAGE: [&str; 5] = [
    "message_id",
    "date",
    "edit_date",
    "message_thread_id",
    "is_topic_message",
];
const CHAT: [&str; 4] = ["id", "type", "title", "is_forum"];
const USER: [&str; 5] = ["id", "is_bot", "first_name", "last_name", "username"];

/// The message with its text (or caption) and the commands in it; `None` if it is no object.
pub(super) fn message(raw: &Value) -> Option<Value> {
    let raw = raw.as_object()?;
    let mut out = pick(raw, &MESSAGE);
    for (name, fields) in [("chat", &CHAT[..]), ("from", &USER[..])] {
        if let Some(Value::Object(object)) = raw.get(name) {
            out.insert(name.to_owned(), Value::Object(pick(object, fields)));
        }
    }
    if let Some(text @ Value::String(_)) = raw.get("text") {
        out.insert("text".to_owned(), text.clone());
        out.insert("entities".to_owned(), commands(raw));
    }
    Some(Value::Object(out))
}

/// The press with its message, which may be one that is no longer accessible.
pub(super) fn press(raw: &Value) -> Option<Value> {
    let raw = raw.as_object()?;
    let mut out = pick(raw, &["id", "data"]);
    // Not read, but the type wants it.
    out.insert("chat_instance".to_owned(), json!(""));
    if let Some(Value::Object(from)) = raw.get("from") {
        out.insert("from".to_owned(), Value::Object(pick(from, &USER)));
    }
    if let Some(message) = raw.get("message").and_then(message) {
        out.insert("message".to_owned(), message);
    }
    Some(Value::Object(out))
}

pub(super) fn chat_type(message: &Value) -> Option<&str> {
    message.pointer("/chat/type").and_then(Value::as_str)
}

pub(super) fn reply_to(message: &Value) -> Option<i64> {
    message
        .pointer("/reply_to_message/message_id")
        .and_then(Value::as_i64)
}

fn commands(message: &Map<String, Value>) -> Value {
    let is_command = |e: &&Value| e.get("type").and_then(Value::as_str) == Some("bot_command");
    let entities = message.get("entities").and_then(Value::as_array);
    entities
        .into_iter()
        .flatten()
        .filter(is_command)
        .cloned()
        .collect()
}

fn pick(object: &Map<String, Value>, fields: &[&str]) -> Map<String, Value> {
    let taken = fields
        .iter()
        .filter_map(|f| Some(((*f).to_owned(), object.get(*f)?.clone())));
    taken.collect()
}
