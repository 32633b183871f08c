//! One normalized event that an adapter received.

use serde::{Deserialize, Serialize};

use crate::{InboundKey, MessageId, Place, UserId, Wall};

/// A normalized event with its primary key and aliases. Any hit on one of them is a duplicate (P2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inbound {
    pub key: InboundKey,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<InboundKey>,
    pub place: Place,
    pub sender: Sender,
    pub content: Content,
    /// The platform's id of the message (or of the pressed message), where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// When the platform says that it was sent. For people and age policies, never for order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Wall>,
}

/// Who said it. The id decides access; the name is data for the model and untrusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sender {
    pub id: UserId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default)]
    pub is_bot: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    Text {
        text: String,
    },
    Command {
        command: Command,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        args: String,
    },
    /// A new version of an earlier message.
    Edit {
        of: InboundKey,
        text: String,
    },
    /// A button was pressed. `interaction` answers it on the platform and does not stay valid.
    Press {
        data: String,
        interaction: String,
    },
    /// Something that people send and that this build can't read (a sticker, a voice message).
    Unsupported {
        what: String,
    },
}

/// The commands that every platform has, one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    Start,
    New,
    Stop,
    Status,
    Help,
}

impl Command {
    pub const ALL: [Self; 5] = [Self::Start, Self::New, Self::Stop, Self::Status, Self::Help];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::New => "new",
            Self::Stop => "stop",
            Self::Status => "status",
            Self::Help => "help",
        }
    }

    /// What the platform's command menu says about it.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Start => "Say hello and show what I can do",
            Self::New => "Start a new conversation",
            Self::Stop => "Stop the answer that is being written",
            Self::Status => "Show what I am doing",
            Self::Help => "Show the commands",
        }
    }

    /// The command of that name, compared without regard to case.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|command| command.name().eq_ignore_ascii_case(name))
    }

    /// Whether it ends the running turn: such an inbound is accepted together with a durable
    /// cancel, so that a crash after it never continues the turn.
    #[must_use]
    pub fn cancels_turn(self) -> bool {
        matches!(self, Self::New | Self::Stop)
    }
}
