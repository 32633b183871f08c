//! `ledger list` and `ledger show`, from the store.

use serde_json::{Value, json};
use talaria_core::Error;
use talaria_core::snapshot::{get, pending, scan_all};
use talaria_ledger::keys::{self, Tag};
use talaria_ledger::record::{Record, decode};
use talaria_ledger::records::{InboundRecord, Known, PostRecord, TurnRecord, Wanted};
use talaria_ledger::store::Store;
use talaria_types::{AccountId, PostId, Seq, TurnId};

/// What is owed; with `all` also the newest `limit` settled posts.
pub(crate) fn list(
    store: &dyn Store,
    accounts: &[AccountId],
    all: bool,
    limit: usize,
) -> Result<Value, Error> {
    let mut rows = Vec::new();
    for account in accounts {
        for conversation in pending(store, account)? {
            let snapshot = talaria_core::snapshot::Snapshot::load(store, account, &conversation)?;
            rows.extend(snapshot.open.iter().map(inbound_row));
            if let Some(turn) = &snapshot.turn {
                rows.push(turn_row(&turn.record));
            }
            rows.extend(snapshot.posts.iter().map(post_row));
        }
        if all {
            let mut settled = Vec::new();
            for (_, bytes) in scan_all(store, &keys::prefix(account, Tag::Post))? {
                let post: PostRecord = decode(&bytes)?;
                if post.is_settled() {
                    settled.push(post_row(&post));
                }
            }
            let skip = settled.len().saturating_sub(limit);
            rows.extend(settled.into_iter().skip(skip));
        }
    }
    Ok(Value::Array(rows))
}

/// One record whole.
pub(crate) fn show(
    store: &dyn Store,
    accounts: &[AccountId],
    id: &str,
) -> Result<Option<Value>, Error> {
    for account in accounts {
        if let Some(post) = parse_post(id) {
            let record: Option<PostRecord> = get(store, &keys::post(account, post))?;
            if let Some(record) = record {
                return Ok(Some(whole(&record)));
            }
        } else if let Ok(seq) = id.parse::<Seq>() {
            let turn: Option<TurnRecord> = get(store, &keys::turn(account, TurnId(seq)))?;
            if let Some(record) = turn {
                return Ok(Some(whole(&record)));
            }
            if let Some(record) = inbound_by_seq(store, account, seq)? {
                return Ok(Some(whole(&record)));
            }
        }
    }
    Ok(None)
}

fn whole<R: Record>(record: &R) -> Value {
    let mut value = serde_json::to_value(record).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("record".to_owned(), json!(R::KIND));
    }
    value
}

pub(crate) fn parse_post(id: &str) -> Option<PostId> {
    let (origin, ordinal) = id.split_once('/')?;
    Some(PostId {
        origin: origin.parse().ok()?,
        ordinal: ordinal.parse().ok()?,
    })
}

/// Inbounds are kept under their platform's key; by number they are found by looking.
pub(crate) fn inbound_by_seq(
    store: &dyn Store,
    account: &AccountId,
    seq: Seq,
) -> Result<Option<InboundRecord>, Error> {
    for (_, bytes) in scan_all(store, &keys::prefix(account, Tag::Inbound))? {
        let record: InboundRecord = decode(&bytes)?;
        if record.seq == seq {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

/// The posts of a turn or command, settled or not.
pub(crate) fn posts_of(
    store: &dyn Store,
    account: &AccountId,
    origin: Seq,
) -> Result<Vec<PostRecord>, Error> {
    let mut posts = Vec::new();
    for (_, bytes) in scan_all(store, &keys::posts(account, origin))? {
        posts.push(decode(&bytes)?);
    }
    Ok(posts)
}

fn inbound_row(record: &InboundRecord) -> Value {
    json!({
        "kind": "inbound",
        "id": record.seq.to_string(),
        "conversation": record.conversation,
        "at_ms": record.accepted,
        "message": record.inbound.message,
        "state": "waiting",
    })
}

fn turn_row(record: &TurnRecord) -> Value {
    json!({
        "kind": "turn",
        "id": record.id.to_string(),
        "conversation": record.conversation,
        "at_ms": record.started,
        "state": "running",
        "detail": match record.continuations {
            0 => Value::Null,
            times => json!(format!("continued {times} times after a crash")),
        },
    })
}

fn post_row(post: &PostRecord) -> Value {
    json!({
        "kind": post.kind,
        "id": post.id.to_string(),
        "conversation": post.conversation,
        "at_ms": post.created,
        "message": post.handle().map(|handle| &handle.message),
        "state": post_state(post),
        "detail": post_detail(post),
    })
}

pub(crate) fn post_state(post: &PostRecord) -> String {
    if let Some(settled) = &post.settled {
        return talaria_runtime::session::settlement_name(&settled.how).to_owned();
    }
    let wanted = match &post.wanted {
        Wanted::Live => "draft",
        Wanted::Sealed { .. } => "owed",
        Wanted::Absent => "to be removed",
    };
    let known = match &post.known {
        Known::None => "not sent",
        Known::Staged { .. } => "uploaded, not posted",
        Known::Unresolved { .. } => "may have been sent",
        Known::Here { .. } => "shown",
        Known::Gone { .. } => "gone",
    };
    format!("{wanted}, {known}")
}

fn post_detail(post: &PostRecord) -> Option<String> {
    let mut notes = Vec::new();
    if post.labelled {
        notes.push("sent once more with a label".to_owned());
    }
    if post.plainer {
        notes.push("without format".to_owned());
    }
    if !post.extra.is_empty() {
        notes.push(format!("{} extra message(s) to remove", post.extra.len()));
    }
    if let Some(settled) = &post.settled
        && let talaria_ledger::records::Settlement::Refused { reason } = &settled.how
    {
        notes.push(reason.clone());
    }
    (!notes.is_empty()).then(|| notes.join("; "))
}
