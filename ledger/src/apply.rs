//! How a post changes: the attempt that begins, its answer, evidence, and changes from outside.
//! Pure; whoever calls decides what must be durable before.

use talaria_types::mutation::{self, Mutation};
use talaria_types::{
    Body, CallKind, Certainty, Failure, FailureKind, Fence, Handle, Receipt, Retry, UpdateClass,
    Wall, outcome::Proof,
};

use crate::records::{Attempt, Gone, Known, Phase, PostRecord, Rev, Settled, Settlement, Wanted};

/// What an answer means for the caller, beside the change of the post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// The post changed as the answer says.
    Done,
    /// An answer of an attempt that is not the current one: only its evidence was taken (P7).
    Stale,
    /// The call did not happen or may be made again; the caller paces it.
    Again,
    /// The platform refuses the format: make a plainer revision.
    Plainer,
    /// A draft is refused for good. The turn goes on, and so does the post: nothing more is tried
    /// before it is sealed.
    Held,
}

impl PostRecord {
    /// An attempt starts. There is none in flight (P7).
    pub fn begin(&mut self, attempt: Attempt) {
        debug_assert!(self.attempt.is_none(), "P7: one call in flight per message");
        self.attempt = Some(attempt);
    }

    /// A call's success.
    pub fn acknowledge(&mut self, fence: Fence, receipt: &Receipt, update: UpdateClass) -> Applied {
        let Some(attempt) = self.take_attempt(fence) else {
            if let Some(handle) = &receipt.handle
                && !mutation::on(Mutation::IgnoreEvidence)
            {
                self.evidence(handle);
            }
            return Applied::Stale;
        };
        self.recoveries = 0;
        match attempt.call {
            CallKind::Create | CallKind::Complete => self.created(&attempt, receipt, update),
            CallKind::Edit => self.shows(attempt.rev),
            CallKind::Append => self.shows(attempt.rev),
            CallKind::Close => self.closed(),
            CallKind::Delete => self.removed(attempt.target.as_ref()),
            CallKind::Prove => self.proved(receipt.proof.as_ref()),
            CallKind::Upload
            | CallKind::Signal
            | CallKind::React
            | CallKind::Answer
            | CallKind::Read
            | CallKind::Setup => {}
        }
        Applied::Done
    }

    /// A call's failure.
    pub fn fail(&mut self, fence: Fence, failure: &Failure, now: Wall) -> Applied {
        let Some(attempt) = self.take_attempt(fence) else {
            return Applied::Stale;
        };
        if failure.certainty != Certainty::MaybeSent {
            self.recoveries = 0;
        }
        let creates = matches!(attempt.call, CallKind::Create | CallKind::Complete);
        match (failure.certainty, creates) {
            (Certainty::MaybeSent, _) => {
                self.lost(attempt);
                return Applied::Again;
            }
            (Certainty::Sent, true) => {
                self.created_unseen(attempt, now);
                return Applied::Done;
            }
            (Certainty::Sent, false) => {
                self.shows(attempt.rev);
                return Applied::Done;
            }
            (Certainty::NotSent, _) => {}
        }
        if attempt.call == CallKind::Prove {
            return self.look_refused(failure.retry);
        }
        // A token that is refused says nothing of the post: it stays owed until it is right again.
        if failure.kind == FailureKind::Unauthorized {
            return Applied::Again;
        }
        if matches!(failure.kind, FailureKind::Format | FailureKind::Refused)
            && attempt.call != CallKind::Delete
            && attempt.call != CallKind::Prove
            && !self.plainer
        {
            return Applied::Plainer;
        }
        if attempt.call == CallKind::Delete {
            return self.removal_failed(failure, attempt.target.as_ref());
        }
        match (&failure.kind, failure.retry) {
            (FailureKind::MessageGone, _) if !creates => {
                self.known = Known::Gone { why: Gone::Lost };
                Applied::Done
            }
            (FailureKind::NotEditable, _) if !creates => {
                self.supersede();
                Applied::Done
            }
            (FailureKind::TargetGone, Retry::Never) if self.wanted == Wanted::Live => Applied::Held,
            (FailureKind::TargetGone, Retry::Never) => {
                // The chat is out of reach, for the removal of extra copies too.
                self.extra.clear();
                self.settle(
                    Settlement::Refused {
                        reason: failure.detail.clone(),
                    },
                    now,
                );
                Applied::Done
            }
            (_, Retry::Never) if creates && self.wanted == Wanted::Live => Applied::Held,
            (_, Retry::Never) if creates => {
                self.settle(
                    Settlement::Refused {
                        reason: failure.detail.clone(),
                    },
                    now,
                );
                Applied::Done
            }
            (_, Retry::Never) => {
                self.supersede();
                Applied::Done
            }
            (_, Retry::Now | Retry::After(_) | Retry::OnReconnect) => Applied::Again,
        }
    }

