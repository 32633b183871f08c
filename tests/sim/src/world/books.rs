//! What the world remembers in order to judge: the invariants, seen at every commit, request,
//! tool call and platform call.

mod posts;
mod requests;

use std::collections::{BTreeMap, BTreeSet};

use talaria_core::snapshot::{get, scan_all};
use talaria_ledger::keys;
use talaria_ledger::record::decode;
use talaria_ledger::records::{
    End, InboundRecord, Outcome, PostRecord, StepRecord, ToolRecord, ToolState, TurnRecord,
    TurnState, Wanted,
};
use talaria_types::model::{Block, StopReason};
use talaria_types::{Body, Content, Inbound, InboundKey, PostId, TurnId};

use super::drive::Before;
use super::model::{Stream, bare_text};
use super::{Flow, World};
use crate::render::bare;
use crate::violation::{Promise, Violation};

/// Refusals for good that one post may meet before it counts as looping.
const REFUSALS: u32 = 60;
/// P13: processes that may try the same without getting on.
const CRASHES: usize = 3;

#[derive(Debug, Default)]
pub(crate) struct Books {
    epoch: u64,
    after_crash: bool,
    /// What each stream said so far, by its number.
    asks: BTreeMap<u64, Said>,
    /// The newest request of each turn in this process.
    current: BTreeMap<TurnId, u64>,
    /// The turn that a text of a person started.
    turn_of: BTreeMap<String, TurnId>,
    /// Journalled steps: the bare text of what the model said.
    steps: BTreeMap<TurnId, BTreeMap<u32, String>>,
    /// Starts of tools that may not start twice.
    started: BTreeSet<(TurnId, u32, u32)>,
    /// Processes that worked on a turn with so many journal records.
    tries: BTreeMap<(TurnId, usize), BTreeSet<u64>>,
    /// Bytes of each sealed revision.
    bodies: BTreeMap<(PostId, u32), Body>,
    /// The bare text of a post's first sealed revision since it was last live.
    texts: BTreeMap<PostId, String>,
    refusals: BTreeMap<PostId, u32>,
    accepted: BTreeSet<InboundKey>,
    ends: BTreeMap<InboundKey, End>,
}

#[derive(Clone, Debug, Default)]
struct Said {
    closed: Vec<Block>,
    over: bool,
}

impl Books {
    pub(crate) fn began(&mut self, epoch: u64, after_crash: bool) {
        self.epoch = epoch;
        self.after_crash = after_crash;
        self.current.clear();
    }

    pub(crate) fn died(&mut self) {
        self.current.clear();
    }

    pub(crate) fn said(&mut self, stream: &Stream) {
        self.asks.insert(
            stream.number,
            Said {
                closed: stream.closed.clone(),
                over: stream.over,
            },
        );
    }

    pub(crate) fn refused(&mut self, post: PostId) {
        *self.refusals.entry(post).or_default() += 1;
    }

    /// P2: an inbound is accepted once, whatever it is called.
    pub(crate) fn accepted(&mut self, inbound: &Inbound) -> Result<(), Violation> {
        let name = inbound.aliases.first().unwrap_or(&inbound.key).clone();
        if self.accepted.insert(name.clone()) {
            Ok(())
        } else {
            Err(Violation::new(
                Promise::P2,
                format!("{name} is accepted twice"),
            ))
        }
    }

    pub(crate) fn end_of(&self, key: &InboundKey) -> Option<&End> {
        self.ends.get(key)
    }

    pub(crate) fn refusals(&self, post: PostId) -> u32 {
        self.refusals.get(&post).copied().unwrap_or(0)
    }
}

