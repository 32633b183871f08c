//! The driver around the machines: inputs in, effects carried out in order. The same order of
//! things as the runtime's session task.

use std::collections::BTreeMap;

use talaria_core::Conversation;
use talaria_core::context::{Context, ToolTable};
use talaria_core::conversation::Owner;
use talaria_core::io::{Effect, Input, Note};
use talaria_core::pacing::{CallScope, Slot, SlotKey};
use talaria_core::snapshot::{Snapshot, pending};
use talaria_ledger::Changes;
use talaria_ledger::records::PostRecord;
use talaria_ledger::store::{Batch, Class, Store, commit_blocking};
use talaria_types::crash::{Choke, CommitKind, CrashPoint, Side, WorkKind};
use talaria_types::model::ToolResult;
use talaria_types::{ConversationId, Handle, Place, PlatformCall, PostId};

use super::calls::Flying;
use super::model::{Running, Stream, Table};
use super::platform::LEDGER;
use super::process::{Host, Process};
use super::{Flow, World, place_of};
use crate::render::SimRenderer;
use crate::step::ModelAct;
use crate::violation::Promise;

/// What the runtime's intake makes of a message id seen in passing.
pub(crate) fn evidence(record: PostRecord, handle: Handle) -> Input {
    Input::Evidence {
        post: Box::new(record),
        handle,
    }
}

impl World {
    pub(crate) fn restart(&mut self) -> Flow<bool> {
        if self.process.is_some() {
            return Ok(false);
        }
        let epoch = self
            .store
            .open_epoch(self.account.as_str())
            .map_err(|error| self.fail(Promise::Ledger, error.to_string()))?;
        let after_crash = !self.clean;
        self.clean = false;
        self.books.began(epoch.number, after_crash);
        self.process = Some(Process::new(epoch, after_crash, self.now));
        let owing = pending(&self.store, &self.account)
            .map_err(|error| self.fail(Promise::Ledger, error.to_string()))?;
        for conversation in owing {
            let chat = conversation.as_str().rsplit('/').next().unwrap_or("0");
            let place = place_of(&talaria_types::ChatId::new(chat));
            self.host(&conversation, &place)?;
        }
        Ok(true)
    }

    /// Starts the task of a conversation if it has none.
    fn host(&mut self, id: &ConversationId, place: &Place) -> Flow {
        let Some(process) = &self.process else {
            return Ok(());
        };
        if process.hosts.contains_key(id) {
            return Ok(());
        }
        let owner = Owner {
            first_fence: self.now.0,
            epoch: process.epoch.number,
            ledger: LEDGER,
            after_crash: process.after_crash,
        };
        let snapshot = Snapshot::load(&self.store, &self.account, id)
            .map_err(|error| self.fail(Promise::Ledger, error.to_string()))?;
        let renderer = SimRenderer { epoch: owner.epoch };
        let machine = Conversation::restore(
            self.account.clone(),
            id.clone(),
            place.clone(),
            &snapshot,
            owner,
            &self.context(&renderer),
        );
        if let Some(process) = &mut self.process {
            process.hosts.insert(id.clone(), Host::new(machine));
        }
        for input in snapshot.inputs() {
            self.feed(id, input)?;
        }
        Ok(())
    }

    fn context<'a>(&'a self, renderer: &'a SimRenderer) -> Context<'a> {
        Context {
            now: self.now(),
            capabilities: &self.capabilities,
            renderer,
            access: &self.access,
            tools: &Table,
            settings: &self.settings,
        }
    }

    /// Puts an input into a conversation's mailbox; its task is started if there is none.
    pub(crate) fn deliver(&mut self, place: Place, input: Input) -> Flow {
        let id = place.conversation(None);
        self.host(&id, &place)?;
        if let Some(host) = self.process.as_mut().and_then(|p| p.hosts.get_mut(&id)) {
            host.push(input);
        }
        Ok(())
    }

