//! What expires by itself: typing. And answers to pressed buttons, which platforms forget soon.
//! Neither is in the ledger.

use std::collections::BTreeSet;
use std::time::Duration;

use talaria_types::{Action, CallKind, CallOutcome, Fence, Mono, Place, PlatformCall, Signal};

use crate::context::Context;
use crate::io::Effect;
use crate::pacing::{CallScope, Class, Request, Slot, SlotKey};
use crate::session::Session;
use crate::wording;

/// How long before its end a typing signal is renewed.
const RENEW: Duration = Duration::from_millis(1000);

#[derive(Debug, Default)]
pub(super) struct Signals {
    wanted: bool,
    in_flight: bool,
    last: Option<Mono>,
    presses: BTreeSet<String>,
}

impl Signals {
    pub(super) fn is_idle(&self) -> bool {
        self.presses.is_empty()
    }

    /// Asks for a typing signal where one is due.
    pub(super) fn advance(
        &mut self,
        busy: bool,
        last_shown: Option<Mono>,
        session: &Session,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) {
        let Some(ttl) = cx.capabilities.typing_ttl else {
            return;
        };
        if !busy {
            self.last = None;
            if std::mem::take(&mut self.wanted) {
                out.push(Effect::Unwant(Slot::Typing));
            }
            return;
        }
        if self.wanted || self.in_flight {
            return;
        }
        // A text that grows shows life by itself.
        let due = self
            .last
            .max(last_shown)
            .map(|last| last + ttl.saturating_sub(RENEW));
        match due {
            Some(due) if cx.now.mono < due => out.push(Effect::WakeAt(due)),
            Some(_) | None => {
                self.wanted = true;
                out.push(want(Slot::Typing, CallKind::Signal, session, cx));
            }
        }
    }

    pub(super) fn answer_press(
        &mut self,
        interaction: String,
        session: &Session,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) {
        if self.presses.insert(interaction.clone()) {
            out.push(want(
                Slot::Answer(interaction),
                CallKind::Answer,
                session,
                cx,
            ));
        }
    }

    pub(super) fn granted(
        &mut self,
        slot: Slot,
        place: &Place,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) {
        let action = match &slot {
            Slot::Typing => {
                // The turn may have ended between the grant and now.
                if !std::mem::take(&mut self.wanted) {
                    return;
                }
                self.in_flight = true;
                self.last = Some(cx.now.mono);
                Action::Signal(Signal::Typing)
            }
            Slot::Answer(interaction) => Action::Answer {
                interaction: interaction.clone(),
                text: Some(wording::OLD_BUTTON.to_owned()),
            },
            Slot::Post(_) | Slot::Setup => return,
        };
        let call = PlatformCall {
            place: place.clone(),
            fence: Fence::default(),
            action,
        };
        out.push(Effect::Call {
            slot,
            call: Box::new(call),
        });
    }

    /// Lossy on purpose: a signal that failed is not repeated, the next one is.
    pub(super) fn answered(
        &mut self,
        slot: &Slot,
        outcome: &CallOutcome,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) {
        match slot {
            Slot::Typing => self.in_flight = false,
            Slot::Answer(interaction) => {
                self.presses.remove(interaction);
            }
            Slot::Post(_) | Slot::Setup => {}
        }
        if let Err(failure) = outcome
            && failure.kind == talaria_types::FailureKind::RateLimited
            && let talaria_types::Retry::After(after) = failure.retry
        {
            out.push(Effect::Penalize {
                scope: failure.scope,
                kind: CallKind::Signal,
                until: cx.now.mono + after,
            });
        }
    }
}

fn want(slot: Slot, kind: CallKind, session: &Session, cx: &Context) -> Effect {
    Effect::Want(Box::new(Request {
        key: SlotKey {
            conversation: session.id.clone(),
            slot,
        },
        class: Class::Cosmetic,
        kind,
        scope: CallScope::new(&session.record.place, None),
        limits: cx.capabilities.limits.clone(),
        not_before: None,
    }))
}
