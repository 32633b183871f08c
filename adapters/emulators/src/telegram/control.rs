//! The control handle: acting as users, looking at chats, making things go wrong.

mod act;
mod look;
mod steer;

use std::sync::Arc;

use super::http::bot_id;
use super::shared::Shared;
use super::state::{Bot, Chat, State, User};
use crate::Error;
use crate::server::Connections;

/// Steers a [`super::TelegramEmulator`]. Cheap to clone, usable from any thread. It acts on one
/// bot's chats: the first bot's unless [`TelegramControl::for_bot`] chose another.
#[derive(Debug, Clone)]
pub struct TelegramControl {
    shared: Arc<Shared>,
    connections: Arc<Connections>,
    token: Option<String>,
}

impl TelegramControl {
    pub(super) fn new(
        shared: Arc<Shared>,
        connections: Arc<Connections>,
        token: Option<String>,
    ) -> Self {
        Self {
            shared,
            connections,
            token,
        }
    }

    /// A handle for the chats of another bot.
    #[must_use]
    pub fn for_bot(&self, token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            ..self.clone()
        }
    }

    /// Adds a bot account (Bot API: "Authorizing your bot"). Every user has started it. Adding a
    /// known one changes its token and name and keeps its chats and updates.
    ///
    /// # Errors
    /// [`Error::MalformedToken`].
    pub fn add_bot(&self, token: &str, username: &str) -> Result<(), Error> {
        let id = bot_id(token).ok_or(Error::MalformedToken)?;
        self.shared.change(|state, _| {
            let bot = state
                .bots
                .entry(id)
                .or_insert_with(|| Bot::new(id, token, username));
            token.clone_into(&mut bot.token);
            username.clone_into(&mut bot.username);
            for user in state.users.keys() {
                state
                    .chats
                    .entry((id, *user))
                    .or_insert_with(|| Chat::private(*user));
            }
        });
        Ok(())
    }

    /// Adds a user who has started every bot; a known one gets the new names.
    pub fn add_user(&self, id: i64, first_name: &str, username: Option<&str>) {
        self.shared.change(|state, _| {
            let first_name = first_name.to_owned();
            let username = username.map(str::to_owned);
            state.users.insert(
                id,
                User {
                    id,
                    first_name,
                    username,
                },
            );
            for bot in state.bots.keys() {
                state
                    .chats
                    .entry((*bot, id))
                    .or_insert_with(|| Chat::private(id));
            }
        });
    }

    /// This handle's bot.
    fn bot_id(&self, state: &State) -> Result<i64, Error> {
        match &self.token {
            Some(token) => bot_id(token)
                .filter(|id| state.bots.contains_key(id))
                .ok_or_else(|| Error::NoSuchBot(token.split(':').next().unwrap_or("").to_owned())),
            None => state
                .bots
                .keys()
                .next()
                .copied()
                .ok_or_else(|| Error::NoSuchBot(String::new())),
        }
    }
}