    pub(crate) fn handle_one(&mut self, pick: u16) -> Flow<bool> {
        let Some(process) = &mut self.process else {
            return Ok(false);
        };
        let waiting: Vec<ConversationId> = process
            .hosts
            .iter()
            .filter(|(_, host)| host.has_mail())
            .map(|(id, _)| id.clone())
            .collect();
        let Some(id) = waiting.get(usize::from(pick) % waiting.len().max(1)) else {
            return Ok(false);
        };
        let Some(input) = process.hosts.get_mut(id).and_then(Host::pop) else {
            return Ok(false);
        };
        self.feed(id, input)?;
        Ok(true)
    }

    fn feed(&mut self, id: &ConversationId, input: Input) -> Flow {
        self.stats.inputs += 1;
        let told = told_by(&input);
        self.say(|| format!("  {id} < {input:?}"));
        let Some(process) = &mut self.process else {
            return Ok(());
        };
        let epoch = process.epoch.number;
        let Some(mut machine) = process
            .hosts
            .get_mut(id)
            .and_then(|host| host.machine.take())
        else {
            return Ok(());
        };
        let renderer = SimRenderer { epoch };
        let effects = machine
            .on(input, &self.context(&renderer))
            .map_err(|error| self.fail(Promise::Ledger, error.to_string()))?;
        if let Some(host) = self.process.as_mut().and_then(|p| p.hosts.get_mut(id)) {
            host.machine = Some(machine);
        }
        self.carry_out(id, effects)?;
        // Everything that the input led to is durable: from now on the gateway knows.
        if let Some(handle) = told
            && let Some(message) = self.platform.find(&handle)
        {
            message.told = true;
        }
        Ok(())
    }

    fn carry_out(&mut self, id: &ConversationId, effects: Vec<Effect>) -> Flow {
        for effect in effects {
            self.carry_out_one(id, effect)?;
        }
        if let Some(process) = &mut self.process {
            process.grant(self.now);
        }
        Ok(())
    }

    fn carry_out_one(&mut self, id: &ConversationId, effect: Effect) -> Flow {
        self.say(|| format!("  {id} > {}", shown(&effect)));
        let key = |slot| SlotKey {
            conversation: id.clone(),
            slot,
        };
        let now = self.now;
        match effect {
            Effect::Commit { kind, changes } => return self.commit(kind, changes),
            Effect::Ask { turn, ask, request } => {
                let model = Choke::Work(WorkKind::Model);
                self.pass(CrashPoint(model, Side::Before))?;
                let number = self.number();
                self.check_ask(turn, number, &request)?;
                let stream = Stream::new(id.clone(), turn, ask, number);
                self.with_process(|process| process.streams.push(stream));
                return self.pass(CrashPoint(model, Side::After));
            }
            Effect::RunTool {
                turn,
                step,
                call,
                tool_use_id,
                name,
                ..
            } => {
                let tool = Choke::Work(WorkKind::Tool);
                self.pass(CrashPoint(tool, Side::Before))?;
                self.check_tool(turn, step, call, &name)?;
                let running = Running {
                    conversation: id.clone(),
                    turn,
                    step,
                    call,
                    tool_use_id,
                    concurrent: Table.traits_of(&name).concurrent,
                };
                self.with_process(|process| process.tools.push(running));
                return self.pass(CrashPoint(tool, Side::After));
            }
            Effect::Cancel { turn } => self.with_process(|process| {
                process.streams.retain(|stream| stream.turn != turn);
                process.tools.retain(|tool| tool.turn != turn);
            }),
            Effect::Call { slot, call } => return self.send(id, slot, *call),
            Effect::WakeAt(at) => {
                if let Some(host) = self.process.as_mut().and_then(|p| p.hosts.get_mut(id)) {
                    host.wake = Some(host.wake.map_or(at, |known| known.min(at)));
                }
            }
            Effect::Note(note) => self.note(&note)?,
            Effect::Want(request) => self.with_process(|process| process.want(*request, now)),
            Effect::Unwant(slot) => self.with_process(|process| process.unwant(&key(slot))),
            Effect::Penalize { scope, kind, until } => {
                let call = self.scope_of(id);
                self.with_process(|process| {
                    process.pacing.penalize(&call, scope, kind, until, now)
                });
            }
            Effect::DraftOpened(post) => {
                let (scope, limits) = (self.scope_of(id), self.capabilities.limits.clone());
                let key = key(Slot::Post(post));
                self.with_process(|process| {
                    let edit = talaria_types::CallKind::Edit;
                    process.pacing.draft_opened(key, edit, &scope, &limits);
                });
            }
            Effect::DraftClosed(post) => {
                let key = key(Slot::Post(post));
                self.with_process(|process| process.pacing.draft_closed(&key));
            }
        }
        Ok(())
    }

