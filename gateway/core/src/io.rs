//! What goes into a conversation's machine and what comes out. Effects are carried out in order,
//! and what follows a commit only after the commit is durable.

use talaria_ledger::Changes;
use talaria_ledger::records::{InboundRecord, Outcome, Settlement};
use talaria_types::crash::CommitKind;
use talaria_types::model::{ModelErrorKind, ModelRequest, StreamEvent, ToolResult};
use talaria_types::{
    CallKind, CallOutcome, FailureScope, Fence, Handle, Mono, PlatformCall, PostId, TurnId,
};

use crate::pacing::{Request, Slot};

/// What happens to a conversation.
#[derive(Debug)]
pub enum Input {
    /// A restored conversation takes up what it owes. The first input, always.
    Start,
    /// An inbound whose acceptance is durable.
    Inbound(Box<InboundRecord>),
    /// A model stream says something. `ask` tells the requests of a turn apart.
    Model {
        turn: TurnId,
        ask: u32,
        event: StreamEvent,
    },
    /// A tool came back.
    ToolDone {
        turn: TurnId,
        step: u32,
        call: u32,
        result: ToolResult,
    },
    /// The scheduler lets this call go now.
    Granted(Slot),
    /// A platform call came back.
    CallDone {
        slot: Slot,
        fence: Fence,
        outcome: CallOutcome,
    },
    /// A message id that belongs to a post, seen in passing; with the post as the ledger has it,
    /// which may be settled and forgotten here.
    Evidence {
        post: Box<talaria_ledger::records::PostRecord>,
        handle: Handle,
    },
    /// A post was put into the ledger for this conversation by somebody else (a pairing notice).
    Posted(Box<talaria_ledger::records::PostRecord>),
    /// A time that was asked for has come.
    Wake,
}

/// What a conversation wants done.
#[derive(Debug)]
pub enum Effect {
    Commit {
        kind: CommitKind,
        changes: Changes,
    },
    /// Ask the model. Answers come as [`Input::Model`] with the same numbers.
    Ask {
        turn: TurnId,
        ask: u32,
        request: Box<ModelRequest>,
    },
    RunTool {
        turn: TurnId,
        step: u32,
        call: u32,
        tool_use_id: String,
        name: String,
        input: serde_json::Value,
    },
    /// Stop the turn's model request and tools; nothing they still say counts.
    Cancel {
        turn: TurnId,
    },
    /// Ask the scheduler for a call. Replaces an earlier wish for the same slot.
    Want(Box<Request>),
    Unwant(Slot),
    /// Make the call now. The answer comes as [`Input::CallDone`].
    Call {
        slot: Slot,
        call: Box<PlatformCall>,
    },
    /// A platform asked for a pause.
    Penalize {
        scope: FailureScope,
        kind: CallKind,
        until: Mono,
    },
    /// A draft exists: the call that finishes it is reserved. And: it needs it no longer.
    DraftOpened(PostId),
    DraftClosed(PostId),
    /// Send [`Input::Wake`] at that time, or earlier.
    WakeAt(Mono),
    Note(Note),
}

/// Something for logs, traces and counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    TurnStarted {
        turn: TurnId,
    },
    TurnContinued {
        turn: TurnId,
        continuations: u32,
    },
    TurnSettled {
        turn: TurnId,
        outcome: Outcome,
    },
    ModelFailed {
        turn: TurnId,
        kind: ModelErrorKind,
        detail: String,
        again: bool,
    },
    PostSettled {
        post: PostId,
        how: Settlement,
    },
    PostRepeated {
        post: PostId,
    },
    CallFailed {
        post: PostId,
        kind: CallKind,
        detail: String,
    },
    RemovalRefused {
        post: PostId,
        handle: Handle,
    },
    StaleAnswer {
        post: PostId,
        fence: Fence,
    },
    InboundDenied,
}
