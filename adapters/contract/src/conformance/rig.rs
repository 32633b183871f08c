//! What the suite needs from a platform's emulator.

use std::sync::Arc;
use std::time::Duration;

use talaria_types::{CallKind, Handle, MessageId, Place};

use crate::Adapter;

/// A platform under the test's control, with one account, one chat, and one person in it. Rate
/// limits are off: the suite does not pace its calls.
pub trait Rig: Send + Sync {
    /// An adapter of the account, new each time, as a restarted process would make it. Its waits
    /// between attempts are short.
    fn adapter(&self) -> Arc<dyn Adapter>;

    /// The same, but nothing listens at the platform's address.
    fn unreachable(&self) -> Arc<dyn Adapter>;

    /// The same, but the platform does not accept its credentials.
    fn unauthorized(&self) -> Arc<dyn Adapter>;

    /// The chat.
    fn place(&self) -> Place;

    /// The person writes a message.
    fn say(&self, text: &str) -> MessageId;

    /// The person writes a message, and the platform delivers it twice.
    fn say_twice(&self, text: &str) -> MessageId;

    /// The platform delivers an event that has the kind of a message and can't be read.
    fn garble(&self);

    /// The person presses the message's button that carries `data`.
    fn press(&self, handle: &Handle, data: &str);

    /// Whether the press on that message was answered.
    fn press_answered(&self, handle: &Handle) -> bool;

    /// The bot's messages that the person sees now, oldest first.
    fn seen(&self) -> Vec<Seen>;

    /// Whether the person sees that the bot is typing.
    fn typing(&self) -> bool;

    /// The next call of this kind goes wrong.
    fn fault(&self, kind: CallKind, fault: Fault);

    /// How many calls of this kind reached the platform.
    fn calls(&self, kind: CallKind) -> usize;

    /// Whether the platform will never deliver this message again.
    fn acknowledged(&self, message: &MessageId) -> bool;
}

/// A message as the person sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub message: MessageId,
    pub text: String,
    /// The labels of its buttons.
    pub buttons: Vec<String>,
}

/// What goes wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It takes effect, and its answer never comes: the connection is cut.
    CutAfter,
    /// It arrives, and the connection is cut before it takes effect.
    CutBefore,
    /// It takes effect, and the answer is a success without its usual content.
    EmptyAnswer,
    /// Refused: too many calls, again after this time (whole seconds).
    RateLimited(Duration),
    /// Something between answers with an error page (502); the call took effect.
    BadGateway,
}
