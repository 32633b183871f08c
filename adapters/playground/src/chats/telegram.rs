//! The Telegram column: the emulator's chat as its one user sees it.

use std::collections::BTreeSet;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use talaria_emulators::TelegramControl;
use talaria_emulators::telegram::{self, Entity, utf16_len};

use super::{Chat, ChatError};
use crate::view::{
    ButtonView, ChatHead, ChatView, CommandView, EntityView, MessageView, TextView, ToastView,
};

/// Bot API: sendMessage, "1-4096 characters"; the user's messages have the same limit.
const MAX_UNITS: usize = 4096;

/// One user's chat with one bot.
pub(crate) struct TelegramChat {
    control: TelegramControl,
    user: i64,
    title: String,
}

impl TelegramChat {
    pub(crate) fn new(control: TelegramControl, user: i64, title: &str) -> Self {
        Self {
            control,
            user,
            title: title.to_owned(),
        }
    }

    /// Bot API: BotCommandScope; for a private chat the first of these that is set counts.
    fn commands(&self) -> Vec<CommandView> {
        [
            json!({ "type": "chat", "chat_id": self.user }),
            json!({ "type": "all_private_chats" }),
            json!({ "type": "default" }),
        ]
        .iter()
        .find_map(|scope| self.control.commands(scope, "").ok().flatten())
        .map(|list| list.as_array().into_iter().flatten().map(command).collect())
        .unwrap_or_default()
    }

    /// The messages whose update the bot has not confirmed.
    fn unfetched(&self) -> BTreeSet<i64> {
        let pending = self.control.pending_updates().unwrap_or_default();
        pending
            .iter()
            .filter_map(|update| update["message"]["message_id"].as_i64())
            .collect()
    }
}

impl Chat for TelegramChat {
    fn view(&self) -> ChatView {
        // The user is added at the start and never removed, so the chat is there.
        let Ok(chat) = self.control.chat(self.user) else {
            return ChatView::default();
        };
        let unfetched = self.unfetched();
        let head = ChatHead {
            id: "telegram",
            skin: "telegram",
            title: self.title.clone(),
            typing: chat.typing,
            draft: chat
                .draft
                .as_ref()
                .map(|draft| text(&draft.text, &draft.entities)),
            commands: self.commands(),
            toast: toast(&chat),
        };
        let messages = chat
            .visible()
            .map(|message| message_view(message, &unfetched))
            .collect();
        ChatView { head, messages }
    }

    fn send(&self, text: &str) -> Result<(), ChatError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ChatError::Empty);
        }
        if usize::try_from(utf16_len(text)).is_ok_and(|units| units > MAX_UNITS) {
            return Err(ChatError::TooLong { limit: MAX_UNITS });
        }
        self.control.user_text(self.user, text).map_err(refused)?;
        Ok(())
    }

    fn press(&self, message: i64, row: usize, column: usize) -> Result<(), ChatError> {
        let chat = self.control.chat(self.user).map_err(refused)?;
        let data = chat
            .visible()
            .find(|shown| shown.id == message)
            .and_then(|shown| shown.buttons.get(row)?.get(column)?.data.clone())
            .ok_or(ChatError::NoButton)?;
        self.control
            .user_press(self.user, message, &data)
            .map_err(refused)?;
        Ok(())
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        self.control.changed().boxed()
    }
}

fn refused(error: talaria_emulators::Error) -> ChatError {
    ChatError::Refused(error.to_string())
}

fn command(value: &Value) -> CommandView {
    let field = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    CommandView {
        command: field("command"),
        description: field("description"),
    }
}

fn toast(chat: &telegram::ChatView) -> Option<ToastView> {
    let answered = chat.callbacks.iter().enumerate().rev();
    answered
        .filter_map(|(index, press)| Some((index, press.answer.as_ref()?)))
        .find_map(|(index, answer)| {
            Some(ToastView {
                seq: u64::try_from(index).unwrap_or(u64::MAX).saturating_add(1),
                text: answer.text.clone().filter(|text| !text.is_empty())?,
                alert: answer.show_alert,
            })
        })
}

fn message_view(message: &telegram::MessageView, unfetched: &BTreeSet<i64>) -> MessageView {
    MessageView {
        id: message.id,
        mine: !message.from_bot,
        body: text(&message.text, &message.entities),
        sent_ms: u64::try_from(message.date_ms).unwrap_or_default(),
        edited: !message.edits.is_empty(),
        fetched: !message.from_bot && !unfetched.contains(&message.id),
        reply_to: message.reply_to,
        buttons: message
            .buttons
            .iter()
            .map(|row| {
                row.iter()
                    .map(|button| ButtonView {
                        text: button.text.clone(),
                        url: button.url.clone(),
                        press: button.data.is_some(),
                    })
                    .collect()
            })
            .collect(),
    }
}

fn text(text: &str, entities: &[Entity]) -> TextView {
    TextView {
        text: text.to_owned(),
        entities: entities
            .iter()
            .map(|entity| EntityView {
                kind: entity.kind.clone(),
                offset: entity.offset,
                length: entity.length,
                url: entity.url.clone(),
                language: entity.language.clone(),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests;
