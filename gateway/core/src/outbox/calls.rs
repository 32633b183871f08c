//! A granted call: the intent, durably where the design asks for it, then the call.

use talaria_ledger::Changes;
use talaria_ledger::records::{Attempt, Known, PostRecord, Rev, Settlement, Wanted};
use talaria_ledger::transition::{Next, next};
use talaria_types::crash::CommitKind;
use talaria_types::{Action, Body, CallKind, Fence, PlatformCall, PostId, WireKey};

use super::item::{Item, call_kind};
use super::{Outbox, Place};
use crate::Error;
use crate::context::Context;
use crate::io::Effect;
use crate::pacing::Slot;

/// P13: after so many crashed processes over it, a post is given up.
const CRASHES: u32 = 3;

impl Outbox {
    /// The scheduler lets the post's call go now. What the call is, is decided now.
    pub(crate) fn granted(
        &mut self,
        id: PostId,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let Some(place) = self.place_of(id) else {
            return Ok(());
        };
        let permitted = self.permitted(place);
        let Some(item) = self.items.get_mut(&place) else {
            return Ok(());
        };
        item.slot_used();
        let facts = item.facts(permitted, cx);
        let (_, action) = next(&item.post, &facts);
        match &action {
            Next::Remove(_)
            | Next::Prove
            | Next::Close
            | Next::Create
            | Next::Complete
            | Next::Append
            | Next::Replace => self.fire(place, &action, cx, out),
            // What was wanted is no longer; the table is followed as at any other event.
            Next::Wait
            | Next::LoseAttempt
            | Next::ShowLife
            | Next::Repeat
            | Next::Settle(_)
            | Next::Forget
            | Next::Stub
            | Next::Supersede
            | Next::Recreate => Ok(()),
        }
    }

    fn fire(
        &mut self,
        place: Place,
        action: &Next,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        self.fences += 1;
        let fence = Fence {
            epoch: self.epoch,
            number: self.fences,
        };
        let (account, ledger) = (self.account.clone(), self.ledger);
        let Some(item) = self.items.get_mut(&place) else {
            return Ok(());
        };
        let counted = std::mem::take(&mut item.count_recovery);
        if counted {
            item.post.recoveries += 1;
            if item.post.recoveries >= CRASHES {
                give_up(item, cx);
                return Ok(());
            }
        }
        let Some(wire) = wire_action(item, action, ledger) else {
            return Ok(());
        };
        if let Next::Remove(handle) = action {
            super::remember(&mut self.former, handle);
        }
        let kind = call_kind(action);
        let rev = match kind {
            CallKind::Close => Rev::Unknown,
            _ => item.wanted_rev(),
        };
        let body = match kind {
            CallKind::Create | CallKind::Edit | CallKind::Append => item.wanted_body().cloned(),
            _ => None,
        };
        let attempt = Attempt {
            fence,
            call: kind,
            rev,
            lower_bound: item.post.reply_to.clone(),
            body_hash: body.as_ref().map(body_hash),
            target: match action {
                Next::Remove(handle) => Some(handle.clone()),
                _ => None,
            },
            at: cx.now.wall,
        };
        item.post.begin(attempt);
        // "Durable before a call" (ledger/DESIGN.md). What is not in that list keeps its attempt
        // in memory only.
        let durable = matches!(
            kind,
            CallKind::Create | CallKind::Complete | CallKind::Close
        );
        if durable || counted {
            let mut record = item.post.clone();
            if !durable {
                record.attempt = None;
            }
            let mut changes = Changes::new(account);
            changes.post(&record)?;
            let kind = if durable {
                CommitKind::Intent
            } else {
                CommitKind::Recovery
            };
            out.push(Effect::Commit { kind, changes });
            item.dirty = None;
        }
        if kind == CallKind::Create && rev == Rev::Live && !item.draft_open {
            item.draft_open = true;
            out.push(Effect::DraftOpened(item.post.id));
        }
        item.sending = body;
        item.in_flight = Some((fence, cx.now.mono + cx.settings.call_deadline));
        let call = PlatformCall {
            place: item.post.place.clone(),
            fence,
            action: wire,
        };
        out.push(Effect::Call {
            slot: Slot::Post(item.post.id),
            call: Box::new(call),
        });
        Ok(())
    }
}

/// P13. A draft is given up as a draft: its answer is still to come.
fn give_up(item: &mut Item, cx: &Context) {
    if item.post.wanted == Wanted::Live {
        item.held = true;
        item.dirty = Some(CommitKind::Recovery);
    } else {
        item.post.settle(Settlement::GivenUp, cx.now.wall);
    }
}

fn wire_action(item: &Item, action: &Next, ledger: [u8; 4]) -> Option<Action> {
    let post: &PostRecord = &item.post;
    let key = || WireKey::new(ledger, post.id, post.incarnation);
    let handle = || post.handle().cloned();
    let body = || item.wanted_body().cloned();
    Some(match action {
        Next::Create => Action::Create {
            key: key(),
            body: body()?,
            reply_to: None,
        },
        Next::Complete => match &post.known {
            Known::Staged { reference } => Action::Complete {
                key: key(),
                staged: reference.clone(),
            },
            Known::None | Known::Unresolved { .. } | Known::Here { .. } | Known::Gone { .. } => {
                return None;
            }
        },
        Next::Append => Action::Append {
            handle: handle()?,
            delta: delta(&body()?, item.shown.as_ref()?),
        },
        Next::Close => Action::Close {
            handle: handle()?,
            body: None,
        },
        Next::Replace => Action::Edit {
            handle: handle()?,
            body: body()?,
        },
        Next::Remove(handle) => Action::Delete {
            handle: handle.clone(),
        },
        Next::Prove => Action::Prove {
            key: key(),
            lower_bound: post.reply_to.clone(),
        },
        Next::Wait
        | Next::LoseAttempt
        | Next::ShowLife
        | Next::Repeat
        | Next::Settle(_)
        | Next::Forget
        | Next::Stub
        | Next::Supersede
        | Next::Recreate => return None,
    })
}

/// What `body` has more than `shown`, with the entities that lie in it.
fn delta(body: &Body, shown: &Body) -> Body {
    let text = body
        .text
        .strip_prefix(shown.text.as_str())
        .unwrap_or(&body.text);
    let units = u32::try_from(shown.text.encode_utf16().count()).unwrap_or(u32::MAX);
    let entities = body
        .entities
        .iter()
        .filter(|entity| entity.offset >= units)
        .map(|entity| {
            let mut entity = entity.clone();
            entity.offset -= units;
            entity
        })
        .collect();
    Body {
        text: text.to_owned(),
        entities,
        buttons: Vec::new(),
    }
}

/// FNV-1a over the text: enough to tell bodies apart in a trace, and no secret.
fn body_hash(body: &Body) -> String {
    let hash = body
        .text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    format!("{hash:016x}")
}
