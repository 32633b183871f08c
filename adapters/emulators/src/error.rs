//! What can go wrong with an emulator itself (not what it answers to its clients).

use std::net::SocketAddr;

/// An error of an emulator or of its control handle.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address could not be listened on.
    #[error("can't listen on {addr}")]
    Bind {
        /// The wanted address.
        addr: SocketAddr,
        /// The reason.
        #[source]
        source: std::io::Error,
    },
    /// The control handle was asked about a bot that was not added.
    #[error("no such bot: {0}")]
    NoSuchBot(String),
    /// The control handle was asked about a user that was not added.
    #[error("no such user: {0}")]
    NoSuchUser(i64),
    /// The message does not exist, is deleted, or belongs to the other side.
    #[error("no such message: {0}")]
    NoSuchMessage(i64),
    /// The message has no button with this data.
    #[error("no button with the data {0:?}")]
    NoSuchButton(String),
    /// A bot token is not of the form `<digits>:<secret>`.
    #[error("malformed bot token")]
    MalformedToken,
    /// The user blocked the bot, so it can't write to it.
    #[error("user {0} blocked the bot")]
    Blocked(i64),
    /// An update to inject is no JSON object.
    #[error("an update is a JSON object")]
    NotAnUpdate,
}
