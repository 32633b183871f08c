//! The transition table of a post: what to do next, given what is wanted, what
//! is known, and a few facts. One pure function; its test goes through every combination.

use talaria_types::mutation;
use talaria_types::{CreateClass, Handle, RemoveClass, UpdateClass};

use crate::records::{Known, Phase, PostRecord, Settlement, Wanted};

/// What the table needs beside the post. Computed by the reconciler from its clock, the place's
/// capabilities and the volatile draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub attempt: AttemptState,
    pub create: CreateClass,
    pub update: UpdateClass,
    /// Whether the message can be removed now.
    pub removable: bool,
    /// The wanted content against what was last acknowledged.
    pub content: Content,
    /// The order (P8) and the rate budget permit a create.
    pub permitted: bool,
    /// The horizon has passed since the unresolved call's connection ended.
    pub horizon_passed: bool,
    /// An earlier edit with an unknown outcome may still land: no acknowledgement settles yet.
    pub echo_pending: bool,
    pub near_end_of_life: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttemptState {
    None,
    InFlight,
    /// Past its deadline, or its process is gone.
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Content {
    /// A live post that has nothing to show yet.
    Nothing,
    Same,
    /// It begins with what was sent.
    Extends,
    Rewritten,
    /// It is not known what the message shows.
    Unknown,
}

/// The row that fits, for coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(pub u8);

/// What to do with a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    Wait,
    /// Note that the attempt's outcome is unknown.
    LoseAttempt,
    /// Remove this message.
    Remove(Handle),
    Prove,
    /// Nothing for the message; show life with a signal.
    ShowLife,
    /// Make the one labelled revision.
    Repeat,
    Settle(Settlement),
    /// Drop the staged upload.
    Forget,
    Close,
    /// Replace it by a stub: it can't be removed.
    Stub,
    Create,
    Complete,
    Append,
    Replace,
    /// It can't be changed: its message goes to `extra`, and it is made anew.
    Supersede,
    /// It vanished before anybody saw it sealed: make it again, once.
    Recreate,
}

/// The first row that fits.
#[must_use]
pub fn next(post: &PostRecord, facts: &Facts) -> (Row, Next) {
    let (row, next) = decide(post, facts);
    mutation::note_row(row.0);
    (row, next)
}

fn decide(post: &PostRecord, facts: &Facts) -> (Row, Next) {
    match facts.attempt {
        AttemptState::InFlight => return (Row(1), Next::Wait),
        AttemptState::Lost => return (Row(1), Next::LoseAttempt),
        AttemptState::None => {}
    }
    if let Some(handle) = post.extra.first() {
        return (Row(2), Next::Remove(handle.clone()));
    }
    match &post.known {
        Known::Unresolved { undecidable, .. } => unresolved(post, facts, *undecidable),
        Known::None => match &post.wanted {
            Wanted::Absent => (Row(5), Next::Settle(Settlement::Withdrawn)),
            Wanted::Live if facts.content == Content::Nothing => (Row(6), Next::Wait),
            Wanted::Live | Wanted::Sealed { .. } if facts.permitted => (Row(6), Next::Create),
            Wanted::Live | Wanted::Sealed { .. } => (Row(6), Next::Wait),
        },
        Known::Staged { .. } => match &post.wanted {
            Wanted::Absent => (Row(5), Next::Forget),
            Wanted::Live | Wanted::Sealed { .. } => (Row(7), Next::Complete),
        },
        Known::Gone { .. } => gone(post),
        Known::Here {
            phase: Phase::Open, ..
        } => open(post, facts),
        Known::Here {
            phase: Phase::Closed,
            ..
        } => closed(post, facts),
    }
}

fn unresolved(post: &PostRecord, facts: &Facts, undecidable: bool) -> (Row, Next) {
    let provable = !undecidable && facts.create != CreateClass::Blind;
    if provable {
        return match (&post.wanted, facts.horizon_passed) {
            (_, true) => (Row(3), Next::Prove),
            (Wanted::Live, false) => (Row(3), Next::ShowLife),
            (Wanted::Sealed { .. } | Wanted::Absent, false) => (Row(3), Next::Wait),
        };
    }
    match &post.wanted {
        Wanted::Live => (Row(4), Next::ShowLife),
        Wanted::Sealed { .. } if post.kind.repeats() && !post.labelled => (Row(4), Next::Repeat),
        Wanted::Sealed { .. } | Wanted::Absent => (Row(4), Next::Settle(Settlement::Unresolved)),
    }
}

fn gone(post: &PostRecord) -> (Row, Next) {
    match &post.wanted {
        Wanted::Absent => (Row(5), Next::Settle(Settlement::Withdrawn)),
        Wanted::Live => (Row(11), Next::Wait),
        Wanted::Sealed { .. } if post.acknowledged.is_none() && !post.recreated => {
            (Row(11), Next::Recreate)
        }
        Wanted::Sealed { .. } => (Row(11), Next::Settle(Settlement::RemovedBySomeone)),
    }
}

fn open(post: &PostRecord, facts: &Facts) -> (Row, Next) {
    if post.wanted == Wanted::Absent {
        return (Row(5), Next::Close);
    }
    if !facts.near_end_of_life && facts.content == Content::Extends {
        return (Row(8), Next::Append);
    }
    let sealed = matches!(post.wanted, Wanted::Sealed { .. });
    match facts.content {
        Content::Rewritten | Content::Unknown => (Row(9), Next::Close),
        Content::Extends | Content::Same | Content::Nothing if sealed || facts.near_end_of_life => {
            (Row(9), Next::Close)
        }
        Content::Extends | Content::Same | Content::Nothing => (Row(12), Next::Wait),
    }
}

fn closed(post: &PostRecord, facts: &Facts) -> (Row, Next) {
    match &post.wanted {
        Wanted::Absent if facts.removable => post.handle().map_or((Row(5), Next::Wait), |handle| {
            (Row(5), Next::Remove(handle.clone()))
        }),
        Wanted::Absent => (Row(5), Next::Stub),
        Wanted::Live if facts.content == Content::Nothing => (Row(12), Next::Wait),
        Wanted::Live | Wanted::Sealed { .. } => match (facts.content, facts.update) {
            (Content::Extends | Content::Rewritten | Content::Unknown, UpdateClass::None) => {
                (Row(10), Next::Supersede)
            }
            (
                Content::Extends | Content::Rewritten | Content::Unknown,
                UpdateClass::Replace | UpdateClass::Append,
            ) => (Row(10), Next::Replace),
            (Content::Same | Content::Nothing, _) => match &post.wanted {
                Wanted::Sealed { .. } if !facts.echo_pending => {
                    (Row(12), Next::Settle(Settlement::Delivered))
                }
                Wanted::Live | Wanted::Sealed { .. } | Wanted::Absent => (Row(12), Next::Wait),
            },
        },
    }
}

/// Whether a message of that age can be removed.
#[must_use]
pub fn removable(class: RemoveClass, age: std::time::Duration) -> bool {
    match class {
        RemoveClass::Yes => true,
        RemoveClass::Within(limit) => age < limit,
        RemoveClass::No => false,
    }
}

#[cfg(test)]
mod tests;
