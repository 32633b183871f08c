//! Crash points: named places in the four choke points (ledger commit, platform ack, platform
//! call, model or tool call) at which a test may kill the process. Without the feature
//! `crash-points` they are nothing.

use std::fmt;

use crate::CallKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    Before,
    After,
}

/// What a ledger commit is for. Every commit of the gateway is one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommitKind {
    /// Inbounds accepted, with the cursor.
    Accept,
    /// A turn started.
    Start,
    /// A step journalled.
    Step,
    /// A tool call journalled as started.
    ToolStarted,
    /// A tool's result journalled.
    ToolFinished,
    /// A turn settled.
    Settle,
    /// A command settled.
    Command,
    /// A call's intent.
    Intent,
    /// A call's receipt or failure.
    Receipt,
    /// A post's wanted content changed outside a turn (label, plainer, given up, withdrawn).
    Revise,
    /// A continuation counted.
    Recovery,
    /// Pairing requested, approved or revoked.
    Pairing,
}

/// What is acknowledged to a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AckKind {
    /// A poll's offset.
    Offset,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKind {
    /// A request to a model.
    Model,
    /// A tool.
    Tool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Choke {
    Commit(CommitKind),
    Ack(AckKind),
    Call(CallKind),
    Work(WorkKind),
}

/// `<choke>:<variant>:before|after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CrashPoint(pub Choke, pub Side);

impl CommitKind {
    pub const ALL: [Self; 12] = [
        Self::Accept,
        Self::Start,
        Self::Step,
        Self::ToolStarted,
        Self::ToolFinished,
        Self::Settle,
        Self::Command,
        Self::Intent,
        Self::Receipt,
        Self::Revise,
        Self::Recovery,
        Self::Pairing,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Start => "start",
            Self::Step => "step",
            Self::ToolStarted => "tool_started",
            Self::ToolFinished => "tool_finished",
            Self::Settle => "settle",
            Self::Command => "command",
            Self::Intent => "intent",
            Self::Receipt => "receipt",
            Self::Revise => "revise",
            Self::Recovery => "recovery",
            Self::Pairing => "pairing",
        }
    }
}

impl fmt::Display for CrashPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (choke, variant) = match self.0 {
            Choke::Commit(kind) => ("commit", kind.name()),
            Choke::Ack(AckKind::Offset) => ("ack", "offset"),
            Choke::Call(kind) => ("call", kind.name()),
            Choke::Work(WorkKind::Model) => ("work", "model"),
            Choke::Work(WorkKind::Tool) => ("work", "tool"),
        };
        let side = match self.1 {
            Side::Before => "before",
            Side::After => "after",
        };
        write!(f, "{choke}:{variant}:{side}")
    }
}

/// Every crash point there is.
#[must_use]
pub fn all() -> Vec<CrashPoint> {
    let commits = CommitKind::ALL.into_iter().map(Choke::Commit);
    let calls = CallKind::ALL.into_iter().map(Choke::Call);
    commits
        .chain([Choke::Ack(AckKind::Offset)])
        .chain(calls)
        .chain([Choke::Work(WorkKind::Model), Choke::Work(WorkKind::Tool)])
        .flat_map(|choke| {
            [
                CrashPoint(choke, Side::Before),
                CrashPoint(choke, Side::After),
            ]
        })
        .collect()
}

/// Whether this build has crash points. Builds for use have none.
pub const ARMED: bool = cfg!(feature = "crash-points");

static HOOK: std::sync::OnceLock<fn(CrashPoint)> = std::sync::OnceLock::new();

/// Sets what happens at a crash point. Only the first call counts.
pub fn install(hook: fn(CrashPoint)) {
    if ARMED {
        let _first_wins = HOOK.set(hook);
    }
}

/// Passes a crash point.
#[inline]
pub fn pass(choke: Choke, side: Side) {
    if ARMED && let Some(hook) = HOOK.get() {
        hook(CrashPoint(choke, side));
    }
}