    fn with_process(&mut self, act: impl FnOnce(&mut Process)) {
        if let Some(process) = &mut self.process {
            act(process);
        }
    }

    fn scope_of(&self, id: &ConversationId) -> CallScope {
        let chat = id.as_str().rsplit('/').next().unwrap_or("0");
        CallScope::new(&place_of(&talaria_types::ChatId::new(chat)), None)
    }

    fn send(&mut self, id: &ConversationId, slot: Slot, call: PlatformCall) -> Flow {
        let choke = Choke::Call(call.action.kind());
        self.pass(CrashPoint(choke, Side::Before))?;
        self.stats
            .count(format!("call: {}", call.action.kind().name()));
        self.leaves(&slot, &call)?;
        self.flying
            .push(Flying::new(id.clone(), slot, call, self.now));
        self.pass(CrashPoint(choke, Side::After))
    }

    /// Commits; the crash points are before it is durable and after it.
    pub(crate) fn commit(&mut self, kind: CommitKind, changes: Changes) -> Flow {
        let choke = Choke::Commit(kind);
        self.pass(CrashPoint(choke, Side::Before))?;
        let Some(process) = &self.process else {
            return Ok(());
        };
        self.stats.count(format!("commit: {}", kind.name()));
        let before = self.before(&changes);
        let puts = changes.puts.clone();
        let batch = Batch {
            epoch: process.epoch.clone(),
            class: if kind == CommitKind::Accept {
                Class::Intake
            } else {
                Class::Settle
            },
            preconditions: changes.preconditions,
            puts: changes.puts,
            removes: changes.removes,
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "the world's one choke point of commits, as the runtime has one"
        )]
        let result = commit_blocking(&self.store, batch);
        result.map_err(|error| {
            self.fail(
                Promise::Ledger,
                format!("{} is refused: {error}", kind.name()),
            )
        })?;
        self.check_commit(&before, puts)?;
        self.pass(CrashPoint(choke, Side::After))
    }

    fn note(&mut self, note: &Note) -> Flow {
        let name = match note {
            Note::TurnStarted { .. } => "note: turn started".to_owned(),
            Note::TurnContinued { .. } => "note: turn continued".to_owned(),
            Note::TurnSettled { outcome, .. } => format!("turn: {outcome:?}"),
            Note::ModelFailed { .. } => "note: model failed".to_owned(),
            Note::PostSettled { how, .. } => format!("post: {how:?}")
                .split([' ', '{'])
                .take(2)
                .collect::<Vec<_>>()
                .join(" "),
            Note::PostRepeated { .. } => "note: post repeated".to_owned(),
            Note::CallFailed { .. } => "note: call failed".to_owned(),
            Note::RemovalRefused { .. } => "note: removal refused".to_owned(),
            Note::StaleAnswer { .. } => "note: stale answer".to_owned(),
            Note::InboundDenied => "note: inbound denied".to_owned(),
        };
        self.stats.count(name);
        Ok(())
    }

    pub(crate) fn model_says(&mut self, pick: u16, act: ModelAct) -> bool {
        let Some(process) = &mut self.process else {
            return false;
        };
        let count = process.streams.len();
        let Some(stream) = process.streams.get_mut(usize::from(pick) % count.max(1)) else {
            return false;
        };
        let events = stream.act(act);
        let (turn, ask, id) = (stream.turn, stream.ask, stream.conversation.clone());
        self.books.said(stream);
        process.streams.retain(|stream| !stream.over);
        if let Some(host) = process.hosts.get_mut(&id) {
            for event in events {
                host.push(Input::Model { turn, ask, event });
            }
        }
        true
    }

    pub(crate) fn tool_returns(&mut self, pick: u16, error: bool) -> bool {
        let Some(process) = &mut self.process else {
            return false;
        };
        if process.tools.is_empty() {
            return false;
        }
        let tool = process
            .tools
            .remove(usize::from(pick) % process.tools.len());
        if let Some(host) = process.hosts.get_mut(&tool.conversation) {
            host.push(Input::ToolDone {
                turn: tool.turn,
                step: tool.step,
                call: tool.call,
                result: ToolResult {
                    content: format!("r{}", tool.tool_use_id),
                    tool_use_id: tool.tool_use_id,
                    is_error: error,
                },
            });
        }
        true
    }

    pub(crate) fn leave(&mut self, pick: u16) -> bool {
        let Some(process) = &mut self.process else {
            return false;
        };
        let idle: Vec<ConversationId> = process
            .hosts
            .iter()
            .filter(|(_, host)| {
                !host.has_mail()
                    && host.wake.is_none()
                    && host.machine.as_ref().is_some_and(Conversation::is_idle)
            })
            .map(|(id, _)| id.clone())
            .collect();
        let Some(id) = idle.get(usize::from(pick) % idle.len().max(1)) else {
            return false;
        };
        process.hosts.remove(id);
        true
    }

    /// A post as the ledger has it.
    pub(crate) fn post(&self, post: PostId) -> Option<PostRecord> {
        let key = talaria_ledger::keys::post(&self.account, post);
        talaria_core::snapshot::get(&self.store, &key)
            .ok()
            .flatten()
    }
}

