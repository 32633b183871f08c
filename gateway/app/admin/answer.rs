//! Answers to requests, from the store alone or from the running gateway.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use talaria_ledger::records::{PairingRecord, PairingState};
use talaria_ledger::store::Store;
use talaria_runtime::gateway::Shared;
use talaria_types::AccountId;

use super::Request;
use crate::{listing, trace};

/// Figures since the start, what is owed now, and the latest events.
pub(crate) fn overview(shared: &Shared) -> Value {
    let counters = &shared.health.counters;
    let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    let running = get(&counters.turns_started) + get(&counters.turns_continued);
    json!({
        "accepted": get(&counters.inbounds_accepted),
        "running": running.saturating_sub(get(&counters.turns_settled)),
        "owed": shared.owed(),
        "delivered": get(&counters.posts_delivered),
        "refused": get(&counters.inbounds_refused),
        "labelled": get(&counters.posts_labelled),
        "troubled": get(&counters.posts_troubled),
        "recent": shared.recent.list(),
        "links": shared.health.links(),
        "uptime_ms": shared.clock.now().mono.0 / 1000,
    })
}

/// What only reads.
pub(crate) fn read(
    request: &Request,
    store: &dyn Store,
    accounts: Vec<AccountId>,
) -> Result<Value, String> {
    let text = |error: talaria_core::Error| crate::exit::chain(&error);
    match request {
        Request::List { all, limit } => listing::list(store, &accounts, *all, *limit).map_err(text),
        Request::Show { id } => listing::show(store, &accounts, id)
            .map_err(text)?
            .ok_or_else(|| {
                format!(
                    "there is no record {id:?}; ids look like 1.5 (turn, inbound) or 1.5/0 (post)"
                )
            }),
        Request::Trace { id } => trace::trace(store, &accounts, id)
            .map_err(text)?
            .ok_or_else(|| {
                format!(
                    "nothing is known of {id:?}; ids look like 1.5 (turn, inbound) or 1.5/0 (post)"
                )
            }),
        Request::PairList => {
            let mut found = Vec::new();
            for account in &accounts {
                let records = talaria_runtime::pairing::list(store, account)
                    .map_err(|error| crate::exit::chain(&error))?;
                found.extend(records.iter().map(pairing));
            }
            Ok(Value::Array(found))
        }
        Request::Overview | Request::PairApprove { .. } | Request::PairRevoke { .. } => {
            Err("only a running gateway can answer this".to_owned())
        }
    }
}

pub(crate) fn pairing(record: &PairingRecord) -> Value {
    let (state, code, at) = match &record.state {
        PairingState::Requested { code, at } => ("requested", Some(code), at),
        PairingState::Approved { at } => ("approved", None, at),
        PairingState::Revoked { at } => ("revoked", None, at),
    };
    json!({
        "account": record.place.account,
        "user": record.user,
        "name": record.name,
        "state": state,
        "code": code,
        "at_ms": at,
    })
}
