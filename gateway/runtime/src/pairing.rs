//! Pairing: codes, and the operator's answers to them.

use data_encoding::BASE32_NOPAD;
use talaria_core::snapshot::scan_all;
use talaria_ledger::Changes;
use talaria_ledger::keys::{self, Tag};
use talaria_ledger::record::decode;
use talaria_ledger::records::{PairingRecord, PairingState, PostKind, PostRecord, Wanted};
use talaria_ledger::store::Store;
use talaria_types::{AccountId, Body, PostId, Seq, Wall};

use crate::Error;

/// A new pairing code: 8 characters of base32 (40 bits). Short enough to be read out, and nobody
/// can try codes: they are entered by the operator only.
#[must_use]
pub fn new_code() -> String {
    let mut bytes = [0u8; 5];
    // Without randomness there is no secret to give: an empty code approves nothing.
    match getrandom::fill(&mut bytes) {
        Ok(()) => BASE32_NOPAD.encode(&bytes),
        Err(_) => String::new(),
    }
}

/// Every pairing record of an account.
///
/// # Errors
/// The store's.
pub fn list(store: &dyn Store, account: &AccountId) -> Result<Vec<PairingRecord>, Error> {
    let mut found = Vec::new();
    for (_, bytes) in scan_all(store, &keys::prefix(account, Tag::Pairing))? {
        found.push(decode(&bytes)?);
    }
    Ok(found)
}

/// What the operator says about a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Approve,
    Revoke,
}

/// An answer to a request, ready to be committed.
#[derive(Debug)]
pub struct Answer {
    pub record: PairingRecord,
    pub changes: Changes,
    /// Tells the person that they are in. Part of the same commit.
    pub notice: Option<PostRecord>,
}

/// The answer to the request with that code, or to the person with that user id.
///
/// # Errors
/// [`Error::NoPairing`].
pub fn answer(
    store: &dyn Store,
    account: &AccountId,
    wanted: &str,
    verdict: Verdict,
    now: Wall,
    seq: Seq,
) -> Result<Answer, Error> {
    let wanted = wanted.trim();
    let mut record = list(store, account)?
        .into_iter()
        .find(|record| fits(record, wanted))
        .ok_or_else(|| Error::NoPairing {
            wanted: wanted.to_owned(),
        })?;
    let news =
        verdict == Verdict::Approve && !matches!(record.state, PairingState::Approved { .. });
    record.state = match verdict {
        Verdict::Approve => PairingState::Approved { at: now },
        Verdict::Revoke => PairingState::Revoked { at: now },
    };
    let mut changes = Changes::new(account.clone());
    changes.put(keys::pairing(account, &record.user), &record)?;
    let notice = news.then(|| welcome(&record, now, seq));
    if let Some(notice) = &notice {
        changes.post(notice)?;
    }
    Ok(Answer {
        record,
        changes,
        notice,
    })
}

fn fits(record: &PairingRecord, wanted: &str) -> bool {
    let by_code = match &record.state {
        PairingState::Requested { code, .. } => {
            !code.is_empty() && code.eq_ignore_ascii_case(wanted)
        }
        PairingState::Approved { .. } | PairingState::Revoked { .. } => false,
    };
    by_code || record.user.as_str() == wanted
}

fn welcome(record: &PairingRecord, now: Wall, seq: Seq) -> PostRecord {
    let mut post = PostRecord::new(
        PostId {
            origin: seq,
            ordinal: 0,
        },
        record.place.conversation(None),
        record.place.clone(),
        PostKind::Notice,
        0,
        Wanted::Live,
        now,
    );
    post.seal(Body::plain(talaria_core::wording::PAIRED));
    post
}
