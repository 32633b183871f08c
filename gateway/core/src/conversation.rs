//! One conversation: its session, the running turn, the reply that grows, and the posts that are
//! owed. Inputs in, effects out; see [`crate::io`].

mod answer;
mod commands;
mod restore;

mod settle;
mod signals;
mod turning;

use std::collections::BTreeSet;

use talaria_ledger::Changes;
use talaria_ledger::records::{
    CancelReason, End, InboundRecord, PostRecord, TurnRecord, TurnState,
};
use talaria_types::crash::CommitKind;
use talaria_types::{AccountId, Content, ConversationId, InboundKey, Place, Seq, TurnId};

use crate::Error;
use crate::context::Context;
use crate::io::{Effect, Input, Note};
use crate::outbox::Outbox;
use crate::pacing::Slot;
use crate::presenter::{Live, Reply};
use crate::session::{Session, Waiting, freeze};
use crate::turn::Turn;
use signals::Signals;

pub use restore::Owner;

/// How many inbounds are remembered against being told of twice in one process.
const SEEN: usize = 1024;

/// The machine of one conversation. Owned by one task.
#[derive(Debug)]
pub struct Conversation {
    account: AccountId,
    session: Session,
    turn: Option<Turn>,
    reply: Reply,
    outbox: Outbox,
    signals: Signals,
    /// Set by [`Input::Start`]: what was running before goes on with this input.
    restored: bool,
    /// No turn starts before everything that was open is known: an edit may follow, or `/new`.
    started: bool,
    after_crash: bool,
    /// Inbounds that this machine was told of: a restore and a delivery may both bring one.
    seen: BTreeSet<Seq>,
}

impl Conversation {
    #[must_use]
    pub fn id(&self) -> &ConversationId {
        &self.session.id
    }

    #[must_use]
    pub fn place(&self) -> &Place {
        &self.session.record.place
    }

