//! What one commit changes, built record by record.

use crate::keys::{self};
use crate::record::{Record, RecordError, encode};
use crate::records::{
    EntryRecord, InboundRecord, PostRecord, SessionRecord, StepRecord, ToolRecord, TurnRecord,
    TurnState,
};
use crate::store::Precondition;
use talaria_types::{AccountId, ConversationId};

/// The puts, removes and preconditions of one commit of one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    pub account: AccountId,
    pub preconditions: Vec<Precondition>,
    pub puts: Vec<(Vec<u8>, Vec<u8>)>,
    pub removes: Vec<Vec<u8>>,
}

impl Changes {
    #[must_use]
    pub fn new(account: AccountId) -> Self {
        Self {
            account,
            preconditions: Vec::new(),
            puts: Vec::new(),
            removes: Vec::new(),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.puts.is_empty() && self.removes.is_empty()
    }

    /// The commit is refused unless nothing is stored at `key`.
    pub fn require_absent(&mut self, key: Vec<u8>) {
        self.preconditions.push(Precondition::Absent(key));
    }

    /// The commit is refused unless something is stored at `key`.
    pub fn require_present(&mut self, key: Vec<u8>) {
        self.preconditions.push(Precondition::Present(key));
    }

    pub fn put<R: Record>(&mut self, key: Vec<u8>, record: &R) -> Result<(), RecordError> {
        self.insert(key, encode(record)?);
        Ok(())
    }

    /// The key is absent after the commit, unless something is put there later.
    pub fn remove(&mut self, key: Vec<u8>) {
        self.removes.push(key);
    }

    /// The last word on a key stands, although a store does the removes after the puts.
    fn insert(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.removes.retain(|removed| *removed != key);
        match self.puts.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => self.puts.push((key, value)),
        }
    }

    /// An inbound, and its place in the index of those without an end.
    pub fn inbound(&mut self, record: &InboundRecord) -> Result<(), RecordError> {
        let open = keys::open(&self.account, &record.conversation, record.seq);
        if record.end.is_none() {
            self.insert(open, record.inbound.key.as_str().as_bytes().to_vec());
        } else {
            // P0: an end is written once.
            self.require_present(open.clone());
            self.remove(open);
        }
        self.put(keys::inbound(&self.account, &record.inbound.key), record)
    }

    pub fn session(
        &mut self,
        conversation: &ConversationId,
        record: &SessionRecord,
    ) -> Result<(), RecordError> {
        self.put(keys::session(&self.account, conversation), record)
    }

    pub fn entry(
        &mut self,
        conversation: &ConversationId,
        generation: u64,
        number: u64,
        record: &EntryRecord,
    ) -> Result<(), RecordError> {
        self.put(
            keys::entry(&self.account, conversation, generation, number),
            record,
        )
    }

    /// A turn, and the mark that it is the conversation's open one.
    pub fn turn(&mut self, record: &TurnRecord) -> Result<(), RecordError> {
        let running = keys::running(&self.account, &record.conversation);
        match record.state {
            TurnState::Running => {
                self.insert(running, record.id.0.0.to_be_bytes().to_vec());
            }
            TurnState::Settled { .. } => {
                // P3: a turn is settled once.
                self.require_present(running.clone());
                self.remove(running);
            }
        }
        self.put(keys::turn(&self.account, record.id), record)
    }

    pub fn step(&mut self, record: &StepRecord) -> Result<(), RecordError> {
        self.put(keys::step(&self.account, record.turn, record.step), record)
    }

    pub fn tool(&mut self, record: &ToolRecord) -> Result<(), RecordError> {
        self.put(
            keys::tool(&self.account, record.turn, record.step, record.call),
            record,
        )
    }

    /// A post, its place in the index of obligations, and the index from its message to it.
    pub fn post(&mut self, record: &PostRecord) -> Result<(), RecordError> {
        let owed = keys::owed(&self.account, &record.conversation, record.id);
        if record.is_settled() {
            self.remove(owed);
        } else {
            self.insert(owed, Vec::new());
        }
        if let Some(handle) = record.handle() {
            let index = format!("{:016x}{:04x}", record.id.origin.0, record.id.ordinal);
            self.insert(keys::handle(&self.account, handle), index.into_bytes());
        }
        self.put(keys::post(&self.account, record.id), record)
    }
}

#[cfg(test)]
mod tests;
