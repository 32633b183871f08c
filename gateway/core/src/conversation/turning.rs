//! The running turn: model events, tool calls, the journal.

use talaria_ledger::Changes;
use talaria_ledger::records::{Outcome, StepRecord, ToolRecord, ToolState};
use talaria_types::TurnId;
use talaria_types::crash::CommitKind;
use talaria_types::model::{ModelError, ModelRequest, StreamEvent, ToolResult};
use talaria_types::mutation::{self, Mutation};

use super::Conversation;
use crate::Error;
use crate::context::Context;
use crate::io::{Effect, Note};
use crate::session::next_start;
use crate::turn::{Phase, Step, context_of};

/// P13: a turn that so many processes crashed over, without a journal record between, is given up.
const CRASHES: u32 = 3;

impl Conversation {
    pub(super) fn ask(&mut self, cx: &Context, out: &mut Vec<Effect>) {
        let Some(turn) = &mut self.turn else { return };
        let request = ModelRequest {
            system: cx.settings.system_prompt.clone(),
            tools: cx.settings.tools.clone(),
            messages: context_of(&self.session.transcript, turn),
            max_tokens: cx.settings.max_tokens,
        };
        let ask = turn.ask();
        out.push(Effect::Ask {
            turn: turn.id(),
            ask,
            request: Box::new(request),
        });
    }

