//! One post in the reconciler: the record, and what only this process knows of it.

use std::time::Duration;

use talaria_ledger::records::{Known, PostKind, PostRecord, Rev, Wanted};
use talaria_ledger::transition::{AttemptState, Content, Facts, Next, removable};
use talaria_types::crash::CommitKind;
use talaria_types::{Body, CallKind, Fence, Mono, UpdateClass};

use crate::context::Context;
use crate::io::Effect;
use crate::pacing::{CallScope, Class, Request, Slot, SlotKey};

#[derive(Debug)]
pub(super) struct Item {
    pub(super) post: PostRecord,
    /// What a live post should show.
    pub(super) live: Option<Body>,
    /// What its message shows, as far as this process knows.
    pub(super) shown: Option<Body>,
    /// What the call in flight sends.
    pub(super) sending: Option<Body>,
    /// The call in flight, also where the record does not keep it (draft edits).
    pub(super) in_flight: Option<(Fence, Mono)>,
    /// When the connection of the unresolved create ended.
    pub(super) lost_at: Option<Mono>,
    /// Until then an edit with an unknown outcome may still land.
    pub(super) echo_until: Option<Mono>,
    pub(super) not_before: Option<Mono>,
    pub(super) failures: u32,
    /// The format was refused while it was a draft.
    pub(super) plain_draft: bool,
    /// It was refused for good, or given up, while it was a draft: nothing before the seal.
    pub(super) held: bool,
    /// What was asked of the scheduler.
    wanted_slot: Option<(Class, CallKind)>,
    pub(super) draft_open: bool,
    /// A crashed process left it: its next call is counted (P13).
    pub(super) count_recovery: bool,
    /// Something changed that is not written yet, and what the commit is for.
    pub(super) dirty: Option<CommitKind>,
    created_at: Option<Mono>,
}

impl Item {
    pub(super) fn new(post: PostRecord) -> Self {
        Self {
            post,
            live: None,
            shown: None,
            sending: None,
            in_flight: None,
            lost_at: None,
            echo_until: None,
            not_before: None,
            failures: 0,
            plain_draft: false,
            held: false,
            wanted_slot: None,
            draft_open: false,
            count_recovery: false,
            dirty: None,
            created_at: None,
        }
    }

    /// Another process wrote the record: what it showed last is unknown, its calls are lost.
    pub(super) fn restored(&mut self, crashed: bool, cx: &Context) {
        self.count_recovery = crashed;
        if let Known::Here { rev, .. } = &mut self.post.known {
            if *rev == Rev::Live {
                *rev = Rev::Unknown;
            }
            // An edit of the old process may still be on its way: edits are not recorded before.
            self.echo_until = Some(cx.now.mono + cx.settings.horizon);
        }
        // The connections of that process ended with it: not before now, as far as we know.
        if self.post.attempt.is_some() || matches!(self.post.known, Known::Unresolved { .. }) {
            self.lost_at = Some(cx.now.mono);
        }
    }

    pub(super) fn revised(&mut self) {
        self.dirty = Some(CommitKind::Revise);
        self.shown = None;
        self.not_before = None;
    }

    pub(super) fn expired(&self, cx: &Context) -> bool {
        matches!(self.post.wanted, Wanted::Sealed { .. })
            && self.post.created.age(cx.now.wall) > cx.settings.max_age
            && self.in_flight.is_none()
    }

    /// The body that the post should show, if there is one.
    pub(super) fn wanted_body(&self) -> Option<&Body> {
        match &self.post.wanted {
            Wanted::Live => self.live.as_ref(),
            Wanted::Sealed { body, .. } => Some(body),
            Wanted::Absent => None,
        }
    }

    pub(super) fn wanted_rev(&self) -> Rev {
        match &self.post.wanted {
            Wanted::Sealed { rev, .. } => Rev::Sealed(*rev),
            Wanted::Live | Wanted::Absent => Rev::Live,
        }
    }

