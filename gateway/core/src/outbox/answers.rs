//! What came back from a call, and what was seen in passing.

use std::time::Duration;

use talaria_ledger::apply::Applied;
use talaria_ledger::records::{Known, PostRecord, Rev, Wanted};
use talaria_types::crash::CommitKind;
use talaria_types::{
    CallKind, CallOutcome, Certainty, Failure, FailureKind, Fence, Handle, PostId, Receipt, Retry,
};

use super::item::Item;
use super::{Outbox, Place};
use crate::context::Context;
use crate::io::{Effect, Note};

/// How long a post waits after the platform refused the credentials.
const UNAUTHORIZED_PAUSE: Duration = Duration::from_secs(30);

impl Outbox {
    /// A call came back.
    pub(crate) fn answered(
        &mut self,
        id: PostId,
        fence: Fence,
        outcome: &CallOutcome,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) {
        let Some(place) = self.place_of(id) else {
            // An answer that comes after the post was settled: only its message id counts (P7).
            if let Ok(Receipt {
                handle: Some(handle),
                ..
            }) = outcome
            {
                self.evidence(id, None, handle);
            }
            return;
        };
        match outcome {
            Ok(receipt) => self.succeeded(place, fence, receipt, cx, out),
            Err(failure) => self.failed(place, fence, failure, cx, out),
        }
    }

    /// P7: a message id that belongs to a post is always recorded, also after the post was
    /// settled. `record` is what the ledger has of it.
    pub(crate) fn evidence(&mut self, id: PostId, record: Option<PostRecord>, handle: &Handle) {
        if self.former.contains(handle) {
            return;
        }
        let known = self.place_of(id);
        if let Some(item) = known.and_then(|place| self.items.get_mut(&place)) {
            item.post.evidence(handle);
            item.dirty = Some(CommitKind::Receipt);
            return;
        }
        let Some(before) = self.recent.remove(&id).or(record) else {
            return;
        };
        let mut post = before.clone();
        post.evidence(handle);
        if post == before {
            self.recent.insert(id, post);
            return;
        }
        let mut item = Item::new(post);
        item.dirty = Some(CommitKind::Receipt);
        self.items.insert((item.post.reply, id), item);
    }

    fn succeeded(
        &mut self,
        place: Place,
        fence: Fence,
        receipt: &Receipt,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) {
        let Some(item) = self.items.get_mut(&place) else {
            return;
        };
        let current = item.post.attempt.as_ref().is_some_and(|a| a.fence == fence);
        if !current
            && receipt
                .handle
                .as_ref()
                .is_some_and(|handle| self.former.contains(handle))
        {
            // A late answer about a message that is removed says nothing.
            let post = item.post.id;
            out.push(Effect::Note(Note::StaleAnswer { post, fence }));
            return;
        }
        let call = item.post.attempt.as_ref().map(|attempt| attempt.call);
        let rev = item.post.attempt.as_ref().map(|attempt| attempt.rev);
        let applied = item
            .post
            .acknowledge(fence, receipt, cx.capabilities.update);
        if applied == Applied::Stale {
            out.push(Effect::Note(Note::StaleAnswer {
                post: item.post.id,
                fence,
            }));
            item.dirty = Some(CommitKind::Receipt);
            return;
        }
        item.in_flight = None;
        item.failures = 0;
        item.not_before = None;
        let sent = item.sending.take();
        match call {
            Some(CallKind::Create | CallKind::Complete) => {
                // Evidence of another message may have come first: this one is the extra then.
                let its_own = item.post.handle() == receipt.handle.as_ref();
                item.shown = sent.filter(|_| its_own);
                item.created(cx.now.mono);
                item.dirty = Some(CommitKind::Receipt);
                self.last_shown = Some(cx.now.mono);
            }
            Some(CallKind::Edit | CallKind::Append) => {
                item.shown = sent;
                if matches!(rev, Some(Rev::Sealed(_))) {
                    item.dirty = Some(CommitKind::Receipt);
                }
                self.last_shown = Some(cx.now.mono);
            }
            Some(CallKind::Close | CallKind::Delete | CallKind::Prove) => {
                item.shown = None;
                item.dirty = Some(CommitKind::Receipt);
            }
            Some(
                CallKind::Upload
                | CallKind::Signal
                | CallKind::React
                | CallKind::Answer
                | CallKind::Read
                | CallKind::Setup,
            )
            | None => {}
        }
        if Item::appends(cx) && call == Some(CallKind::Close) {
            item.shown = None;
        }
    }