    /// The attempt's outcome will not be known (row 1).
    pub fn lose_attempt(&mut self) {
        if let Some(attempt) = self.attempt.take() {
            self.lost(attempt);
        }
    }

    /// A message id that belongs to this post, from whatever source (P7). A second message is to
    /// be removed.
    pub fn evidence(&mut self, handle: &Handle) {
        // One that is to be removed already is not the post's message, whatever is known of that.
        if self.extra.contains(handle) {
            return;
        }
        match &self.known {
            Known::Here { handle: known, .. } if known == handle => {}
            Known::Here { .. } | Known::Gone { .. } => self.add_extra(handle),
            Known::None | Known::Staged { .. } | Known::Unresolved { .. } => {
                self.known = Known::Here {
                    handle: handle.clone(),
                    phase: Phase::Closed,
                    rev: Rev::Unknown,
                };
                // P6: what it shows is not known, so it is an obligation (again).
                self.settled = None;
            }
        }
        if !self.extra.is_empty() {
            self.settled = None;
        }
    }

    /// New sealed content, in the next revision. Also on a settled post.
    pub fn seal(&mut self, body: Body) {
        let rev = match &self.wanted {
            Wanted::Sealed { rev, .. } => rev.saturating_add(1),
            Wanted::Live | Wanted::Absent => {
                self.acknowledged.map_or(1, |rev| rev.saturating_add(1))
            }
        };
        self.wanted = Wanted::Sealed { rev, body };
        self.settled = None;
        // What befell another content says nothing of this one.
        self.plainer = false;
        self.recoveries = 0;
    }

    pub fn withdraw(&mut self) {
        self.wanted = Wanted::Absent;
        self.settled = None;
    }

    /// The one labelled revision of an unresolved create (P6): a new message.
    pub fn repeat(&mut self, labelled: Body) {
        self.seal(labelled);
        self.labelled = true;
        self.known = Known::None;
        self.incarnation = self.incarnation.saturating_add(1);
    }

    /// The message can't be changed: it goes, and the post is made anew.
    pub fn supersede(&mut self) {
        if let Known::Here { handle, .. } = &self.known {
            let handle = handle.clone();
            self.add_extra(&handle);
        }
        self.known = Known::None;
        self.incarnation = self.incarnation.saturating_add(1);
    }

    /// Row 11: it vanished before its sealed content was acknowledged.
    pub fn recreate(&mut self) {
        self.known = Known::None;
        self.recreated = true;
        self.incarnation = self.incarnation.saturating_add(1);
    }

    pub fn settle(&mut self, how: Settlement, at: Wall) {
        self.settled = Some(Settled { at, how });
    }

    /// The attempt, if `fence` is its fence (P7).
    fn take_attempt(&mut self, fence: Fence) -> Option<Attempt> {
        let current =
            self.attempt.as_ref()?.fence == fence || mutation::on(Mutation::AcceptOldFence);
        if current { self.attempt.take() } else { None }
    }

    fn created(&mut self, attempt: &Attempt, receipt: &Receipt, update: UpdateClass) {
        let Some(handle) = &receipt.handle else {
            return;
        };
        if let Known::Here { handle: known, .. } = &self.known {
            // Evidence came first. The same message, or a second one (P7).
            if known != handle {
                self.add_extra(handle);
                return;
            }
        }
        let phase = match update {
            UpdateClass::Append => Phase::Open,
            UpdateClass::Replace | UpdateClass::None => Phase::Closed,
        };
        self.known = Known::Here {
            handle: handle.clone(),
            phase,
            rev: attempt.rev,
        };
        self.note_acknowledged(attempt.rev);
    }