    pub(super) fn facts(&mut self, permitted: bool, cx: &Context) -> Facts {
        let now = cx.now.mono;
        let attempt = match (&self.in_flight, &self.post.attempt) {
            (Some((_, deadline)), _) if now < *deadline => AttemptState::InFlight,
            (Some(_), _) | (None, Some(_)) => AttemptState::Lost,
            (None, None) => AttemptState::None,
        };
        let age = self.post.created.age(cx.now.wall);
        let echo_pending = self.echo_until.is_some_and(|until| now < until);
        self.settle_echo(now);
        self.settle_unchangeable(cx.capabilities.update);
        Facts {
            attempt,
            create: cx.capabilities.create,
            update: cx.capabilities.update,
            removable: removable(cx.capabilities.remove, age),
            content: self.content(),
            permitted,
            horizon_passed: self
                .lost_at
                .is_none_or(|at| now.since(at) >= cx.settings.horizon),
            echo_pending,
            near_end_of_life: match (cx.capabilities.life, self.created_at) {
                (Some(life), Some(at)) if !self.is_held() => {
                    now.since(at) + Duration::from_secs(10) > life
                }
                (Some(_), _) | (None, _) => false,
            },
        }
    }

    /// An edit that followed an unresolved one is sent once more after the horizon; only that
    /// answer settles the post. Drafts too: the seal may find nothing to change in one.
    fn settle_echo(&mut self, now: Mono) {
        if self.echo_until.is_some_and(|until| now >= until) {
            self.echo_until = None;
            if let Known::Here { rev, .. } = &mut self.post.known {
                *rev = Rev::Unknown;
                self.shown = None;
            }
        }
    }

    /// A message that can't be changed shows what its create sent. One that was found is that
    /// message; making it anew would be a copy (P6).
    fn settle_unchangeable(&mut self, update: UpdateClass) {
        if let (UpdateClass::None, Known::Here { rev, .. }, Wanted::Sealed { rev: wanted, .. }) =
            (update, &mut self.post.known, &self.post.wanted)
            && *rev == Rev::Unknown
        {
            *rev = Rev::Sealed(*wanted);
            self.post.acknowledged = Some(*wanted);
        }
    }

    /// A draft that is not tried any more.
    fn is_held(&self) -> bool {
        self.held && self.post.wanted == Wanted::Live
    }

    fn content(&mut self) -> Content {
        if self.is_held() {
            return Content::Nothing;
        }
        let Some(body) = self.wanted_body().cloned() else {
            return Content::Nothing;
        };
        let sealed = match &self.post.wanted {
            Wanted::Sealed { rev, .. } => Some(*rev),
            Wanted::Live | Wanted::Absent => None,
        };
        let Known::Here { rev, .. } = &mut self.post.known else {
            return if body.text.trim().is_empty() {
                Content::Nothing
            } else {
                Content::Rewritten
            };
        };
        if let (Some(wanted), Rev::Sealed(shown)) = (sealed, *rev)
            && wanted == shown
        {
            return Content::Same;
        }
        match &self.shown {
            None => Content::Unknown,
            Some(shown) if *shown == body => {
                // The last draft was the final text already: acknowledged, nothing to send.
                if let Some(wanted) = sealed {
                    *rev = Rev::Sealed(wanted);
                    self.post.acknowledged = Some(wanted);
                }
                Content::Same
            }
            Some(shown) if body.text.starts_with(&shown.text) => Content::Extends,
            Some(_) => Content::Rewritten,
        }
    }

    pub(super) fn lose_attempt(&mut self, cx: &Context) {
        let recorded = self.post.attempt.is_some();
        if self.in_flight.take().is_some() || recorded {
            self.sending = None;
            if recorded {
                self.post.lose_attempt();
                self.dirty = Some(CommitKind::Receipt);
            }
            self.note_lost(cx);
        }
    }

