//! Pairing: codes, and the operator's answers to them.

use data_encoding::BASE32_NOPAD;
use talaria_core::snapshot::scan_all;
use talaria_ledger::Changes;
use talaria_ledger::keys::{self, Tag};
use talaria_ledger::record::decode;
use talaria_ledger::records::{PairingRecord, PairingState};
use talaria_ledger::store::Store;
use talaria_types::{AccountId, Wall};

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

/// The change that approves the request with that code, or that user id.
///
/// # Errors
/// [`Error::NoPairing`].
pub fn approve(
    store: &dyn Store,
    account: &AccountId,
    wanted: &str,
    now: Wall,
) -> Result<(PairingRecord, Changes), Error> {
    change(store, account, wanted, PairingState::Approved { at: now })
}

/// The change that takes access away from the user with that id or code.
///
/// # Errors
/// [`Error::NoPairing`].
pub fn revoke(
    store: &dyn Store,
    account: &AccountId,
    wanted: &str,
    now: Wall,
) -> Result<(PairingRecord, Changes), Error> {
    change(store, account, wanted, PairingState::Revoked { at: now })
}

fn change(
    store: &dyn Store,
    account: &AccountId,
    wanted: &str,
    state: PairingState,
) -> Result<(PairingRecord, Changes), Error> {
    let wanted = wanted.trim();
    let fits = |record: &PairingRecord| {
        let by_code = match &record.state {
            PairingState::Requested { code, .. } => {
                !code.is_empty() && code.eq_ignore_ascii_case(wanted)
            }
            PairingState::Approved { .. } | PairingState::Revoked { .. } => false,
        };
        by_code || record.user.as_str() == wanted
    };
    let mut record = list(store, account)?
        .into_iter()
        .find(fits)
        .ok_or_else(|| Error::NoPairing {
            wanted: wanted.to_owned(),
        })?;
    record.state = state;
    let mut changes = Changes::new(account.clone());
    changes.put(keys::pairing(account, &record.user), &record)?;
    Ok((record, changes))
}