    /// Nothing runs, waits or is owed: the task may end.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.turn.is_none()
            && self.session.queue.is_empty()
            && self.outbox.is_empty()
            && self.signals.is_idle()
    }

    /// The turn that runs.
    #[must_use]
    pub fn running(&self) -> Option<TurnId> {
        self.turn.as_ref().map(Turn::id)
    }

    /// Takes an input and returns what is to be done, in order.
    ///
    /// # Errors
    /// Records that can't be written; final for the process.
    pub fn on(&mut self, input: Input, cx: &Context) -> Result<Vec<Effect>, Error> {
        let mut out = Vec::new();
        match input {
            Input::Start => {
                self.restored = true;
                self.started = true;
            }
            Input::Inbound(record) => self.inbound(*record, cx, &mut out)?,
            Input::Model { turn, ask, event } => self.model(turn, ask, event, cx, &mut out)?,
            Input::ToolDone {
                turn,
                step,
                call,
                result,
            } => {
                self.tool_done(turn, step, call, result, cx, &mut out)?;
            }
            Input::Granted(Slot::Post(post)) => {
                // What is sent is the newest text, laid out now.
                self.show_live(true, cx, &mut out);
                self.outbox.granted(post, cx, &mut out)?;
            }
            Input::Granted(slot) => {
                self.signals
                    .granted(slot, &self.session.record.place, cx, &mut out)
            }
            Input::CallDone {
                slot: Slot::Post(post),
                fence,
                outcome,
            } => {
                self.outbox.answered(post, fence, &outcome, cx, &mut out);
            }
            Input::CallDone { slot, outcome, .. } => {
                self.signals.answered(&slot, &outcome, cx, &mut out)
            }
            Input::Evidence { post, handle } => {
                self.outbox.evidence(post.id, Some(*post), &handle);
            }
            Input::Posted(post) => self.outbox.take_over(*post),
            Input::Wake => {}
        }
        self.settle_down(cx, &mut out)?;
        Ok(out)
    }

    /// What follows from any input: the turn goes on, the next one starts, the posts are advanced.
    fn settle_down(&mut self, cx: &Context, out: &mut Vec<Effect>) -> Result<(), Error> {
        if std::mem::take(&mut self.restored) {
            self.continue_turn(cx, out)?;
        }
        self.retry_model(cx, out);
        self.start_turn(cx, out)?;
        self.show_live(false, cx, out);
        self.outbox.advance_all(cx, out)?;
        let busy = self.turn.is_some() || self.outbox.show_life;
        self.signals
            .advance(busy, self.outbox.last_shown, &self.session, cx, out);
        Ok(())
    }

    fn inbound(
        &mut self,
        record: InboundRecord,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        if !self.seen.insert(record.seq) {
            return Ok(());
        }
        if self.seen.len() > SEEN {
            self.seen.pop_first();
        }
        if !cx
            .access
            .allowed(&record.inbound.place, &record.inbound.sender.id)
        {
            return self.deny(record, out);
        }
        match record.inbound.content.clone() {
            Content::Text { text } if text.trim().is_empty() => self.end_inbound(
                record,
                End::Cancelled {
                    reason: CancelReason::Empty,
                },
                out,
            ),
            Content::Text { .. } => {
                self.session.enqueue(record);
                Ok(())
            }
            Content::Edit { of, text } => self.edited(record, &of, text, out),
            Content::Command { command, .. } => self.command(record, command, cx, out),
            Content::Press { interaction, .. } => {
                self.signals
                    .answer_press(interaction, &self.session, cx, out);
                self.end_inbound(record, End::Command, out)
            }
            Content::Unsupported { what } => {
                self.answer_inbound(record, crate::wording::unsupported(&what), cx, out)
            }
        }
    }

    /// P0: a new version takes the place of one that has not started; otherwise it is a new
    /// inbound of its own.
    fn edited(
        &mut self,
        mut record: InboundRecord,
        of: &InboundKey,
        text: String,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let waiting = self.session.queue.iter().position(|waiting| {
            waiting.inbound.key == *of
                || matches!(&waiting.replaces, Some(original) if original == of)
        });
        let Some(waiting) = waiting.and_then(|index| self.session.queue.get_mut(index)) else {
            self.session.enqueue(record);
            return Ok(());
        };
        // The model never saw the first version: this one is the message.
        record.inbound.content = Content::Text { text };
        let mut changes = Changes::new(self.account.clone());
        changes.inbound(&InboundRecord {
            end: Some(End::Cancelled {
                reason: CancelReason::Edited,
            }),
            ..waiting.record.clone()
        })?;
        changes.inbound(&record)?;
        waiting.record = record;
        waiting.replaces = Some(of.clone());
        out.push(Effect::Commit {
            kind: CommitKind::Command,
            changes,
        });
        Ok(())
    }

    /// P12, at the start of a turn and of a command's effect.
    fn deny(&mut self, record: InboundRecord, out: &mut Vec<Effect>) -> Result<(), Error> {
        out.push(Effect::Note(Note::InboundDenied));
        self.end_inbound(
            record,
            End::Cancelled {
                reason: CancelReason::Access,
            },
            out,
        )
    }

    /// Writes an inbound's end in a commit of its own.
    fn end_inbound(
        &mut self,
        mut record: InboundRecord,
        end: End,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        record.end = Some(end);
        let mut changes = Changes::new(self.account.clone());
        changes.inbound(&record)?;
        out.push(Effect::Commit {
            kind: CommitKind::Command,
            changes,
        });
        Ok(())
    }

    /// Starts the next turn, if none runs and something waits.
    fn start_turn(&mut self, cx: &Context, out: &mut Vec<Effect>) -> Result<(), Error> {
        while self.started && self.turn.is_none() {
            let Some(Waiting { record, .. }) = self.session.queue.pop_front() else {
                return Ok(());
            };
            if !cx
                .access
                .allowed(&record.inbound.place, &record.inbound.sender.id)
            {
                self.deny(record, out)?;
                continue;
            }
            if record.accepted.age(cx.now.wall) > cx.settings.max_age {
                self.expire_inbound(record, cx, out)?;
                continue;
            }
            self.begin_turn(&record, cx, out)?;
        }
        Ok(())
    }

    fn begin_turn(
        &mut self,
        record: &InboundRecord,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        self.session.record.replies += 1;
        self.session.record.updated = cx.now.wall;
        let turn = TurnRecord {
            id: TurnId(record.seq),
            conversation: self.session.id.clone(),
            place: record.inbound.place.clone(),
            generation: self.session.record.generation,
            reply: self.session.record.replies,
            inbounds: vec![freeze(record)],
            started: cx.now.wall,
            state: TurnState::Running,
            continuations: 0,
            usage: Default::default(),
            unknown: Default::default(),
        };
        let mut changes = Changes::new(self.account.clone());
        // P2: one turn at a time, and only of inbounds that have no end.
        changes.require_absent(talaria_ledger::keys::running(
            &self.account,
            &self.session.id,
        ));
        changes.require_present(talaria_ledger::keys::open(
            &self.account,
            &self.session.id,
            record.seq,
        ));
        changes.turn(&turn)?;
        changes.session(&self.session.id, &self.session.record)?;
        out.push(Effect::Commit {
            kind: CommitKind::Start,
            changes,
        });
        out.push(Effect::Note(Note::TurnStarted { turn: turn.id }));
        let mut turn = Turn::new(turn, cx.now);
        turn.accepted.push(record.clone());
        self.turn = Some(turn);
        self.reply = Reply::default();
        self.ask(cx, out);
        Ok(())
    }

    /// Brings the live posts up to the text that is there, when a call is granted or none waits:
    /// while one waits or is on its way the text only grows, and laying it out for each word would
    /// be work for nothing.
    fn show_live(&mut self, granted: bool, cx: &Context, out: &mut Vec<Effect>) {
        if !cx.capabilities.drafts {
            return;
        }
        let Some(turn) = &self.turn else { return };
        if !granted && self.outbox.has_call(turn.record.id.0) {
            return;
        }
        let bodies = match self.reply.live(turn, cx) {
            Live::Unchanged => return,
            Live::Wait(until) => return out.push(Effect::WakeAt(until)),
            Live::Show(bodies) => bodies,
        };
        for (ordinal, body) in (0u16..).zip(bodies) {
            let post = crate::presenter::post_of(turn, ordinal, cx.now.wall);
            self.outbox.set_live(post, body, cx);
        }
    }

    /// Posts of the running reply that exist or may exist.
    fn posts_of_turn(&self, turn: &Turn) -> Vec<PostRecord> {
        self.outbox
            .of_origin(turn.record.id.0)
            .into_iter()
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests;