    /// A call ended without an answer, now.
    pub(super) fn note_lost(&mut self, cx: &Context) {
        match &mut self.post.known {
            Known::Unresolved { .. } => self.lost_at = Some(cx.now.mono),
            Known::Here { rev, .. } => {
                *rev = Rev::Unknown;
                self.shown = None;
                self.echo_until = Some(cx.now.mono + cx.settings.horizon);
            }
            Known::None | Known::Staged { .. } | Known::Gone { .. } => {}
        }
    }

    pub(super) fn created(&mut self, now: Mono) {
        self.created_at = Some(now);
    }

    /// When this post needs a look without an event.
    pub(super) fn wake_at(&self, cx: &Context) -> Option<Mono> {
        let horizon = match &self.post.known {
            Known::Unresolved { .. } => self.lost_at.map(|at| at + cx.settings.horizon),
            Known::None | Known::Staged { .. } | Known::Here { .. } | Known::Gone { .. } => None,
        };
        let deadline = self.in_flight.as_ref().map(|(_, deadline)| *deadline);
        [horizon, deadline, self.echo_until]
            .into_iter()
            .flatten()
            .filter(|at| *at > cx.now.mono)
            .min()
    }

    /// Asks the scheduler for the call, unless it waits for the same one already.
    pub(super) fn want(&mut self, action: &Next, cx: &Context, out: &mut Vec<Effect>) {
        let kind = call_kind(action);
        let class = self.class(kind);
        if self.wanted_slot == Some((class, kind)) {
            return;
        }
        self.wanted_slot = Some((class, kind));
        let handle = self.post.handle();
        out.push(Effect::Want(Box::new(Request {
            key: SlotKey {
                conversation: self.post.conversation.clone(),
                slot: Slot::Post(self.post.id),
            },
            class,
            kind,
            scope: CallScope::new(
                &self.post.place,
                handle.map(|handle| handle.message.clone()),
            ),
            limits: cx.capabilities.limits.clone(),
            not_before: self.not_before,
        })));
    }

    pub(super) fn unwant(&mut self, out: &mut Vec<Effect>) {
        if self.wanted_slot.take().is_some() {
            out.push(Effect::Unwant(Slot::Post(self.post.id)));
        }
    }

    /// A call of this post waits to leave or is on its way.
    pub(super) fn has_call(&self) -> bool {
        self.wanted_slot.is_some() || self.in_flight.is_some()
    }

    /// The scheduler consumed the wish.
    pub(super) fn slot_used(&mut self) {
        self.wanted_slot = None;
    }

    fn class(&self, kind: CallKind) -> Class {
        match (&self.post.kind, &self.post.wanted) {
            (PostKind::Approval | PostKind::Command, _) => Class::Urgent,
            (_, Wanted::Live) if kind == CallKind::Create => Class::FirstDraft,
            (_, Wanted::Live) => Class::Draft,
            (
                PostKind::Answer | PostKind::Status | PostKind::Notice | PostKind::File,
                Wanted::Sealed { .. } | Wanted::Absent,
            ) => Class::Sealed,
        }
    }

    pub(super) fn close_draft(&mut self, out: &mut Vec<Effect>) {
        if std::mem::take(&mut self.draft_open) {
            out.push(Effect::DraftClosed(self.post.id));
        }
    }

    /// Whether a create here makes a message that grows by appending.
    pub(super) fn appends(cx: &Context) -> bool {
        cx.capabilities.update == UpdateClass::Append
    }
}

pub(super) fn call_kind(action: &Next) -> CallKind {
    match action {
        Next::Create => CallKind::Create,
        Next::Complete => CallKind::Complete,
        Next::Append => CallKind::Append,
        Next::Close => CallKind::Close,
        Next::Prove => CallKind::Prove,
        Next::Remove(_) => CallKind::Delete,
        Next::Replace => CallKind::Edit,
        Next::Wait
        | Next::LoseAttempt
        | Next::ShowLife
        | Next::Repeat
        | Next::Settle(_)
        | Next::Forget
        | Next::Stub
        | Next::Supersede
        | Next::Recreate => CallKind::Edit,
    }
}
