//! What users do.

use serde_json::{Value, json};

use super::TelegramControl;
use crate::Error;
use crate::clock::Now;
use crate::telegram::json;
use crate::telegram::methods::CALLBACK_LIFE_US;
use crate::telegram::state::{Author, Callback, Message, NewUpdate, State, day_later};
use crate::telegram::text::detect::detect;

impl TelegramControl {
    /// The user writes to the bot; returns the message id. Commands, mentions and links are
    /// detected (Bot API: MessageEntity).
    ///
    /// # Errors
    /// Unknown user or bot; [`Error::Blocked`].
    pub fn user_text(&self, user: i64, text: &str) -> Result<i64, Error> {
        self.user_reply(user, text, None)
    }

    /// The user writes, as a reply to a message.
    ///
    /// # Errors
    /// Unknown user, bot or message; [`Error::Blocked`].
    pub fn user_reply(&self, user: i64, text: &str, reply_to: Option<i64>) -> Result<i64, Error> {
        self.shared.change(|state, now| {
            let bot_id = self.writing(state, user)?;
            let chat = state
                .chats
                .get_mut(&(bot_id, user))
                .ok_or(Error::NoSuchUser(user))?;
            if let Some(target) = reply_to
                && chat.living(target).is_none()
            {
                return Err(Error::NoSuchMessage(target));
            }
            let bot = state.bots.get_mut(&bot_id);
            let id = bot
                .map(crate::telegram::state::Bot::take_message_id)
                .unwrap_or_default();
            let message = Message {
                id,
                author: Author::User(user),
                at_us: now.us,
                date: now.unix,
                edit_date: None,
                text: text.to_owned(),
                entities: detect(text),
                reply_to,
                markup: None,
                edits: Vec::new(),
                deleted_us: None,
            };
            chat.messages.insert(id, message);
            push_message(state, bot_id, user, id, "message", now);
            Ok(id)
        })
    }

    /// The user edits an own message (update `edited_message`).
    ///
    /// # Errors
    /// Unknown user, bot or message; [`Error::Blocked`].
    pub fn user_edit(&self, user: i64, message_id: i64, text: &str) -> Result<(), Error> {
        self.shared.change(|state, now| {
            let bot_id = self.writing(state, user)?;
            let chat = state
                .chats
                .get_mut(&(bot_id, user))
                .ok_or(Error::NoSuchUser(user))?;
            let message = chat
                .living(message_id)
                .filter(|message| message.author == Author::User(user))
                .ok_or(Error::NoSuchMessage(message_id))?;
            message.edits.push(crate::telegram::views::EditView {
                at_us: now.us,
                text: text.to_owned(),
            });
            text.clone_into(&mut message.text);
            message.entities = detect(text);
            message.edit_date = Some(now.unix);
            push_message(state, bot_id, user, message_id, "edited_message", now);
            Ok(())
        })
    }

    /// The user deletes a message on both sides. A bot gets no update about that.
    ///
    /// # Errors
    /// Unknown user, bot or message.
    pub fn user_delete(&self, user: i64, message_id: i64) -> Result<(), Error> {
        self.shared.change(|state, now| {
            let bot_id = self.bot_id(state)?;
            let chat = state
                .chats
                .get_mut(&(bot_id, user))
                .ok_or(Error::NoSuchUser(user))?;
            let message = chat
                .living(message_id)
                .ok_or(Error::NoSuchMessage(message_id))?;
            message.deleted_us = Some(now.us);
            Ok(())
        })
    }

    /// The user presses the button with this data; returns the callback query's id. Its update
    /// lives 150 s.
    ///
    /// # Errors
    /// Unknown user, bot, message or button; [`Error::Blocked`].
    pub fn user_press(&self, user: i64, message_id: i64, data: &str) -> Result<String, Error> {
        self.shared.change(|state, now| {
            let bot_id = self.writing(state, user)?;
            let number: usize = state.chats.values().map(|chat| chat.callbacks.len()).sum();
            let chat = state
                .chats
                .get_mut(&(bot_id, user))
                .ok_or(Error::NoSuchUser(user))?;
            let message = chat
                .messages
                .get(&message_id)
                .ok_or(Error::NoSuchMessage(message_id))?;
            if !has_button(message.markup.as_ref(), data) {
                return Err(Error::NoSuchButton(data.to_owned()));
            }
            // Ids of the real service are large decimal numbers.
            let id = format!("{}", 4_382_000_000_000_000_000_u64 + now.us + number as u64);
            chat.callbacks.push(Callback {
                id: id.clone(),
                message_id,
                data: data.to_owned(),
                at_us: now.us,
                answer: None,
            });
            let Some(body) = callback_json(state, bot_id, user, message_id, &id, data) else {
                return Err(Error::NoSuchUser(user));
            };
            let expires_us = now.us.saturating_add(CALLBACK_LIFE_US);
            push(
                state,
                bot_id,
                NewUpdate {
                    kind: "callback_query".to_owned(),
                    body,
                    expires_us,
                },
            );
            Ok(id)
        })
    }