    /// A create took effect, and nobody said as which message.
    fn created_unseen(&mut self, attempt: Attempt, now: Wall) {
        let final_content = match (&self.wanted, attempt.rev) {
            (Wanted::Sealed { rev, .. }, Rev::Sealed(sent)) => *rev == sent,
            (Wanted::Sealed { .. } | Wanted::Live | Wanted::Absent, _) => false,
        };
        if final_content {
            self.note_acknowledged(attempt.rev);
            self.settle(Settlement::DeliveredUnseen, now);
        } else {
            self.known = Known::Unresolved {
                attempt,
                looks: 0,
                undecidable: false,
            };
        }
    }

    fn lost(&mut self, attempt: Attempt) {
        match attempt.call {
            CallKind::Create | CallKind::Complete => {
                // Evidence may have come while it was in flight.
                if !matches!(self.known, Known::Here { .. }) {
                    self.known = Known::Unresolved {
                        attempt,
                        looks: 0,
                        undecidable: false,
                    };
                }
            }
            CallKind::Prove => self.looked_in_vain(),
            CallKind::Edit | CallKind::Append | CallKind::Close => self.shows(Rev::Unknown),
            CallKind::Delete
            | CallKind::Upload
            | CallKind::Signal
            | CallKind::React
            | CallKind::Answer
            | CallKind::Read
            | CallKind::Setup => {}
        }
    }

    fn shows(&mut self, shown: Rev) {
        if let Known::Here { rev, .. } = &mut self.known {
            *rev = shown;
        }
        self.note_acknowledged(shown);
    }

    fn closed(&mut self) {
        if let Known::Here { phase, rev, .. } = &mut self.known {
            *phase = Phase::Closed;
            *rev = Rev::Unknown;
        }
    }

    fn removed(&mut self, handle: Option<&Handle>) {
        match handle.and_then(|handle| self.extra.iter().position(|extra| extra == handle)) {
            Some(index) => {
                self.extra.remove(index);
            }
            None => self.known = Known::Gone { why: Gone::Removed },
        }
    }

    fn removal_failed(&mut self, failure: &Failure, target: Option<&Handle>) -> Applied {
        if failure.retry != Retry::Never {
            return Applied::Again;
        }
        // Row 2: one that is refused for good leaves the list. Row 5: nothing more can be done.
        match target.and_then(|target| self.extra.iter().position(|extra| extra == target)) {
            Some(index) => {
                self.extra.remove(index);
            }
            None => self.known = Known::Gone { why: Gone::Lost },
        }
        Applied::Done
    }

    /// How many looks may fail before a create counts as not provable.
    const LOOKS: u8 = 5;

    fn looked_in_vain(&mut self) {
        if let Known::Unresolved {
            looks, undecidable, ..
        } = &mut self.known
        {
            *looks = looks.saturating_add(1);
            *undecidable = *looks >= Self::LOOKS;
            if mutation::on(Mutation::AbsentAfterFailedRead) {
                self.known = Known::None;
            }
        }
    }

    /// A look that did not happen says nothing about the message. One that is refused for good
    /// means that nothing can be proved here (P6).
    fn look_refused(&mut self, retry: Retry) -> Applied {
        if retry != Retry::Never {
            return Applied::Again;
        }
        if let Known::Unresolved { undecidable, .. } = &mut self.known {
            *undecidable = true;
        }
        Applied::Done
    }

    fn proved(&mut self, proof: Option<&Proof>) {
        match proof {
            Some(Proof::Present(handle)) => {
                self.known = Known::Here {
                    handle: handle.clone(),
                    phase: Phase::Closed,
                    rev: Rev::Unknown,
                };
            }
            Some(Proof::Absent) => self.known = Known::None,
            Some(Proof::Deleted) => self.known = Known::Gone { why: Gone::Lost },
            Some(Proof::Undecided) => {
                if let Known::Unresolved { undecidable, .. } = &mut self.known {
                    *undecidable = true;
                }
            }
            None => self.looked_in_vain(),
        }
    }

    fn note_acknowledged(&mut self, rev: Rev) {
        if let Rev::Sealed(rev) = rev {
            self.acknowledged = Some(self.acknowledged.map_or(rev, |known| known.max(rev)));
        }
    }

    fn add_extra(&mut self, handle: &Handle) {
        if !self.extra.contains(handle) {
            self.extra.push(handle.clone());
        }
    }
}

#[cfg(test)]
mod tests;
