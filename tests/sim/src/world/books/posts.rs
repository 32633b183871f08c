//! Posts as they are written, and calls as they leave.

use talaria_core::snapshot::scan_all;
use talaria_ledger::keys;
use talaria_ledger::records::{Known, PostKind, PostRecord, Settlement, Wanted};
use talaria_types::{Action, Body, PlatformCall, PostId};

use super::super::{Flow, World};
use super::REFUSALS;
use crate::render::bare;
use crate::violation::{Promise, Violation};

impl World {
    pub(super) fn post_written(&mut self, old: Option<&Vec<u8>>, value: &[u8]) -> Flow {
        let new: PostRecord = self.read(value)?;
        let old: Option<PostRecord> = old.map(|old| self.read(old)).transpose()?;
        let id = new.id;
        if let Wanted::Sealed { rev, body } = &new.wanted {
            let first = self
                .books
                .bodies
                .entry((id, *rev))
                .or_insert_with(|| body.clone());
            if first != body {
                let detail = format!("post {id}, revision {rev}: other bytes than before");
                return Err(self.fail(Promise::P4, detail).into());
            }
            if body.text != talaria_core::wording::STUB {
                let text = bare(&body.text);
                let known = self.books.texts.entry(id).or_insert_with(|| text.clone());
                if *known != text {
                    let detail = format!("post {id}: revision {rev} says something else");
                    return Err(self.fail(Promise::P4, detail).into());
                }
            }
        }
        if let Some(old) = old {
            let fell = match (&old.wanted, &new.wanted) {
                (Wanted::Sealed { .. } | Wanted::Absent, Wanted::Live) => true,
                (Wanted::Sealed { rev: a, .. }, Wanted::Sealed { rev: b, .. }) => b < a,
                _ => false,
            };
            if fell {
                let detail = format!("post {id} goes back to an older revision");
                return Err(self.fail(Promise::P7, detail).into());
            }
        }
        self.settled_post(&new)
    }

    /// Where nothing can be edited, a message that was found keeps its label or goes without.
    pub(crate) fn same_text(&self, shown: &str, wanted: &str) -> bool {
        shown == wanted
            || (self.capabilities.update == talaria_types::UpdateClass::None
                && bare(shown) == bare(wanted))
    }

    /// "Delivered" is true: the message shows the sealed bytes.
    fn settled_post(&mut self, post: &PostRecord) -> Flow {
        let Some(settled) = &post.settled else {
            return Ok(());
        };
        let Wanted::Sealed { body, .. } = &post.wanted else {
            return Ok(());
        };
        let shown = |seen: bool| {
            self.platform.of_post(post.id).any(|message| {
                (!seen || post.handle() == Some(&message.handle))
                    && (message.taken
                        || !message.visible
                        || self.same_text(&message.body.text, &body.text))
            })
        };
        let wrong = match settled.how {
            Settlement::Delivered => !shown(true),
            Settlement::DeliveredUnseen => !shown(false),
            _ => false,
        };
        if wrong {
            let seen: Vec<_> = self
                .platform
                .of_post(post.id)
                .map(|m| (m.handle.to_string(), m.visible, &m.body.text))
                .collect();
            let detail = format!("post {} counts as delivered; shown is {seen:?}", post.id);
            return Err(self.fail(Promise::P6, detail).into());
        }
        Ok(())
    }

    /// A call for a post leaves: what the ledger says of it.
    pub(crate) fn check_call(&self, post: PostId, call: &PlatformCall) -> Result<(), Violation> {
        let kind = call.action.kind();
        let Some(record) = self.post(post) else {
            let detail = format!("post {post}: {kind:?} leaves, the ledger has no such post");
            return Err(self.fail(Promise::P6, detail));
        };
        if let Some(settled) = &record.settled {
            let detail = format!("post {post}: {kind:?} leaves after {:?}", settled.how);
            return Err(self.fail(Promise::P10, detail));
        }
        if self.books.refusals(post) > REFUSALS {
            let detail = format!("post {post}: refused for good again and again");
            return Err(self.fail(Promise::P10, detail));
        }
        let intent = record.attempt.as_ref().map(|attempt| attempt.fence);
        let recorded = matches!(
            call.action,
            Action::Create { .. } | Action::Complete { .. } | Action::Close { .. }
        );
        if recorded && intent != Some(call.fence) {
            let detail = format!("post {post}: {kind:?} leaves before its intent is durable");
            return Err(self.fail(Promise::P6, detail));
        }
        match &call.action {
            Action::Create { body, .. } => {
                if record.known != Known::None {
                    let detail = format!("post {post}: created while it is {:?}", record.known);
                    return Err(self.fail(Promise::P6, detail));
                }
                self.bytes(&record, body)?;
                self.order(&record)
            }
            Action::Complete { .. } => Ok(()),
            Action::Edit { body, .. } => self.bytes(&record, body),
            _ => Ok(()),
        }
    }

    /// P4: a sealed post is sent as the ledger has it, and never overwritten by a draft.
    fn bytes(&self, record: &PostRecord, body: &Body) -> Result<(), Violation> {
        match &record.wanted {
            Wanted::Live => Ok(()),
            Wanted::Sealed { body: sealed, .. } if sealed == body => Ok(()),
            Wanted::Sealed { rev, .. } => {
                let detail = format!("post {}: other bytes than revision {rev}", record.id);
                Err(self.fail(Promise::P4, detail))
            }
            Wanted::Absent => {
                let detail = format!("post {} is withdrawn and sent", record.id);
                Err(self.fail(Promise::P4, detail))
            }
        }
    }

    /// P8: every earlier post is there, gone or given up.
    fn order(&self, record: &PostRecord) -> Result<(), Violation> {
        if !record.kind.ordered() {
            return Ok(());
        }
        let prefix = keys::owed_prefix(&self.account, &record.conversation);
        let owed = scan_all(&self.store, &prefix)
            .map_err(|error| self.fail(Promise::Ledger, error.to_string()))?;
        for (key, _) in owed {
            let Some(earlier) =
                talaria_core::snapshot::post_of_key(&key).and_then(|id| self.post(id))
            else {
                continue;
            };
            let before = (earlier.reply, earlier.id) < (record.reply, record.id);
            let there = matches!(earlier.known, Known::Here { .. } | Known::Gone { .. });
            // Files come from outside, and may be on their way to the conversation still.
            if before && earlier.kind == PostKind::Answer && !there {
                let detail = format!(
                    "post {} is created before {}, which is {:?}",
                    record.id, earlier.id, earlier.known
                );
                return Err(self.fail(Promise::P8, detail));
            }
        }
        if record.id.ordinal > 0 {
            let earlier = PostId {
                ordinal: record.id.ordinal - 1,
                ..record.id
            };
            if self.post(earlier).is_none() {
                let detail = format!("post {} is created before {earlier}", record.id);
                return Err(self.fail(Promise::P8, detail));
            }
        }
        Ok(())
    }
}
