//! The commands, one table. A command is settled in one commit: its end, its answer, and what it
//! changes.

use talaria_ledger::Changes;
use talaria_ledger::records::{CancelReason, End, InboundRecord, Outcome};
use talaria_types::Command;
use talaria_types::crash::CommitKind;

use super::Conversation;
use crate::Error;
use crate::context::Context;
use crate::io::Effect;
use crate::wording;

impl Conversation {
    pub(super) fn command(
        &mut self,
        record: InboundRecord,
        command: Command,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        match command {
            Command::Start => self.answer_inbound(record, wording::greeting(), cx, out),
            Command::Help => self.answer_inbound(record, wording::help(), cx, out),
            Command::Status => {
                let text = self.status(cx);
                self.answer_inbound(record, text, cx, out)
            }
            Command::Stop => self.stop(record, cx, out),
            Command::New => self.renew(record, cx, out),
        }
    }

    fn status(&self, cx: &Context) -> String {
        let running = self.turn.as_ref().map(|turn| cx.now.mono.since(turn.since));
        wording::status(
            &cx.settings.model,
            running,
            self.session.queue.len(),
            self.session.record.entries,
        )
    }

    /// `/stop`. Accepted durably before it is acknowledged, so a crash before this commit finds it
    /// again, before the turn is continued.
    fn stop(
        &mut self,
        record: InboundRecord,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let mut changes = Changes::new(self.account.clone());
        let settled = self.settle_into(&mut changes, Outcome::Stopped, None, cx, out)?;
        let Some(posts) = settled else {
            return self.answer_inbound(record, wording::NOTHING_TO_STOP.to_owned(), cx, out);
        };
        changes.session(&self.session.id, &self.session.record)?;
        self.end_with_answer(&mut changes, record, wording::STOPPED.to_owned(), cx)
            .and_then(|answer| self.commit_settlement(changes, with(posts, answer), out))
    }

    /// `/new`: the generation is incremented in the commit that also ends what waits.
    fn renew(
        &mut self,
        record: InboundRecord,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let mut changes = Changes::new(self.account.clone());
        let settled = self.settle_into(&mut changes, Outcome::Superseded, None, cx, out)?;
        for waiting in self.session.queue.drain(..) {
            let end = Some(End::Cancelled {
                reason: CancelReason::New,
            });
            changes.inbound(&InboundRecord {
                end,
                ..waiting.record
            })?;
        }
        self.session.renew(cx.now.wall);
        changes.session(&self.session.id, &self.session.record)?;
        let answer = self.end_with_answer(
            &mut changes,
            record,
            wording::NEW_CONVERSATION.to_owned(),
            cx,
        )?;
        match settled {
            Some(posts) => self.commit_settlement(changes, with(posts, answer), out),
            None => {
                changes.post(&answer)?;
                out.push(Effect::Commit {
                    kind: CommitKind::Command,
                    changes,
                });
                self.outbox.insert(answer);
                Ok(())
            }
        }
    }
}

fn with<T>(mut list: Vec<T>, one: T) -> Vec<T> {
    list.push(one);
    list
}