impl World {
    /// Every record of a commit that is just durable, against what was before.
    pub(crate) fn check_commit(&mut self, before: &Before, puts: Vec<(Vec<u8>, Vec<u8>)>) -> Flow {
        for (key, value) in puts {
            let old = before.get(&key);
            let tag = keys::parts(&key).into_iter().nth(1).unwrap_or_default();
            match tag.as_str() {
                "inbound" => self.inbound_written(old, &value)?,
                "turn" => self.turn_written(old, &value)?,
                "step" => self.step_written(old, &value)?,
                "tool" => self.tool_written(old, &value)?,
                "post" => self.post_written(old, &value)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// P0: one end, written by the commit that makes it true.
    fn inbound_written(&mut self, old: Option<&Vec<u8>>, value: &[u8]) -> Flow {
        let new: InboundRecord = self.read(value)?;
        let old: Option<InboundRecord> = old.map(|old| self.read(old)).transpose()?;
        let name = &new.inbound.key;
        match (old.and_then(|old| old.end), &new.end) {
            (Some(known), Some(end)) if known == *end => {}
            (Some(known), end) => {
                let detail = format!("{name} ended as {known:?} and now as {end:?}");
                return Err(self.fail(Promise::P0, detail).into());
            }
            (None, _) => {}
        }
        let Some(end) = &new.end else { return Ok(()) };
        match end {
            End::Answered { turn } | End::Merged { turn } => {
                let record: Option<TurnRecord> = self.get(&keys::turn(&self.account, *turn))?;
                if !record.is_some_and(|record| matches!(record.state, TurnState::Settled { .. })) {
                    let detail = format!("{name} is answered by {turn}, which is not settled");
                    return Err(self.fail(Promise::P3, detail).into());
                }
            }
            End::Command | End::Expired => {
                let press = matches!(new.inbound.content, Content::Press { .. });
                let answer = self.post(PostId {
                    origin: new.seq,
                    ordinal: 0,
                });
                if !press
                    && !answer.is_some_and(|post| matches!(post.wanted, Wanted::Sealed { .. }))
                {
                    let detail = format!("{name} ended as {end:?} without its answer");
                    return Err(self.fail(Promise::P3, detail).into());
                }
            }
            End::Cancelled { .. } => {}
        }
        self.books.ends.insert(name.clone(), end.clone());
        Ok(())
    }

    fn turn_written(&mut self, old: Option<&Vec<u8>>, value: &[u8]) -> Flow {
        let new: TurnRecord = self.read(value)?;
        let old: Option<TurnRecord> = old.map(|old| self.read(old)).transpose()?;
        if let Some(TurnState::Settled { .. }) = old.map(|old| old.state) {
            let detail = format!("turn {} is written after it was settled", new.id);
            return Err(self.fail(Promise::P3, detail).into());
        }
        let TurnState::Settled { outcome, .. } = new.state else {
            return Ok(());
        };
        for inbound in &new.inbounds {
            let record: Option<InboundRecord> =
                self.get(&keys::inbound(&self.account, &inbound.key))?;
            if record.is_none_or(|record| record.end.is_none()) {
                let detail = format!("turn {} is settled, {} has no end", new.id, inbound.key);
                return Err(self.fail(Promise::P3, detail).into());
            }
        }
        self.settled_posts(&new, outcome)
    }

    /// P3: whoever finds the turn settled finds its posts.
    fn settled_posts(&mut self, turn: &TurnRecord, outcome: Outcome) -> Flow {
        let posts = scan_all(&self.store, &keys::posts(&self.account, turn.id.0))
            .map_err(|error| self.fail(Promise::Ledger, error.to_string()))?;
        let mut shown = String::new();
        for (_, bytes) in &posts {
            let post: PostRecord = self.read(bytes)?;
            match &post.wanted {
                Wanted::Live => {
                    let detail = format!("turn {} is settled, post {} is live", turn.id, post.id);
                    return Err(self.fail(Promise::P3, detail).into());
                }
                Wanted::Sealed { body, .. } => shown.push_str(&bare(&body.text)),
                Wanted::Absent => {}
            }
        }
        let steps = self.books.steps.get(&turn.id);
        let said: String = steps
            .into_iter()
            .flat_map(BTreeMap::values)
            .cloned()
            .collect();
        let whole = match outcome {
            Outcome::Finished if said.is_empty() => {
                shown == bare(talaria_core::wording::EMPTY_ANSWER)
            }
            Outcome::Finished => shown == said,
            Outcome::Stopped | Outcome::Superseded => shown.starts_with(&said),
            Outcome::Failed { .. } | Outcome::GivenUp => {
                shown.starts_with(&said) && shown.len() > said.len()
            }
        };
        if !whole {
            let detail = format!(
                "turn {} is {outcome:?}; the model said {said:?}, sealed is {shown:?}",
                turn.id
            );
            return Err(self.fail(Promise::P3, detail).into());
        }
        Ok(())
    }

    /// P5: what is journalled is what the model said, once.
    fn step_written(&mut self, old: Option<&Vec<u8>>, value: &[u8]) -> Flow {
        let new: StepRecord = self.read(value)?;
        if old.is_some() {
            let detail = format!("step {} of turn {} is journalled twice", new.step, new.turn);
            return Err(self.fail(Promise::P5, detail).into());
        }
        let said = self
            .books
            .current
            .get(&new.turn)
            .and_then(|number| self.books.asks.get(number));
        let whole = said.is_some_and(|said| said.over && said.closed == new.blocks);
        if !whole {
            let detail = format!(
                "step {} of turn {} ({:?}) is not what the model said",
                new.step, new.turn, new.stop_reason
            );
            return Err(self.fail(Promise::P5, detail).into());
        }
        if new.stop_reason == StopReason::Cut
            && !new
                .blocks
                .iter()
                .any(|b| matches!(b, Block::ToolUse { .. }))
        {
            return Err(self
                .fail(Promise::P5, "a cut step without a tool call")
                .into());
        }
        self.books
            .steps
            .entry(new.turn)
            .or_default()
            .insert(new.step, bare_text(&new.blocks));
        Ok(())
    }

    fn tool_written(&mut self, old: Option<&Vec<u8>>, value: &[u8]) -> Flow {
        let new: ToolRecord = self.read(value)?;
        let old: Option<ToolRecord> = old.map(|old| self.read(old)).transpose()?;
        if let Some(ToolState::Finished { .. }) = old.map(|old| old.state) {
            let detail = format!("the result of {} is written twice", new.tool_use_id);
            return Err(self.fail(Promise::P5, detail).into());
        }
        Ok(())
    }

    pub(crate) fn read<R: talaria_ledger::record::Record>(
        &self,
        bytes: &[u8],
    ) -> Result<R, Violation> {
        decode(bytes).map_err(|error| self.fail(Promise::Ledger, error.to_string()))
    }

    pub(crate) fn get<R: talaria_ledger::record::Record>(
        &self,
        key: &[u8],
    ) -> Result<Option<R>, Violation> {
        get(&self.store, key).map_err(|error| self.fail(Promise::Ledger, error.to_string()))
    }
}
