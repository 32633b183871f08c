//! Step 8 of the path: which conversation may make which call now. The pure [`Pacing`] behind a
//! lock, and a task that waits for its next moment.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use talaria_core::io::Input;
use talaria_core::pacing::{CallScope, Class, Pacing, Request, SlotKey};
use talaria_types::{CallKind, ConversationId, FailureScope, Limit, Mono};
use tokio::sync::Notify;
use tracing::warn;

use crate::clock::Clock;
use crate::mailbox::Mailbox;

#[derive(Clone)]
pub struct Scheduler(Arc<Inner>);

struct Inner {
    clock: Clock,
    state: Mutex<State>,
    /// The next moment changed.
    changed: Notify,
}

struct State {
    pacing: Pacing,
    mailboxes: BTreeMap<ConversationId, Mailbox>,
    /// First drafts whose finishing call can't be reserved yet.
    held: BTreeMap<SlotKey, Request>,
    /// The gateway shuts down: no call leaves any more.
    closed: bool,
}

impl Scheduler {
    #[must_use]
    pub fn new(clock: Clock, resumed: bool) -> Self {
        let pacing = if resumed {
            Pacing::resumed(clock.now().mono)
        } else {
            Pacing::new()
        };
        let state = State {
            pacing,
            mailboxes: BTreeMap::new(),
            held: BTreeMap::new(),
            closed: false,
        };
        Self(Arc::new(Inner {
            clock,
            state: Mutex::new(state),
            changed: Notify::new(),
        }))
    }

    pub fn register(&self, conversation: ConversationId, mailbox: Mailbox) {
        self.state().mailboxes.insert(conversation, mailbox);
    }

    /// Lets no call leave any more. What waits is in the ledger.
    pub fn close(&self) {
        self.state().closed = true;
        self.0.changed.notify_one();
    }

    /// Forgets a conversation's mailbox: its task has left, idle.
    pub fn forget(&self, conversation: &ConversationId) {
        self.state().mailboxes.remove(conversation);
    }

    pub fn want(&self, request: Request) {
        let now = self.0.clock.now().mono;
        let mut state = self.state();
        if request.class == Class::FirstDraft && !state.may_open(&request, now) {
            state.pacing.unwant(&request.key);
            state.held.insert(request.key.clone(), request);
        } else {
            state.held.remove(&request.key);
            state.pacing.want(request, now);
        }
        self.grant(state, now);
    }

    pub fn unwant(&self, key: &SlotKey) {
        let mut state = self.state();
        state.held.remove(key);
        state.pacing.unwant(key);
    }

    pub fn penalize(&self, scope: &CallScope, part: FailureScope, kind: CallKind, until: Mono) {
        let now = self.0.clock.now().mono;
        let mut state = self.state();
        state.pacing.penalize(scope, part, kind, until, now);
        self.grant(state, now);
    }

    pub fn draft_opened(&self, key: SlotKey, scope: &CallScope, limits: &[Limit]) {
        self.state()
            .pacing
            .draft_opened(key, CallKind::Edit, scope, limits);
    }

    pub fn draft_closed(&self, key: &SlotKey) {
        let now = self.0.clock.now().mono;
        let mut state = self.state();
        state.pacing.draft_closed(key);
        self.grant(state, now);
    }

    /// Grants what may leave when its time comes. Runs until the process ends.
    pub async fn run(&self) {
        loop {
            let changed = self.0.changed.notified();
            let next = {
                let state = self.state();
                if state.closed {
                    return;
                }
                state.pacing.next_at(self.0.clock.now().mono)
            };
            match next {
                Some(at) => {
                    tokio::select! {
                        () = tokio::time::sleep_until(self.0.clock.instant(at)) => {}
                        () = changed => continue,
                    }
                }
                None => {
                    changed.await;
                    continue;
                }
            }
            let now = self.0.clock.now().mono;
            let state = self.state();
            self.grant(state, now);
        }
    }

    fn grant(&self, mut state: MutexGuard<'_, State>, now: Mono) {
        if state.closed {
            return;
        }
        state.release_held(now);
        for key in state.pacing.poll(now) {
            let Some(mailbox) = state.mailboxes.get(&key.conversation) else {
                continue;
            };
            if !mailbox.try_send(Input::Granted(key.slot.clone())) && !mailbox.is_closed() {
                warn!(conversation.id = %key.conversation, "a grant found a full mailbox");
            }
        }
        drop(state);
        self.0.changed.notify_one();
    }

    /// A panic while the lock was held leaves a scheduler that is still consistent: every change
    /// is one call of the pure core.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn may_open(&self, request: &Request, now: Mono) -> bool {
        self.pacing
            .may_open_draft(CallKind::Edit, &request.scope, &request.limits, now)
    }

    fn release_held(&mut self, now: Mono) {
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
    }
}
