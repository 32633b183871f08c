//! The door: access, duplicates, and the commit that accepts (P0, P1, P2, P12). Pure but for reads
//! of the store.

use std::collections::BTreeSet;

use talaria_ledger::Changes;
use talaria_ledger::keys;
use talaria_ledger::records::{
    AliasRecord, CursorRecord, InboundRecord, PairingRecord, PairingState, PostKind, PostRecord,
    QuarantineRecord, Wanted,
};
use talaria_ledger::store::Store;
use talaria_types::mutation::{self, Mutation};
use talaria_types::{
    AccountId, Body, Content, ConversationId, Inbound, InboundKey, PlaceKind, PostId, Seq, Wall,
};

use crate::Error;
use crate::access::{AccessDefault, AccessTable};
use crate::context::Access;
use crate::snapshot::{get, scan_all};
use crate::wording;

/// A pairing code is shown again to the same person after so long.
const CODE_AGAIN: std::time::Duration = std::time::Duration::from_secs(3600);
/// A request that nobody answered for so long makes room for others.
const CODE_VALID: std::time::Duration = std::time::Duration::from_secs(24 * 3600);
/// How many people may wait for approval at once; further ones get no code.
const WAITING_PEOPLE: usize = 100;

/// Something received, for the plan.
#[derive(Clone, Debug)]
pub enum Received {
    Inbound(Box<Inbound>),
    Quarantine {
        id: String,
        reason: String,
        raw: String,
    },
}

/// What the plan needs from outside.
pub struct Door<'a> {
    pub store: &'a dyn Store,
    pub account: &'a AccountId,
    pub access: &'a AccessTable,
    pub now: Wall,
}

/// What accepting a delivery means: one commit, and who hears of it afterwards.
#[derive(Debug)]
pub struct Plan {
    pub changes: Changes,
    pub accepted: Vec<InboundRecord>,
    /// Pairing notices that their conversations are to deliver.
    pub notices: Vec<PostRecord>,
    pub duplicates: usize,
    pub refused: usize,
    pub quarantined: usize,
}

/// Plans the acceptance of `events` and of the cursor behind them. `seq` gives the ledger's next
/// numbers, `code` random pairing codes.
///
/// # Errors
/// The store's, and records that this build can't use.
pub fn plan(
    door: &Door,
    events: Vec<Received>,
    cursor: Option<String>,
    seq: &mut dyn FnMut() -> Seq,
    code: &mut dyn FnMut() -> String,
) -> Result<Plan, Error> {
    let mut plan = Plan {
        changes: Changes::new(door.account.clone()),
        accepted: Vec::new(),
        notices: Vec::new(),
        duplicates: 0,
        refused: 0,
        quarantined: 0,
    };
    let mut seen = BTreeSet::new();
    for event in events {
        match event {
            Received::Inbound(inbound) => plan.inbound(door, *inbound, &mut seen, seq, code)?,
            Received::Quarantine { id, reason, raw } => {
                let record = QuarantineRecord {
                    id,
                    reason,
                    raw,
                    at: door.now,
                    unknown: Default::default(),
                };
                plan.changes
                    .put(keys::quarantine(door.account, seq()), &record)?;
                plan.quarantined += 1;
            }
        }
    }
    if let Some(cursor) = cursor {
        let record = CursorRecord {
            cursor,
            at: door.now,
            unknown: Default::default(),
        };
        plan.changes.put(keys::cursor(door.account), &record)?;
    }
    Ok(plan)
}

impl Plan {
    fn inbound(
        &mut self,
        door: &Door,
        inbound: Inbound,
        seen: &mut BTreeSet<InboundKey>,
        seq: &mut dyn FnMut() -> Seq,
        code: &mut dyn FnMut() -> String,
    ) -> Result<(), Error> {
        if inbound.sender.is_bot {
            return Ok(());
        }
        if !door.access.allowed(&inbound.place, &inbound.sender.id) {
            // P12: nothing of it is kept; what is refused leaves a counter and no tombstone.
            self.refused += 1;
            return self.pair(door, &inbound, seq, code);
        }
        if self.is_duplicate(door, &inbound, seen)? || is_unchanged(door, &inbound)? {
            self.duplicates += 1;
            return Ok(());
        }
        let record = InboundRecord {
            seq: seq(),
            conversation: conversation_of(&inbound),
            accepted: door.now,
            inbound,
            end: None,
            unknown: Default::default(),
        };
        let key = keys::inbound(door.account, &record.inbound.key);
        // P2: two deliveries that race are told apart by the store.
        self.changes.require_absent(key);
        for alias in &record.inbound.aliases {
            let target = AliasRecord {
                of: record.inbound.key.clone(),
                unknown: Default::default(),
            };
            self.changes
                .require_absent(keys::alias(door.account, alias));
            self.changes
                .put(keys::alias(door.account, alias), &target)?;
        }
        self.changes.inbound(&record)?;
        self.accepted.push(record);
        Ok(())
    }

