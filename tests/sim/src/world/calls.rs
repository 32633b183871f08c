//! Calls on their way to the platform, and what becomes of them.

use std::time::Duration;

use talaria_core::io::Input;
use talaria_core::pacing::Slot;
use talaria_types::outcome::Proof;
use talaria_types::{
    Action, CallKind, CallOutcome, Certainty, ConversationId, FailureKind, Mono, PlatformCall,
    Receipt, Retry, WireKey,
};

use super::platform::{LEDGER, failure, not_editable, seconds};
use super::{Flow, World};
use crate::step::Fate;
use crate::violation::{Promise, Violation};

/// A call that nobody decided about is answered after this long.
const SLOW: Duration = Duration::from_secs(40);

#[derive(Debug)]
pub(crate) struct Flying {
    pub(crate) conversation: ConversationId,
    pub(crate) slot: Slot,
    pub(crate) call: PlatformCall,
    pub(crate) since: Mono,
    /// Its effect has happened; the answer comes then.
    hangs: Option<(Mono, CallOutcome)>,
}

impl Flying {
    pub(crate) fn new(
        conversation: ConversationId,
        slot: Slot,
        call: PlatformCall,
        now: Mono,
    ) -> Self {
        Self {
            conversation,
            slot,
            call,
            since: now,
            hangs: None,
        }
    }

    /// Nothing is decided about it.
    pub(crate) fn is_out(&self) -> bool {
        self.hangs.is_none()
    }

    pub(crate) fn due(&self) -> Mono {
        match &self.hangs {
            Some((at, _)) => *at,
            None => self.since + SLOW,
        }
    }
}

impl World {
    /// A call on its way meets its fate.
    pub(crate) fn meet(&mut self, pick: u16, fate: Fate) -> Flow<bool> {
        let out: Vec<usize> = (0..self.flying.len())
            .filter(|index| self.flying.get(*index).is_some_and(Flying::is_out))
            .collect();
        let Some(index) = out.get(usize::from(pick) % out.len().max(1)).copied() else {
            return Ok(false);
        };
        self.decide(index, fate)?;
        Ok(true)
    }

    pub(crate) fn decide(&mut self, index: usize, fate: Fate) -> Flow {
        let mut flying = self.flying.remove(index);
        let now = self.now;
        let call = &flying.call;
        let outcome = match fate {
            Fate::Done => self.platform.apply(call, now)?,
            Fate::NotSent => Err(network(Certainty::NotSent)),
            Fate::LostAfter => {
                let _unseen = self.platform.apply(call, now)?;
                Err(network(Certainty::MaybeSent))
            }
            Fate::LostBefore => Err(network(Certainty::MaybeSent)),
            Fate::LostLate { millis } => {
                let after = Duration::from_millis(u64::from(millis.clamp(1, 8000)));
                self.timers.late(now + after, call.clone());
                Err(network(Certainty::MaybeSent))
            }
            Fate::Hangs { seconds: after } => {
                let outcome = self.platform.apply(call, now)?;
                flying.hangs = Some((now + seconds(after.max(1)), outcome));
                self.flying.push(flying);
                return Ok(());
            }
            Fate::RateLimited { seconds: after } => Err(failure(
                FailureKind::RateLimited,
                Certainty::NotSent,
                Retry::After(seconds(after.max(1))),
            )),
            Fate::Server => Err(failure(
                FailureKind::Server,
                Certainty::NotSent,
                Retry::After(Duration::from_secs(1)),
            )),
            Fate::Format | Fate::NotEditable | Fate::Refused | Fate::NoId | Fate::Undecided => {
                self.refuse(call, fate)?
            }
        };
        self.answer(flying, outcome);
        Ok(())
    }

