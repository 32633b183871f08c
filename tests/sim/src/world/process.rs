//! One process of the gateway: the machines, their mailboxes, the scheduler, and what it has
//! running. Everything here is lost in a crash. The order of things is the runtime's.

use std::collections::{BTreeMap, VecDeque};

use talaria_core::Conversation;
use talaria_core::io::Input;
use talaria_core::pacing::{Pacing, Request, SlotKey};
use talaria_ledger::store::Epoch;
use talaria_types::{CallKind, ConversationId, Mono, Seq};

use super::model::{Running, Stream};

/// A conversation's task.
#[derive(Debug)]
pub(crate) struct Host {
    /// `None` while it handles an input.
    pub(crate) machine: Option<Conversation>,
    pub(crate) signals: VecDeque<Input>,
    pub(crate) events: VecDeque<Input>,
    pub(crate) wake: Option<Mono>,
}

impl Host {
    pub(crate) fn new(machine: Conversation) -> Self {
        Self {
            machine: Some(machine),
            signals: VecDeque::new(),
            events: VecDeque::new(),
            wake: None,
        }
    }

    /// As the runtime's mailbox sorts.
    pub(crate) fn push(&mut self, input: Input) {
        match input {
            Input::Granted(_) | Input::CallDone { .. } | Input::Evidence { .. } | Input::Wake => {
                self.signals.push_back(input);
            }
            Input::Start
            | Input::Inbound(_)
            | Input::Posted(_)
            | Input::Model { .. }
            | Input::ToolDone { .. } => self.events.push_back(input),
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Input> {
        self.signals.pop_front().or_else(|| self.events.pop_front())
    }

    pub(crate) fn has_mail(&self) -> bool {
        !self.signals.is_empty() || !self.events.is_empty()
    }
}

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) epoch: Epoch,
    pub(crate) after_crash: bool,
    sequence: u64,
    pub(crate) hosts: BTreeMap<ConversationId, Host>,
    pub(crate) pacing: Pacing,
    held: BTreeMap<SlotKey, Request>,
    pub(crate) streams: Vec<Stream>,
    pub(crate) tools: Vec<Running>,
}

impl Process {
    pub(crate) fn new(epoch: Epoch, after_crash: bool, now: Mono) -> Self {
        let sequence = epoch.number << 32;
        Self {
            epoch,
            after_crash,
            sequence,
            hosts: BTreeMap::new(),
            pacing: if after_crash {
                Pacing::resumed(now)
            } else {
                Pacing::new()
            },
            held: BTreeMap::new(),
            streams: Vec::new(),
            tools: Vec::new(),
        }
    }

    pub(crate) fn next_seq(&mut self) -> Seq {
        self.sequence += 1;
        Seq(self.sequence)
    }

    pub(crate) fn want(&mut self, request: Request, now: Mono) {
        if request.class == talaria_core::pacing::Class::FirstDraft && !self.may_open(&request, now)
        {
            self.pacing.unwant(&request.key);
            self.held.insert(request.key.clone(), request);
        } else {
            self.held.remove(&request.key);
            self.pacing.want(request, now);
        }
    }

    pub(crate) fn unwant(&mut self, key: &SlotKey) {
        self.held.remove(key);
        self.pacing.unwant(key);
    }

    fn may_open(&self, request: &Request, now: Mono) -> bool {
        self.pacing
            .may_open_draft(CallKind::Edit, &request.scope, &request.limits, now)
    }

    /// Lets go what may leave now: into the mailboxes.
    pub(crate) fn grant(&mut self, now: Mono) {
        let ready: Vec<SlotKey> = self
            .held
            .iter()
            .filter(|(_, request)| self.may_open(request, now))
            .map(|(key, _)| key.clone())
            .collect();
        for key in ready {
            if let Some(request) = self.held.remove(&key) {
                self.pacing.want(request, now);
            }
        }
        for key in self.pacing.poll(now) {
            if let Some(host) = self.hosts.get_mut(&key.conversation) {
                host.push(Input::Granted(key.slot));
            }
        }
    }

    pub(crate) fn has_mail(&self) -> bool {
        self.hosts.values().any(Host::has_mail)
    }
}