    /// P2: any hit on the key or an alias, in this delivery or in the ledger.
    fn is_duplicate(
        &self,
        door: &Door,
        inbound: &Inbound,
        seen: &mut BTreeSet<InboundKey>,
    ) -> Result<bool, Error> {
        let with_aliases = !mutation::on(Mutation::SkipAliases);
        let aliases = inbound.aliases.iter().filter(|_| with_aliases);
        let names: Vec<&InboundKey> = std::iter::once(&inbound.key).chain(aliases).collect();
        let mut hit = names.iter().any(|name| seen.contains(*name));
        for name in &names {
            hit = hit
                || door
                    .store
                    .get(&keys::inbound(door.account, name))?
                    .is_some()
                || (with_aliases && door.store.get(&keys::alias(door.account, name))?.is_some());
        }
        seen.extend(names.into_iter().cloned());
        Ok(hit)
    }

    /// An unknown person in a private chat gets a code, once an hour.
    fn pair(
        &mut self,
        door: &Door,
        inbound: &Inbound,
        seq: &mut dyn FnMut() -> Seq,
        code: &mut dyn FnMut() -> String,
    ) -> Result<(), Error> {
        if door.access.default != AccessDefault::Pair || inbound.place.kind != PlaceKind::Direct {
            return Ok(());
        }
        let user = &inbound.sender.id;
        let key = keys::pairing(door.account, user);
        let known: Option<PairingRecord> = get(door.store, &key)?;
        let planned = self
            .notices
            .iter()
            .any(|notice| notice.place == inbound.place);
        let code = match known.map(|record| record.state) {
            _ if planned => return Ok(()),
            Some(PairingState::Requested { at, .. }) if at.age(door.now) < CODE_AGAIN => {
                return Ok(());
            }
            Some(PairingState::Requested { code, .. }) => code,
            Some(PairingState::Approved { .. } | PairingState::Revoked { .. }) | None => {
                if waiting_people(door)? >= WAITING_PEOPLE {
                    return Ok(());
                }
                code()
            }
        };
        let record = PairingRecord {
            user: user.clone(),
            name: inbound.sender.name.clone(),
            place: inbound.place.clone(),
            state: PairingState::Requested {
                code: code.clone(),
                at: door.now,
            },
            unknown: Default::default(),
        };
        self.changes.put(key, &record)?;
        let mut post = PostRecord::new(
            PostId {
                origin: seq(),
                ordinal: 0,
            },
            conversation_of(inbound),
            inbound.place.clone(),
            PostKind::Notice,
            0,
            Wanted::Live,
            door.now,
        );
        post.reply_to = inbound.message.clone();
        post.seal(Body::plain(wording::pairing(&code)));
        self.changes.post(&post)?;
        self.notices.push(post);
        Ok(())
    }
}

/// Platforms tell of edits that changed nothing that we read. One that says what its original
/// says would only be answered twice (P2).
fn is_unchanged(door: &Door, inbound: &Inbound) -> Result<bool, Error> {
    let Content::Edit { of, text } = &inbound.content else {
        return Ok(false);
    };
    let original: Option<InboundRecord> = get(door.store, &keys::inbound(door.account, of))?;
    Ok(original.is_some_and(|record| match record.inbound.content {
        Content::Text { text: before } => before == *text,
        Content::Command { .. }
        | Content::Edit { .. }
        | Content::Press { .. }
        | Content::Unsupported { .. } => false,
    }))
}

/// How many people have a code and no answer yet.
fn waiting_people(door: &Door) -> Result<usize, Error> {
    let mut waiting = 0;
    for (_, bytes) in scan_all(door.store, &keys::prefix(door.account, keys::Tag::Pairing))? {
        let record: PairingRecord = talaria_ledger::record::decode(&bytes)?;
        if let PairingState::Requested { at, .. } = record.state {
            waiting += usize::from(at.age(door.now) < CODE_VALID);
        }
    }
    Ok(waiting)
}

/// The conversation of an inbound: the default of its kind of place.
#[must_use]
pub fn conversation_of(inbound: &Inbound) -> ConversationId {
    inbound.place.conversation(None)
}

#[cfg(test)]
mod tests;
