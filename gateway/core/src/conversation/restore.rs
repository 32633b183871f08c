//! A conversation from what the ledger knows of it.

use talaria_types::{AccountId, ConversationId, Place};

use super::Conversation;
use super::signals::Signals;
use crate::context::Context;
use crate::outbox::Outbox;
use crate::presenter::Reply;
use crate::session::Session;
use crate::snapshot::Snapshot;
use crate::turn::Turn;

/// Which process owns a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    pub epoch: u64,
    /// Four bytes of the ledger's id, for wire keys.
    pub ledger: [u8; 4],
    /// The process before this one ended without saying so.
    pub after_crash: bool,
    /// Where this machine's fences begin: within an epoch no two machines share one.
    pub first_fence: u64,
}

impl Conversation {
    /// The machine as the ledger left it. Feed the open inbounds of the snapshot next, in order,
    /// with [`crate::io::Input::Inbound`], then [`crate::io::Input::Start`]; [`Snapshot::inputs`]
    /// gives both.
    #[must_use]
    pub fn restore(
        account: AccountId,
        id: ConversationId,
        place: Place,
        snapshot: &Snapshot,
        owner: Owner,
        cx: &Context,
    ) -> Self {
        let mut session = Session::new(id, place, cx.now.wall);
        if let Some(record) = &snapshot.session {
            session.record = record.clone();
        }
        session.transcript = snapshot.transcript.clone();
        crate::session::trim(&mut session.transcript);
        let turn = snapshot.turn.as_ref().map(|open| {
            let mut turn = Turn::restore(
                open.record.clone(),
                open.steps.clone(),
                open.tools.clone(),
                cx.now,
            );
            turn.accepted = open.inbounds.clone();
            turn
        });
        let frozen = snapshot
            .turn
            .iter()
            .flat_map(|t| t.inbounds.iter().map(|i| i.seq))
            .collect();
        let mut outbox = Outbox::new(
            account.clone(),
            owner.ledger,
            owner.epoch,
            owner.first_fence,
        );
        for post in &snapshot.posts {
            outbox.restore(post.clone(), owner.after_crash, cx);
        }
        Self {
            account,
            session,
            turn,
            reply: Reply::default(),
            outbox,
            signals: Signals::default(),
            restored: false,
            started: false,
            seen: frozen,
            after_crash: owner.after_crash,
        }
    }
}
