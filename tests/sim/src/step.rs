//! What happens to the world, one event each. A step says all that is random about it, so a list
//! of steps is a run; numbers called `pick` choose among what there is at that moment, and a step
//! for which there is nothing is skipped.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    /// A person does something.
    User { chat: u8, act: UserAct },
    /// The adapter hands the next `count` events of the platform to intake.
    Intake { count: u8 },
    /// A conversation handles the next input of its mailbox.
    Handle { pick: u16 },
    /// A call that is on its way meets its fate.
    Call { pick: u16, fate: Fate },
    /// A model stream goes on.
    Model { pick: u16, act: ModelAct },
    /// A tool comes back.
    Tool { pick: u16, error: bool },
    /// The platform shows a message of ours in passing, with its key.
    Echo { pick: u16 },
    /// Somebody removes a message of ours.
    Remove { pick: u16 },
    /// A file post that is staged already is put into the ledger by somebody else.
    File { chat: u8, withdrawn: bool },
    /// A person loses or gets back access.
    Access { chat: u8, allowed: bool },
    /// The bot is blocked in a chat, or let in again.
    Block { chat: u8, blocked: bool },
    /// Time passes; what is due happens on the way.
    Advance { millis: u32 },
    /// Time passes in which nobody gets to anything: everything is due at once afterwards.
    Stall { millis: u32 },
    /// An idle conversation's task leaves.
    Leave { pick: u16 },
    /// The process dies at the `after`-th choke point from now. `orphans` decides what becomes of
    /// its calls.
    Crash { after: u8, orphans: u32 },
    /// The process is asked to stop, and does.
    Shutdown { orphans: u32 },
    /// A new process starts.
    Restart,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum UserAct {
    Text,
    Empty,
    Unsupported,
    Edit {
        pick: u16,
    },
    Stop,
    New,
    Status,
    Help,
    Press,
    /// The platform delivers an event a second time, under its key or under another key that
    /// shares an alias.
    Again {
        pick: u16,
        alias: bool,
    },
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Fate {
    Done,
    /// The connection could not be made.
    NotSent,
    /// The effect happened, the connection broke.
    LostAfter,
    /// It broke before anything happened.
    LostBefore,
    /// It broke, and the effect happens later.
    LostLate {
        millis: u16,
    },
    /// The effect happens now; the answer comes after the gateway has given it up.
    Hangs {
        seconds: u8,
    },
    RateLimited {
        seconds: u8,
    },
    Server,
    Format,
    NotEditable,
    Refused,
    /// A create takes effect and the answer carries no id.
    NoId,
    /// A look finds out nothing.
    Undecided,
}

/// What a model stream says next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum ModelAct {
    Words {
        count: u8,
    },
    Thinking,
    Tool {
        tool: u8,
    },
    End,
    MaxTokens,
    /// The stream breaks.
    Cut,
    Overloaded,
    Invalid,
    TooLong,
}
