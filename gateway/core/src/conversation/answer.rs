//! Plain answers that no model wrote: to commands, to what can't be read, to what is too old.

use talaria_ledger::Changes;
use talaria_ledger::records::{End, InboundRecord, PostKind, PostRecord, Wanted};
use talaria_types::crash::CommitKind;
use talaria_types::{Body, PostId};

use super::Conversation;
use crate::Error;
use crate::context::Context;
use crate::io::Effect;
use crate::wording;

impl Conversation {
    /// Ends an inbound as a command and answers it, in one commit.
    pub(super) fn answer_inbound(
        &mut self,
        record: InboundRecord,
        text: String,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let mut changes = Changes::new(self.account.clone());
        let post = self.end_with_answer(&mut changes, record, text, cx)?;
        changes.post(&post)?;
        out.push(Effect::Commit {
            kind: CommitKind::Command,
            changes,
        });
        self.outbox.insert(post);
        Ok(())
    }

    /// Writes the end, and returns the answer for the same commit.
    pub(super) fn end_with_answer(
        &mut self,
        changes: &mut Changes,
        record: InboundRecord,
        text: String,
        cx: &Context,
    ) -> Result<PostRecord, Error> {
        let post = self.plain_post(&record, PostKind::Command, text, cx);
        changes.inbound(&InboundRecord {
            end: Some(End::Command),
            ..record
        })?;
        Ok(post)
    }

    /// P0: too old to be answered, and it is said.
    pub(super) fn expire_inbound(
        &mut self,
        record: InboundRecord,
        cx: &Context,
        out: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let post = self.plain_post(&record, PostKind::Notice, wording::EXPIRED.to_owned(), cx);
        let mut changes = Changes::new(self.account.clone());
        changes.inbound(&InboundRecord {
            end: Some(End::Expired),
            ..record
        })?;
        changes.post(&post)?;
        out.push(Effect::Commit {
            kind: CommitKind::Command,
            changes,
        });
        self.outbox.insert(post);
        Ok(())
    }

    fn plain_post(
        &self,
        record: &InboundRecord,
        kind: PostKind,
        text: String,
        cx: &Context,
    ) -> PostRecord {
        let mut post = PostRecord::new(
            PostId {
                origin: record.seq,
                ordinal: 0,
            },
            self.session.id.clone(),
            record.inbound.place.clone(),
            kind,
            self.session.record.replies,
            Wanted::Live,
            cx.now.wall,
        );
        post.reply_to = record.inbound.message.clone();
        post.seal(Body::plain(text));
        post
    }
}
