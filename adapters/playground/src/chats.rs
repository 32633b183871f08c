//! The emulated chats, one column each. The page knows a chat only through this trait.

mod telegram;

pub(crate) use telegram::TelegramChat;

use std::time::Duration;

use futures::future::BoxFuture;

use crate::view::ChatView;

/// A chat is looked at again after this time even if nothing was told.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// One emulated chat, seen from the user's side.
pub(crate) trait Chat: Send + Sync {
    /// As it is now.
    fn view(&self) -> ChatView;
    /// The user sends `text`.
    fn send(&self, text: &str) -> Result<(), ChatError>;
    /// The user presses the button at (row, column) under a message.
    fn press(&self, message: i64, row: usize, column: usize) -> Result<(), ChatError>;
    /// Ends at the next change. What ends by the clock alone (typing, a draft) is no change; see
    /// [`LOOK_AGAIN`].
    fn changed(&self) -> BoxFuture<'_, ()>;
}

/// Why a chat did not take what the user did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ChatError {
    #[error("an empty message cannot be sent")]
    Empty,
    #[error("a message has at most {limit} characters")]
    TooLong { limit: usize },
    #[error("this button is no longer there")]
    NoButton,
    #[error("the chat did not take it: {0}")]
    Refused(String),
}