/// An effect for the trace: of a commit, the posts as they are written.
fn shown(effect: &Effect) -> String {
    match effect {
        Effect::Commit { kind, changes } => {
            let mut line = format!("commit {}", kind.name());
            for (_, value) in &changes.puts {
                if let Ok(post) = talaria_ledger::record::decode::<PostRecord>(value) {
                    line.push_str(&format!(
                        "; post {} incarnation {} {:?} {:?} attempt {:?} extra {:?} labelled {} settled {:?}",
                        post.id, post.incarnation, post.wanted, post.known, post.attempt, post.extra, post.labelled, post.settled
                    ));
                }
            }
            line
        }
        Effect::Ask { turn, ask, .. } => format!("ask {turn} {ask}"),
        Effect::Want(request) => format!(
            "want {:?} {:?} {:?} not before {:?}",
            request.key.slot, request.class, request.kind, request.not_before
        ),
        other => format!("{other:?}"),
    }
}

/// The message that an input tells the gateway of.
fn told_by(input: &Input) -> Option<Handle> {
    match input {
        Input::CallDone {
            slot: Slot::Post(_),
            outcome: Ok(receipt),
            ..
        } => receipt.handle.clone().or(match &receipt.proof {
            Some(talaria_types::outcome::Proof::Present(handle)) => Some(handle.clone()),
            _ => None,
        }),
        Input::Evidence { handle, .. } => Some(handle.clone()),
        _ => None,
    }
}

/// Values under the keys of a commit before it.
pub(crate) type Before = BTreeMap<Vec<u8>, Vec<u8>>;

impl World {
    fn before(&self, changes: &Changes) -> Before {
        changes
            .puts
            .iter()
            .filter_map(|(key, _)| {
                let value = self.store.get(key).ok().flatten()?;
                Some((key.clone(), value))
            })
            .collect()
    }
}