    pub(super) fn model(
        &mut self,
        id: TurnId,
        ask: u32,
        event: StreamEvent,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.id() == id) else {
            return Ok(());
        };
        match turn.on_model(ask, event, cx) {
            Step::Grew | Step::Stale => Ok(()),
            Step::Journal(step) => {
                self.journal_step(*step, out)?;
                self.go_on(cx, out)
            }
            Step::Finish(step) => self.settle_turn(Outcome::Finished, Some(*step), cx, out),
            Step::Retry(error, until) => {
                self.model_failed(&error, true, out);
                out.push(Effect::WakeAt(until));
                Ok(())
            }
            Step::Shrink(error) => self.shrink(&error, cx, out),
            Step::Fail(error) => {
                self.model_failed(&error, false, out);
                self.settle_turn(Outcome::Failed { error: error.kind }, None, cx, out)
            }
        }
    }

    fn model_failed(&self, error: &ModelError, again: bool, out: &mut Vec<Effect>) {
        if let Some(turn) = &self.turn {
            out.push(Effect::Note(Note::ModelFailed {
                turn: turn.id(),
                kind: error.kind,
                detail: error.detail.clone(),
                again,
            }));
        }
    }

    /// A prompt that is too long is no network error: the older half of what is still given to
    /// the model is left out, and it is asked again.
    fn shrink(
        &mut self,
        error: &ModelError,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let Some(turn) = &mut self.turn else {
            return Ok(());
        };
        let transcript = &self.session.transcript;
        let left = transcript.len().saturating_sub(turn.left_out);
        if left == 0 {
            self.model_failed(error, false, out);
            return self.settle_turn(Outcome::Failed { error: error.kind }, None, cx, out);
        }
        turn.left_out = next_start(transcript, turn.left_out + left.div_ceil(2));
        self.model_failed(error, true, out);
        self.ask(cx, out);
        Ok(())
    }

    /// P5: a step is journalled before anything that follows from it happens.
    fn journal_step(&mut self, step: StepRecord, out: &mut Vec<Effect>) -> Result<(), Error> {
        let Some(turn) = &mut self.turn else {
            return Ok(());
        };
        let mut changes = Changes::new(self.account.clone());
        changes.step(&step)?;
        turn.journalled(step);
        changes.turn(&turn.record)?;
        out.push(Effect::Commit {
            kind: CommitKind::Step,
            changes,
        });
        Ok(())
    }

    /// Runs the open tool calls, or asks for the next step.
    fn go_on(&mut self, cx: &Context, out: &mut Vec<Effect>) -> Result<(), Error> {
        let Some(turn) = &self.turn else {
            return Ok(());
        };
        if turn.has_open_calls() {
            return self.run_tools(cx, out);
        }
        if turn.next_step() >= cx.settings.max_steps {
            return self.settle_turn(Outcome::GivenUp, None, cx, out);
        }
        self.ask(cx, out);
        Ok(())
    }

    /// P5: a tool call is journalled as started, durably, before it runs.
    fn run_tools(&mut self, cx: &Context, out: &mut Vec<Effect>) -> Result<(), Error> {
        let Some(turn) = &mut self.turn else {
            return Ok(());
        };
        let batch = turn.next_calls(cx.tools);
        if batch.is_empty() {
            return Ok(());
        }
        turn.phase = Phase::Tools;
        let step = turn.current_step();
        let calls: Vec<(u32, String, String, serde_json::Value)> = turn
            .calls()
            .into_iter()
            .filter(|(call, ..)| batch.contains(call))
            .map(|(call, id, name, input)| (call, id.to_owned(), name.to_owned(), input.clone()))
            .collect();
        let mut changes = Changes::new(self.account.clone());
        let mut runs = Vec::new();
        for (call, tool_use_id, name, input) in calls {
            let record = ToolRecord {
                turn: turn.id(),
                step,
                call,
                tool_use_id: tool_use_id.clone(),
                name: name.clone(),
                class: cx.tools.traits_of(&name).class,
                state: ToolState::Started { at: cx.now.wall },
                unknown: Default::default(),
            };
            changes.tool(&record)?;
            turn.tools.insert((step, call), record);
            runs.push(Effect::RunTool {
                turn: turn.id(),
                step,
                call,
                tool_use_id,
                name,
                input,
            });
        }
        let commit = Effect::Commit {
            kind: CommitKind::ToolStarted,
            changes,
        };
        if mutation::on(Mutation::ResultBeforeStarted) {
            out.extend(runs);
            out.push(commit);
        } else {
            out.push(commit);
            out.extend(runs);
        }
        Ok(())
    }

    pub(super) fn tool_done(
        &mut self,
        id: TurnId,
        step: u32,
        call: u32,
        result: ToolResult,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.id() == id) else {
            return Ok(());
        };
        let Some(tool) = turn.tools.get_mut(&(step, call)) else {
            return Ok(());
        };
        if !matches!(tool.state, ToolState::Started { .. }) {
            return Ok(());
        }
        tool.state = ToolState::Finished {
            at: cx.now.wall,
            result,
        };
        let mut changes = Changes::new(self.account.clone());
        changes.tool(tool)?;
        turn.record.continuations = 0;
        changes.turn(&turn.record)?;
        out.push(Effect::Commit {
            kind: CommitKind::ToolFinished,
            changes,
        });
        self.go_on(cx, out)
    }

    /// After a restart: the turn goes on from its journal (P5), counted (P13).
    pub(super) fn continue_turn(
        &mut self,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let Some(turn) = self
            .turn
            .as_mut()
            .filter(|turn| turn.phase == Phase::Paused)
        else {
            return Ok(());
        };
        if turn.record.started.age(cx.now.wall) > cx.settings.max_age {
            return self.settle_turn(Outcome::GivenUp, None, cx, out);
        }
        // P12: access is asked for again wherever a turn starts, also after a restart.
        let sender = turn.record.inbounds.first().map(|inbound| &inbound.sender);
        if sender.is_some_and(|user| !cx.access.allowed(&turn.record.place, user)) {
            out.push(Effect::Note(Note::InboundDenied));
            return self.settle_turn(Outcome::Stopped, None, cx, out);
        }
        // A shutdown that was asked for is no crash.
        turn.record.continuations += u32::from(self.after_crash);
        let continuations = turn.record.continuations;
        if continuations >= CRASHES {
            return self.settle_turn(Outcome::GivenUp, None, cx, out);
        }
        let mut changes = Changes::new(self.account.clone());
        for tool in turn.settle_interrupted(cx.now) {
            changes.tool(&tool)?;
        }
        changes.turn(&turn.record)?;
        out.push(Effect::Commit {
            kind: CommitKind::Recovery,
            changes,
        });
        out.push(Effect::Note(Note::TurnContinued {
            turn: turn.id(),
            continuations,
        }));
        self.go_on(cx, out)
    }

    /// Asks again when the pause after a failed request is over.
    pub(super) fn retry_model(&mut self, cx: &Context, out: &mut Vec<Effect>) {
        let Some(turn) = &self.turn else { return };
        if let Phase::Backoff { until } = turn.phase {
            if cx.now.mono >= until {
                self.ask(cx, out);
            } else {
                out.push(Effect::WakeAt(until));
            }
        }
    }
}
