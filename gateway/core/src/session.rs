//! A session's own state: generation, transcript, and the inbounds that wait.

use std::collections::VecDeque;

use talaria_ledger::Changes;
use talaria_ledger::records::{EntryRecord, FrozenInbound, InboundRecord, SessionRecord};
use talaria_types::model::{Message, UserBlock};
use talaria_types::{Content, ConversationId, InboundKey, Place, Seq, TurnId, Wall};

use crate::Error;
use crate::wording;

/// What of a transcript is kept in memory and given to the model: at most so many bytes, newest.
const TRANSCRIPT_BYTES: usize = 256 * 1024;

/// A text that waits for its turn.
#[derive(Debug)]
pub(crate) struct Waiting {
    /// Its place in the order: the first version's.
    place: Seq,
    pub(crate) record: InboundRecord,
    /// The message of which it is a newer version.
    pub(crate) replaces: Option<InboundKey>,
}

impl std::ops::Deref for Waiting {
    type Target = InboundRecord;
    fn deref(&self) -> &InboundRecord {
        &self.record
    }
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: ConversationId,
    pub(crate) record: SessionRecord,
    /// Texts that wait for their turn, in the order of the ledger.
    pub(crate) queue: VecDeque<Waiting>,
    pub(crate) transcript: Vec<Message>,
}

impl Session {
    pub(crate) fn new(id: ConversationId, place: Place, now: Wall) -> Self {
        let record = SessionRecord {
            place,
            generation: 0,
            entries: 0,
            replies: 0,
            updated: now,
            unknown: Default::default(),
        };
        Self {
            id,
            record,
            queue: VecDeque::new(),
            transcript: Vec::new(),
        }
    }

    /// Appends a settled turn's messages. Those of another generation are not this session's.
    pub(crate) fn append(
        &mut self,
        changes: &mut Changes,
        turn: TurnId,
        generation: u64,
        messages: Vec<Message>,
        now: Wall,
    ) -> Result<(), Error> {
        if generation != self.record.generation {
            return Ok(());
        }
        for message in messages {
            let entry = EntryRecord {
                turn,
                at: now,
                message: message.clone(),
                unknown: Default::default(),
            };
            changes.entry(&self.id, generation, self.record.entries, &entry)?;
            self.record.entries += 1;
            self.transcript.push(message);
        }
        self.record.updated = now;
        trim(&mut self.transcript);
        Ok(())
    }

    /// A new generation: what was said before is not used any more.
    pub(crate) fn renew(&mut self, now: Wall) {
        self.record.generation += 1;
        self.record.entries = 0;
        self.record.updated = now;
        self.transcript.clear();
    }

    /// Puts an inbound into the queue, in the ledger's order. False: it is there already.
    pub(crate) fn enqueue(&mut self, record: InboundRecord) -> bool {
        let place = record.seq;
        let index = self.queue.partition_point(|waiting| waiting.place < place);
        if self
            .queue
            .get(index)
            .is_some_and(|waiting| waiting.place == place)
        {
            return false;
        }
        let waiting = Waiting {
            place,
            record,
            replaces: None,
        };
        self.queue.insert(index, waiting);
        true
    }
}

/// Drops the oldest messages over the bound. What remains begins with a person's text, never with
/// a tool's result whose call is gone.
pub(crate) fn trim(transcript: &mut Vec<Message>) {
    let sizes: Vec<usize> = transcript.iter().map(size_of).collect();
    let mut total: usize = sizes.iter().sum();
    let mut drop = 0;
    while total > TRANSCRIPT_BYTES && drop < transcript.len() {
        total -= sizes.get(drop).copied().unwrap_or(0);
        drop += 1;
    }
    if drop == 0 {
        return;
    }
    drop = next_start(transcript, drop);
    transcript.drain(..drop);
}

/// The first message at or after `from` with which a transcript can begin.
pub(crate) fn next_start(transcript: &[Message], from: usize) -> usize {
    let begins = |message: &Message| match message {
        Message::User { content } => content
            .iter()
            .any(|block| matches!(block, UserBlock::Text { .. })),
        Message::Assistant { .. } => false,
    };
    transcript
        .iter()
        .skip(from)
        .position(begins)
        .map_or(transcript.len(), |offset| from + offset)
}

fn size_of(message: &Message) -> usize {
    use talaria_types::model::Block;
    match message {
        Message::User { content } => content
            .iter()
            .map(|block| match block {
                UserBlock::Text { text } => text.len(),
                UserBlock::ToolResult(result) => result.content.len(),
            })
            .sum(),
        Message::Assistant { content } => content
            .iter()
            .map(|block| match block {
                Block::Text { text } => text.len(),
                Block::Thinking {
                    thinking,
                    signature,
                } => thinking.len() + signature.len(),
                Block::RedactedThinking { data } => data.len(),
                Block::ToolUse { input, .. } => input.to_string().len(),
            })
            .sum(),
    }
}

/// The inbound as the turn's start freezes it.
pub(crate) fn freeze(record: &InboundRecord) -> FrozenInbound {
    let text = match &record.inbound.content {
        Content::Text { text } => text.clone(),
        Content::Edit { text, .. } => format!("{}{text}", wording::EDITED_PREFIX),
        Content::Command { .. } | Content::Press { .. } | Content::Unsupported { .. } => {
            String::new()
        }
    };
    FrozenInbound {
        seq: record.seq,
        key: record.inbound.key.clone(),
        sender: record.inbound.sender.id.clone(),
        message: record.inbound.message.clone(),
        text,
    }
}

#[cfg(test)]
mod tests;
