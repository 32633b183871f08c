//! The operator's commands when no gateway runs: the command opens the ledger itself.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use talaria_ledger::folder;
use talaria_ledger::keys;
use talaria_ledger::store::{LedgerId, Store};
use talaria_runtime::pairing::Verdict;
use talaria_runtime::{Clock, Ledger, pairing};
use talaria_types::AccountId;
use talaria_types::crash::CommitKind;

use crate::admin::{Request, answer};
use crate::exit::{DAMAGED, Failure, OTHER, TEMPORARY, chain};
use crate::run::sled_options;

/// Answers from the ledger in `data_dir`. Makes none where there is none.
pub(crate) fn ask(data_dir: &Path, request: &Request) -> Result<Result<Value, String>, Failure> {
    if !data_dir.join("CURRENT").exists() {
        return Err(Failure::new(
            OTHER,
            format!(
                "there is no ledger in {}: no gateway has run with this data folder yet (choose another with --data-dir or --config)",
                data_dir.display()
            ),
        ));
    }
    let store = folder::open(data_dir, sled_options(), LedgerId([0; 16]))
        .map_err(|error| Failure::new(error.exit_code(), chain(&error)))?;
    let store: Arc<dyn Store> = Arc::new(store);
    let accounts = accounts(store.as_ref())?;
    Ok(match request {
        Request::PairApprove { wanted } => change(&store, &accounts, wanted, Verdict::Approve),
        Request::PairRevoke { wanted } => change(&store, &accounts, wanted, Verdict::Revoke),
        Request::Overview
        | Request::List { .. }
        | Request::Show { .. }
        | Request::Trace { .. }
        | Request::PairList => answer::read(request, store.as_ref(), accounts),
    })
}

/// The accounts in the ledger. Keys begin with the account, so one look an account finds them.
fn accounts(store: &dyn Store) -> Result<Vec<AccountId>, Failure> {
    let mut found: Vec<AccountId> = Vec::new();
    let mut after: Option<Vec<u8>> = None;
    loop {
        let page = store.scan(&[], after.as_deref(), 1).map_err(|error| {
            Failure::new(
                if error.is_damage() {
                    DAMAGED
                } else {
                    TEMPORARY
                },
                chain(&error),
            )
        })?;
        let Some((key, _)) = page.into_iter().next() else {
            return Ok(found);
        };
        let Some(name) = keys::parts(&key).into_iter().next() else {
            return Ok(found);
        };
        // Behind everything of this account.
        let mut next: Vec<u8> = key
            .split(|byte| *byte == 0)
            .next()
            .unwrap_or_default()
            .to_vec();
        next.extend([0, 0xff]);
        after = Some(next);
        let account = AccountId::new(name);
        if store
            .get(&keys::account(&account))
            .is_ok_and(|record| record.is_some())
        {
            found.push(account);
        }
    }
}

fn change(
    store: &Arc<dyn Store>,
    accounts: &[AccountId],
    wanted: &str,
    verdict: Verdict,
) -> Result<Value, String> {
    let text = |error: talaria_runtime::Error| chain(&error);
    let now = Clock::start().now().wall;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    for account in accounts {
        let ledger = Ledger::open(Arc::clone(store), std::slice::from_ref(account))
            .map_err(|error| chain(&error))?;
        let seq = ledger.next_seq(account);
        let answer = match pairing::answer(store.as_ref(), account, wanted, verdict, now, seq) {
            Ok(answer) => answer,
            Err(talaria_runtime::Error::NoPairing { .. }) => continue,
            Err(error) => return Err(text(error)),
        };
        runtime
            .block_on(ledger.commit(CommitKind::Pairing, answer.changes))
            .map_err(text)?;
        return Ok(json!([answer::pairing(&answer.record)]));
    }
    Err(format!(
        "no pairing request has the code or user {wanted}; see: talaria pair list"
    ))
}