    /// The user blocks the bot: every call for the chat is refused from now on.
    ///
    /// # Errors
    /// Unknown user or bot.
    pub fn user_block(&self, user: i64) -> Result<(), Error> {
        self.set_blocked(user, true)
    }

    /// The user unblocks the bot.
    ///
    /// # Errors
    /// Unknown user or bot.
    pub fn user_unblock(&self, user: i64) -> Result<(), Error> {
        self.set_blocked(user, false)
    }

    fn set_blocked(&self, user: i64, blocked: bool) -> Result<(), Error> {
        self.shared.change(|state, now| {
            let bot_id = self.bot_id(state)?;
            let chat = state
                .chats
                .get_mut(&(bot_id, user))
                .ok_or(Error::NoSuchUser(user))?;
            chat.blocked = blocked;
            if let Some(body) = membership_json(state, bot_id, user, blocked, now) {
                let expires_us = day_later(now);
                let kind = "my_chat_member".to_owned();
                push(
                    state,
                    bot_id,
                    NewUpdate {
                        kind,
                        body,
                        expires_us,
                    },
                );
            }
            Ok(())
        })
    }

    /// The bot, if the user exists and can write to it.
    fn writing(&self, state: &State, user: i64) -> Result<i64, Error> {
        let bot_id = self.bot_id(state)?;
        let chat = state
            .chats
            .get(&(bot_id, user))
            .ok_or(Error::NoSuchUser(user))?;
        if chat.blocked {
            Err(Error::Blocked(user))
        } else {
            Ok(bot_id)
        }
    }
}

fn push(state: &mut State, bot: i64, update: NewUpdate) {
    if let Some(bot) = state.bots.get_mut(&bot) {
        bot.queue.push(update);
    }
}

fn push_message(state: &mut State, bot: i64, chat: i64, id: i64, kind: &str, now: Now) {
    let Some(body) = message_json(state, bot, chat, id) else {
        return;
    };
    let expires_us = day_later(now);
    push(
        state,
        bot,
        NewUpdate {
            kind: kind.to_owned(),
            body,
            expires_us,
        },
    );
}

fn message_json(state: &State, bot: i64, chat: i64, id: i64) -> Option<Value> {
    let chat = state.chats.get(&(bot, chat))?;
    let message = chat.messages.get(&id)?;
    Some(json::message(state, state.bots.get(&bot)?, chat, message))
}

fn has_button(markup: Option<&Value>, data: &str) -> bool {
    let rows = markup.and_then(|markup| markup["inline_keyboard"].as_array());
    rows.into_iter()
        .flatten()
        .filter_map(Value::as_array)
        .flatten()
        .any(|button| button["callback_data"] == data)
}

/// Bot API: CallbackQuery; the message of a press may be gone (MaybeInaccessibleMessage).
fn callback_json(
    state: &State,
    bot: i64,
    user: i64,
    message_id: i64,
    id: &str,
    data: &str,
) -> Option<Value> {
    let chat = state.chats.get(&(bot, user))?;
    let message = chat.messages.get(&message_id)?;
    let message = if message.deleted_us.is_some() {
        json::inaccessible(state, chat, message_id)
    } else {
        json::message(state, state.bots.get(&bot)?, chat, message)
    };
    Some(json!({
        "id": id, "from": json::user(state.users.get(&user)?), "message": message,
        "chat_instance": format!("{}", -3_216_549_870_i64 - user), "data": data,
    }))
}

/// Bot API: ChatMemberUpdated.
fn membership_json(state: &State, bot: i64, user: i64, blocked: bool, now: Now) -> Option<Value> {
    let me = json::bot_user(state.bots.get(&bot)?);
    let member = json!({"user": me, "status": "member"});
    let banned = json!({"user": me, "status": "kicked", "until_date": 0});
    let (old, new) = if blocked {
        (member, banned)
    } else {
        (banned, member)
    };
    Some(json!({
        "chat": json::chat(state, state.chats.get(&(bot, user))?),
        "from": json::user(state.users.get(&user)?), "date": now.unix,
        "old_chat_member": old, "new_chat_member": new,
    }))
}