    fn failed(
        &mut self,
        place: Place,
        fence: Fence,
        failure: &Failure,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) {
        let Some(item) = self.items.get_mut(&place) else {
            return;
        };
        let Some(attempt) = item.post.attempt.clone() else {
            return;
        };
        let recorded = matches!(
            attempt.call,
            CallKind::Create | CallKind::Complete | CallKind::Close
        );
        let before = item.post.known.clone();
        let removing = item.post.extra.first().cloned();
        let applied = item.post.fail(fence, failure, cx.now.wall);
        if applied == Applied::Stale {
            out.push(Effect::Note(Note::StaleAnswer {
                post: item.post.id,
                fence,
            }));
            return;
        }
        item.in_flight = None;
        let sent = item.sending.take();
        let kind = attempt.call;
        out.push(Effect::Note(Note::CallFailed {
            post: item.post.id,
            kind,
            detail: failure.to_string(),
        }));
        if recorded || item.post.known != before || item.post.is_settled() {
            item.dirty = Some(CommitKind::Receipt);
        }
        match failure.certainty {
            Certainty::MaybeSent => item.note_lost(cx),
            Certainty::Sent => item.shown = sent,
            Certainty::NotSent => {}
        }
        match applied {
            Applied::Plainer => make_plainer(item, cx),
            Applied::Again => pause(item, kind, failure, cx, out),
            Applied::Held => item.held = true,
            Applied::Done => {
                if kind == CallKind::Delete
                    && let Some(handle) = removing
                {
                    let post = item.post.id;
                    out.push(Effect::Note(Note::RemovalRefused { post, handle }));
                }
            }
            Applied::Stale => {}
        }
    }
}

/// A plainer rendering is a new revision, committed before it is sent (P4).
fn make_plainer(item: &mut Item, cx: &Context) {
    match &item.post.wanted {
        Wanted::Sealed { body, .. } => {
            let plain = cx.renderer.plainer(body);
            item.post.seal(plain);
            item.post.plainer = true;
            item.revised();
        }
        Wanted::Live => {
            // Once: a draft that is refused without format too is held until the seal.
            item.plain_draft = true;
            item.post.plainer = true;
        }
        Wanted::Absent => {}
    }
}

/// A failed call is a call that may not leave before its time.
fn pause(item: &mut Item, kind: CallKind, failure: &Failure, cx: &Context, out: &mut Vec<Effect>) {
    let asked = match failure.retry {
        Retry::After(after) => after,
        Retry::OnReconnect => Duration::from_secs(5),
        Retry::Now | Retry::Never => Duration::ZERO,
    };
    if failure.kind == FailureKind::RateLimited {
        let until = cx.now.mono + asked;
        item.not_before = Some(until);
        out.push(Effect::Penalize {
            scope: failure.scope,
            kind,
            until,
        });
        return;
    }
    item.failures = item.failures.saturating_add(1);
    let step = Duration::from_millis(250 << item.failures.min(8));
    let own = if failure.kind == FailureKind::Unauthorized {
        // Nothing but the operator helps.
        UNAUTHORIZED_PAUSE
    } else if item.failures == 1 && matches!(item.post.known, Known::Here { .. }) {
        // The first repeat of an edit goes at once: its answer is what people wait for.
        Duration::from_millis(100)
    } else {
        step.min(Duration::from_secs(60))
    };
    item.not_before = Some(cx.now.mono + asked.max(own));
}
