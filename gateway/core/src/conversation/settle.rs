//! P3: a turn ends in one commit: transcript, turn, the ends of its inbounds, the sealed posts and
//! the withdrawals of its reply. Whatever the outcome, this is the road.

use talaria_ledger::Changes;
use talaria_ledger::records::{End, InboundRecord, Outcome, PostRecord, StepRecord, TurnState};
use talaria_types::crash::CommitKind;
use talaria_types::mutation::{self, Mutation};

use super::Conversation;
use crate::Error;
use crate::context::Context;
use crate::io::{Effect, Note};
use crate::presenter::{final_text, post_of};
use crate::turn::transcript_of;

impl Conversation {
    /// Settles the running turn in a commit of its own.
    pub(super) fn settle_turn(
        &mut self,
        outcome: Outcome,
        last: Option<StepRecord>,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let mut changes = Changes::new(self.account.clone());
        let Some(settled) = self.settle_into(&mut changes, outcome, last, cx, out)? else {
            return Ok(());
        };
        changes.session(&self.session.id, &self.session.record)?;
        self.commit_settlement(changes, settled, out)
    }

    /// Writes everything that settling means into `changes`; the posts are returned, to be taken
    /// into the outbox once the commit stands before them. `None`: no turn runs.
    pub(super) fn settle_into(
        &mut self,
        changes: &mut Changes,
        outcome: Outcome,
        last: Option<StepRecord>,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<Option<Vec<PostRecord>>, Error> {
        let Some(mut turn) = self.turn.take() else {
            return Ok(None);
        };
        if outcome != Outcome::Finished {
            out.push(Effect::Cancel { turn: turn.id() });
        }
        if let Some(step) = last {
            changes.step(&step)?;
            turn.journalled(step);
        }
        let bodies = self.reply.sealed(&turn, outcome, cx);
        let said = final_text(&turn, outcome, cx.settings.max_steps);
        turn.record.state = TurnState::Settled {
            outcome,
            at: cx.now.wall,
        };
        changes.turn(&turn.record)?;
        for inbound in &turn.record.inbounds {
            self.end_of(changes, &turn, inbound)?;
        }
        let messages = transcript_of(&turn, outcome, &said);
        let generation = turn.record.generation;
        self.session
            .append(changes, turn.id(), generation, messages, cx.now.wall)?;
        let mut posts = self.posts_of_turn(&turn);
        let parts = bodies.len();
        for (ordinal, body) in (0u16..).zip(bodies) {
            match posts.iter_mut().find(|post| post.id.ordinal == ordinal) {
                Some(post) => post.seal(body),
                None => {
                    let mut post = post_of(&turn, ordinal, cx.now.wall);
                    post.seal(body);
                    posts.push(post);
                }
            }
        }
        for post in &mut posts {
            if usize::from(post.id.ordinal) >= parts {
                post.withdraw();
            }
        }
        out.push(Effect::Note(Note::TurnSettled {
            turn: turn.id(),
            outcome,
        }));
        Ok(Some(posts))
    }

    /// Puts the commit before everything that follows from it.
    pub(super) fn commit_settlement(
        &mut self,
        mut changes: Changes,
        posts: Vec<PostRecord>,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        if mutation::on(Mutation::TwoCommits) {
            out.push(Effect::Commit {
                kind: CommitKind::Settle,
                changes: changes.clone(),
            });
            changes = Changes::new(self.account.clone());
        }
        for post in &posts {
            changes.post(post)?;
        }
        out.push(Effect::Commit {
            kind: CommitKind::Settle,
            changes,
        });
        for post in posts {
            self.outbox.insert(post);
        }
        Ok(())
    }

    /// P0: the end of an inbound, in the commit that makes it true. The record is rebuilt from
    /// what the turn kept and what was accepted.
    fn end_of(
        &self,
        changes: &mut Changes,
        turn: &crate::turn::Turn,
        inbound: &talaria_ledger::records::FrozenInbound,
    ) -> Result<(), Error> {
        let Some(accepted) = turn
            .accepted
            .iter()
            .find(|record| record.seq == inbound.seq)
        else {
            return Ok(());
        };
        let record = InboundRecord {
            end: Some(End::Answered { turn: turn.id() }),
            ..accepted.clone()
        };
        changes.inbound(&record)?;
        Ok(())
    }
}