    /// Fates that only some calls can have; for the others it is [`Fate::Done`].
    fn refuse(&mut self, call: &PlatformCall, fate: Fate) -> Result<CallOutcome, Violation> {
        let never = |kind| failure(kind, Certainty::NotSent, Retry::Never);
        let now = self.now;
        Ok(match (fate, &call.action) {
            (Fate::Format, Action::Create { body, .. } | Action::Edit { body, .. })
                if !body.entities.is_empty() =>
            {
                Err(never(FailureKind::Format))
            }
            (Fate::NotEditable, Action::Edit { handle, .. } | Action::Append { handle, .. }) => {
                self.platform.freeze(handle);
                Err(not_editable())
            }
            (
                Fate::Refused,
                Action::Create { .. }
                | Action::Edit { .. }
                | Action::Append { .. }
                | Action::Complete { .. }
                | Action::Prove { .. },
            ) => Err(never(FailureKind::Refused)),
            (Fate::Refused, Action::Delete { handle }) => {
                if let Some(message) = self.platform.find(handle) {
                    message.stuck = message.visible;
                }
                self.platform.apply(call, now)?
            }
            (Fate::NoId, Action::Create { .. } | Action::Complete { .. }) => {
                match self.platform.apply(call, now)? {
                    Ok(_) => Err(failure(FailureKind::Server, Certainty::Sent, Retry::Never)),
                    refused => refused,
                }
            }
            (Fate::Undecided, Action::Prove { .. }) => Ok(Receipt {
                handle: None,
                proof: Some(Proof::Undecided),
            }),
            _ => self.platform.apply(call, now)?,
        })
    }

    /// Answers whose time has come, and those of calls that nobody decided about.
    pub(crate) fn late_answers(&mut self) {
        let now = self.now;
        while let Some(index) = self.flying.iter().position(|flying| flying.due() <= now) {
            let mut flying = self.flying.remove(index);
            match flying.hangs.take() {
                Some((_, outcome)) => self.answer(flying, outcome),
                None => {
                    self.stats.count("call given up by its connection");
                    self.answer(flying, Err(network(Certainty::MaybeSent)));
                }
            }
        }
    }

    /// The answer goes into the mailbox of the conversation, if its task is still there.
    fn answer(&mut self, flying: Flying, outcome: CallOutcome) {
        if let (Slot::Post(post), Err(failure)) = (&flying.slot, &outcome)
            && failure.retry == Retry::Never
        {
            self.books.refused(*post);
        }
        if let Some(host) = self
            .process
            .as_mut()
            .and_then(|process| process.hosts.get_mut(&flying.conversation))
        {
            host.push(Input::CallDone {
                slot: flying.slot,
                fence: flying.call.fence,
                outcome,
            });
        }
    }

    /// What every call must be, seen as it leaves.
    pub(crate) fn leaves(&mut self, slot: &Slot, call: &PlatformCall) -> Result<(), Violation> {
        self.platform.count(call, self.now)?;
        let Slot::Post(post) = slot else {
            return Ok(());
        };
        let deadline = self.settings.call_deadline;
        let beside = self
            .flying
            .iter()
            .find(|other| other.slot == *slot && self.now.since(other.since) < deadline);
        if let Some(other) = beside {
            return Err(self.fail(
                Promise::P7,
                format!(
                    "post {post}: {:?} leaves while {:?} is in flight",
                    call.action.kind(),
                    other.call.action.kind()
                ),
            ));
        }
        if let Action::Create { key, .. } | Action::Complete { key, .. } = &call.action {
            match WireKey::parse(LEDGER, key.as_str()) {
                Some((named, _)) if named == *post => {}
                _ => return Err(self.fail(Promise::P6, "a create with another post's key")),
            }
        }
        if call.action.kind() == CallKind::Prove
            && self.capabilities.create == talaria_types::CreateClass::Blind
        {
            return Err(self.fail(Promise::P6, "a look where nothing can be seen"));
        }
        self.check_call(*post, call)
    }
}

fn network(certainty: Certainty) -> talaria_types::Failure {
    failure(FailureKind::Network, certainty, Retry::Now)
}
