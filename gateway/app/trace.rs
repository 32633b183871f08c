//! `trace ID`: everything that the ledger knows of one message, turn or post, in order.

use serde_json::{Value, json};
use talaria_core::Error;
use talaria_core::snapshot::{get, scan_all};
use talaria_ledger::keys;
use talaria_ledger::record::decode;
use talaria_ledger::records::{
    End, InboundRecord, PostRecord, StepRecord, ToolRecord, ToolState, TurnRecord, TurnState,
};
use talaria_ledger::store::Store;
use talaria_types::{AccountId, Seq, TurnId, Wall};

use crate::listing::{inbound_by_seq, parse_post, post_state, posts_of};

pub(crate) fn trace(
    store: &dyn Store,
    accounts: &[AccountId],
    id: &str,
) -> Result<Option<Value>, Error> {
    let origin = match parse_post(id) {
        Some(post) => post.origin,
        None => match id.parse::<Seq>() {
            Ok(seq) => seq,
            Err(_not_an_id) => return Ok(None),
        },
    };
    for account in accounts {
        if let Some(found) = trace_in(store, account, origin)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

struct Events(Vec<(Wall, Value)>);

impl Events {
    fn add(&mut self, at: Wall, what: &str, detail: String) {
        self.0
            .push((at, json!({ "at_ms": at, "what": what, "detail": detail })));
    }
}

fn trace_in(store: &dyn Store, account: &AccountId, origin: Seq) -> Result<Option<Value>, Error> {
    let turn: Option<TurnRecord> = get(store, &keys::turn(account, TurnId(origin)))?;
    let posts = posts_of(store, account, origin)?;
    let mut events = Events(Vec::new());
    let mut conversation = None;
    let title = match &turn {
        Some(turn) => {
            conversation = Some(turn.conversation.clone());
            for frozen in &turn.inbounds {
                let record: Option<InboundRecord> =
                    get(store, &keys::inbound(account, &frozen.key))?;
                if let Some(record) = record {
                    inbound(&mut events, &record);
                }
            }
            journal(&mut events, store, account, turn)?;
            "turn"
        }
        None => {
            let Some(record) = inbound_by_seq(store, account, origin)? else {
                if posts.is_empty() {
                    return Ok(None);
                }
                posts.iter().for_each(|post| post_events(&mut events, post));
                return Ok(Some(finish("notice", origin, None, events)));
            };
            conversation = conversation.or(Some(record.conversation.clone()));
            inbound(&mut events, &record);
            "inbound"
        }
    };
    posts.iter().for_each(|post| post_events(&mut events, post));
    Ok(Some(finish(title, origin, conversation, events)))
}

fn finish(
    title: &str,
    origin: Seq,
    conversation: Option<talaria_types::ConversationId>,
    mut events: Events,
) -> Value {
    // Stable: what happened in the same millisecond keeps the order of the path.
    events.0.sort_by_key(|(at, _)| *at);
    json!({
        "title": format!("{title} {origin}"),
        "conversation": conversation,
        "events": events.0.into_iter().map(|(_, event)| event).collect::<Vec<_>>(),
    })
}

fn inbound(events: &mut Events, record: &InboundRecord) {
    let from = format!(
        "{} from user {}",
        record.inbound.key, record.inbound.sender.id
    );
    if let Some(sent) = record.inbound.sent {
        events.add(sent, "sent", from.clone());
    }
    events.add(
        record.accepted,
        "accepted",
        format!("{} as {}", from, record.seq),
    );
    match &record.end {
        None => events.add(record.accepted, "waits", "no end yet".to_owned()),
        Some(End::Answered { .. }) => {}
        Some(end) => {
            let text = serde_json::to_string(end).unwrap_or_default();
            events.add(record.accepted, "ended", text);
        }
    }
}

fn journal(
    events: &mut Events,
    store: &dyn Store,
    account: &AccountId,
    turn: &TurnRecord,
) -> Result<(), Error> {
    let generation = turn.generation;
    events.add(
        turn.started,
        "turn started",
        format!("reply {}, generation {generation}", turn.reply),
    );
    for (_, bytes) in scan_all(store, &keys::steps(account, turn.id))? {
        let step: StepRecord = decode(&bytes)?;
        let detail = format!(
            "step {}: {} block(s), stop reason {}, {} tokens in, {} out",
            step.step,
            step.blocks.len(),
            serde_json::to_string(&step.stop_reason).unwrap_or_default(),
            step.usage.input_tokens,
            step.usage.output_tokens,
        );
        events.add(step.at, "model answered", detail);
    }
    for (_, bytes) in scan_all(store, &keys::tools(account, turn.id))? {
        let tool: ToolRecord = decode(&bytes)?;
        let name = format!(
            "step {} call {}: {} ({:?})",
            tool.step, tool.call, tool.name, tool.class
        );
        match &tool.state {
            ToolState::Started { at } => events.add(*at, "tool started", name),
            ToolState::Finished { at, result } => {
                let what = if result.is_error {
                    "tool failed"
                } else {
                    "tool finished"
                };
                events.add(*at, what, name);
            }
        }
    }
    if let TurnState::Settled { outcome, at } = &turn.state {
        events.add(
            *at,
            "turn settled",
            serde_json::to_string(outcome).unwrap_or_default(),
        );
    }
    Ok(())
}

fn post_events(events: &mut Events, post: &PostRecord) {
    let handle = post
        .handle()
        .map(|handle| format!(" as message {}", handle.message));
    let what = format!(
        "post {}: {}{}",
        post.id,
        post_state(post),
        handle.unwrap_or_default()
    );
    events.add(
        post.created,
        "post made",
        format!("post {} ({:?})", post.id, post.kind),
    );
    if let Some(attempt) = &post.attempt {
        let call = attempt.call.name();
        events.add(
            attempt.at,
            "call in flight",
            format!("post {}: {call}, fence {}", post.id, attempt.fence),
        );
    }
    if post.labelled {
        events.add(
            post.created,
            "label",
            format!(
                "post {}: a create stayed unresolved; sent once more with a label",
                post.id
            ),
        );
    }
    match &post.settled {
        Some(settled) => events.add(settled.at, "post settled", what),
        None => events.add(post.created, "owed", what),
    }
}
