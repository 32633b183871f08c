//! Every record kind. Formats are frozen (see [`crate::record::Record`]); `tests/golden` holds a
//! ledger of each version, and a snapshot test holds each record's text.
//!
//! A new version of any record is a new version of `account` too: every start reads that one
//! first, so an older build stops there and not later, at the first new record that it meets.

mod inbound;
mod pairing;
mod post;
mod session;
mod turn;

pub use inbound::{
    AliasRecord, CancelReason, CursorRecord, End, Gap, InboundRecord, QuarantineRecord,
    WatermarkRecord,
};
pub use pairing::{PairingRecord, PairingState};
pub use post::{
    Attempt, Gone, Known, Phase, PostKind, PostRecord, Rev, Settled, Settlement, Wanted,
};
pub use session::{AccountRecord, EntryRecord, SessionRecord};
pub use turn::{FrozenInbound, Outcome, StepRecord, ToolRecord, ToolState, TurnRecord, TurnState};

use crate::record::Record;

macro_rules! records {
    ($($kind:literal $version:literal $name:ident),+ $(,)?) => {
        $(impl Record for $name {
            const KIND: &'static str = $kind;
            const VERSION: u64 = $version;
        })+
        /// Every record kind with the version that this build writes.
        pub const KINDS: &[(&str, u64)] = &[$(($kind, $version)),+];
    };
}

records! {
    "account" 1 AccountRecord,
    "alias" 1 AliasRecord,
    "cursor" 1 CursorRecord,
    "entry" 1 EntryRecord,
    "inbound" 1 InboundRecord,
    "pairing" 1 PairingRecord,
    "post" 1 PostRecord,
    "quarantine" 1 QuarantineRecord,
    "session" 1 SessionRecord,
    "step" 1 StepRecord,
    "tool" 1 ToolRecord,
    "turn" 1 TurnRecord,
    "watermark" 1 WatermarkRecord,
}

#[cfg(test)]
mod tests;
