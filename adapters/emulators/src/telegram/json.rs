//! The objects of the Bot API (User, Chat, Message, CallbackQuery) in JSON.

use serde_json::{Value, json};

use super::state::{Author, Bot, Chat, ChatKind, Message, State, User};

/// Bot API: User, as getMe returns it.
pub(crate) fn me(bot: &Bot) -> Value {
    let mut me = bot_user(bot);
    for (key, value) in [
        ("can_join_groups", true),
        ("can_read_all_group_messages", false),
        ("supports_inline_queries", false),
        ("can_connect_to_business", false),
        ("has_main_web_app", false),
        ("has_topics_enabled", false),
    ] {
        me[key] = json!(value);
    }
    me
}

pub(crate) fn bot_user(bot: &Bot) -> Value {
    json!({"id": bot.id, "is_bot": true, "first_name": bot.username, "username": bot.username})
}

/// Bot API: User.
pub(crate) fn user(user: &User) -> Value {
    let mut out = json!({
        "id": user.id, "is_bot": false, "first_name": user.first_name, "language_code": "en",
    });
    if let Some(username) = &user.username {
        out["username"] = json!(username);
    }
    out
}

/// Bot API: Chat.
pub(crate) fn chat(state: &State, chat: &Chat) -> Value {
    match chat.kind {
        ChatKind::Private { user } => {
            let mut out = json!({"id": chat.id, "type": "private"});
            if let Some(user) = state.users.get(&user) {
                out["first_name"] = json!(user.first_name);
                if let Some(username) = &user.username {
                    out["username"] = json!(username);
                }
            }
            out
        }
    }
}

/// Bot API: Message, with the message that it replies to one level deep.
pub(crate) fn message(state: &State, bot: &Bot, of: &Chat, message: &Message) -> Value {
    let mut out = bare_message(state, bot, of, message);
    let target = message.reply_to.and_then(|id| of.messages.get(&id));
    if let Some(target) = target.filter(|target| target.deleted_us.is_none()) {
        out["reply_to_message"] = bare_message(state, bot, of, target);
    }
    out
}

fn bare_message(state: &State, bot: &Bot, of: &Chat, message: &Message) -> Value {
    let from = match message.author {
        Author::Bot => bot_user(bot),
        Author::User(id) => state.users.get(&id).map_or(Value::Null, user),
    };
    let mut out = json!({
        "message_id": message.id, "from": from, "chat": chat(state, of), "date": message.date,
        "text": message.text,
    });
    if !message.entities.is_empty() {
        out["entities"] = json!(message.entities);
    }
    if let Some(date) = message.edit_date {
        out["edit_date"] = json!(date);
    }
    if let Some(markup) = &message.markup {
        out["reply_markup"] = markup.clone();
    }
    out
}

/// Bot API: MaybeInaccessibleMessage: a deleted message has date 0 and nothing else.
pub(crate) fn inaccessible(state: &State, of: &Chat, message_id: i64) -> Value {
    json!({"message_id": message_id, "chat": chat(state, of), "date": 0})
}
