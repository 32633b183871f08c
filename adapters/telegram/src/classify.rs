//! What a refusal or a lost answer means, as one pure table (Bot API server: error texts; matched
//! as lower-cased parts, because capitals and prefixes differ between server versions).

use std::time::Duration;

use serde::Deserialize;
use talaria_types::secret::scrub;
use talaria_types::{CallKind, Certainty, ChatId, Failure, FailureKind, FailureScope, Retry};

use crate::http::{Answer, Lost};

/// How long to wait where the platform says nothing: a connection that failed, a server error, a
/// conflict, a 429 without a number.
const NETWORK_WAIT: Duration = Duration::from_secs(1);
const SERVER_WAIT: Duration = Duration::from_secs(2);
const CONFLICT_WAIT: Duration = Duration::from_secs(3);
const FLOOD_WAIT: Duration = Duration::from_secs(5);
/// A server that answers without speaking the Bot API is set up wrongly: no haste.
const STRANGER_WAIT: Duration = Duration::from_secs(10);

/// A longer request is cut to this before it is shown.
const DETAIL_CHARS: usize = 300;

/// An answer that says no: the status, and what the body adds to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    /// The platform's own words (perhaps none); `None` if the answer is not the Bot API's.
    pub(crate) description: Option<String>,
    /// Seconds.
    pub(crate) retry_after: Option<u64>,
    pub(crate) migrate_to: Option<i64>,
}

/// What a successful answer brought, or why there is none.
#[derive(Debug)]
pub(crate) enum Reading<'a> {
    /// The result as JSON text; `null` if the answer has none.
    Ok(&'a str),
    Refused(Refusal),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    ok: bool,
    #[serde(borrow)]
    result: Option<&'a serde_json::value::RawValue>,
    error_code: Option<u16>,
    description: Option<String>,
    parameters: Option<Parameters>,
}

#[derive(Deserialize)]
struct Parameters {
    retry_after: Option<u64>,
    migrate_to_chat_id: Option<i64>,
}

/// Reads the envelope that every answer of the Bot API has (Bot API: Making requests).
pub(crate) fn read(answer: &Answer) -> Reading<'_> {
    let refusal = Refusal {
        status: answer.status,
        retry_after: answer.retry_after,
        ..Refusal::default()
    };
    let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(&answer.body) else {
        return Reading::Refused(refusal);
    };
    if envelope.ok {
        return Reading::Ok(
            envelope
                .result
                .map_or("null", serde_json::value::RawValue::get),
        );
    }
    let parameters = envelope.parameters.as_ref();
    Reading::Refused(Refusal {
        status: envelope.error_code.unwrap_or(answer.status),
        description: Some(envelope.description.unwrap_or_default()),
        retry_after: parameters
            .and_then(|p| p.retry_after)
            .or(answer.retry_after),
        migrate_to: parameters.and_then(|p| p.migrate_to_chat_id),
    })
}

/// One row: a part of the description, and what it means.
struct Row(&'static str, FailureKind, FailureScope);

/// Refusals that are final for what was asked. First match wins, so the special rows stand first.
static ROWS: &[Row] = {
    use FailureKind::{
        Format, MessageGone, NotEditable, Refused, TargetGone, TooLong, Unauthorized, Unsupported,
    };
    use FailureScope::{Account, Chat, Message};
    &[
        // Our rendering made it: neither splitting nor plain text would help.
        Row("reply markup is too long", Refused, Message),
        Row("button_data_invalid", Refused, Message),
        Row("message text is empty", Refused, Message),
        Row("query is too old", Refused, Message),
        Row("query id is invalid", Refused, Message),
        // Not asked for: replies are sent with allow_sending_without_reply.
        Row("message to be replied not found", Refused, Message),
        Row("message is too long", TooLong, Message),
        Row("message_too_long", TooLong, Message),
        Row("caption is too long", TooLong, Message),
        Row("text is too long", TooLong, Message),
        Row("can't parse entities", Format, Message),
        Row("can't parse message text", Format, Message),
        Row("entity_", Format, Message),
        Row("message to edit not found", MessageGone, Message),
        Row("message to delete not found", MessageGone, Message),
        Row("message to react not found", MessageGone, Message),
        Row("message_id_invalid", MessageGone, Message),
        Row("message can't be edited", NotEditable, Message),
        Row("message can't be deleted", NotEditable, Message),
        Row(
            "there is no text in the message to edit",
            NotEditable,
            Message,
        ),
        Row("chat not found", TargetGone, Chat),
        Row("user not found", TargetGone, Chat),
        Row("message thread not found", TargetGone, Chat),
        Row("chat_id is empty", TargetGone, Chat),
        Row("bot was blocked", TargetGone, Chat),
        Row("user is deactivated", TargetGone, Chat),
        Row("can't initiate conversation", TargetGone, Chat),
        Row("can't send messages to bots", TargetGone, Chat),
        Row("can't send messages to the bot", TargetGone, Chat),
        Row("bot was kicked", TargetGone, Chat),
        Row("bot is not a member", TargetGone, Chat),
        Row("chat was deleted", TargetGone, Chat),
        Row("not enough rights", Refused, Chat),
        Row("have no rights", Refused, Chat),
        Row("chat_write_forbidden", Refused, Chat),
        Row("method not found", Unsupported, Account),
        Row("unauthorized", Unauthorized, Account),
    ]
};

/// The meaning of a refusal of `kind`. `Ok`: what was asked for is already so.
pub(crate) fn refused(kind: CallKind, refusal: &Refusal) -> Result<(), Failure> {
    let said = refusal
        .description
        .as_deref()
        .unwrap_or_default()
        .to_lowercase();
    let done = match kind {
        CallKind::Edit => said.contains("message is not modified"),
        CallKind::Delete => said.contains("message to delete not found"),
        CallKind::Create
        | CallKind::Complete
        | CallKind::Append
        | CallKind::Close
        | CallKind::Prove
        | CallKind::Signal
        | CallKind::React
        | CallKind::Answer
        | CallKind::Upload
        | CallKind::Read
        | CallKind::Setup => false,
    };
    if done {
        Ok(())
    } else {
        Err(failure(refusal, &said))
    }
}

fn failure(refusal: &Refusal, said: &str) -> Failure {
    let no = |kind, scope, retry| Failure {
        certainty: Certainty::NotSent,
        retry,
        scope,
        kind,
        detail: detail(refusal),
    };
    if refusal.status == 429 {
        let wait = refusal
            .retry_after
            .or_else(|| seconds_in(said))
            .map(Duration::from_secs);
        let wait = wait.unwrap_or(FLOOD_WAIT).max(Duration::from_secs(1));
        return no(
            FailureKind::RateLimited,
            FailureScope::Chat,
            Retry::After(wait),
        );
    }
    if let Some(chat) = refusal.migrate_to {
        let moved = FailureKind::Moved(ChatId::new(chat.to_string()));
        return no(moved, FailureScope::Chat, Retry::Now);
    }
    if refusal.status >= 500 || (refusal.status < 400 && refusal.description.is_none()) {
        // A server error, or a success that can't be read: it may have taken effect.
        let retry = Retry::After(SERVER_WAIT);
        let failed = no(FailureKind::Server, FailureScope::Message, retry);
        return Failure {
            certainty: Certainty::MaybeSent,
            ..failed
        };
    }
    if refusal.description.is_none() {
        return stranger(refusal);
    }
    if refusal.status == 401 || (refusal.status == 404 && said == "not found") {
        return no(
            FailureKind::Unauthorized,
            FailureScope::Account,
            Retry::Never,
        );
    }
    if refusal.status == 409 {
        return no(
            FailureKind::Conflict,
            FailureScope::Account,
            Retry::After(CONFLICT_WAIT),
        );
    }
    match ROWS.iter().find(|row| said.contains(row.0)) {
        Some(Row(_, kind, scope)) => no(kind.clone(), *scope, Retry::Never),
        None => no(FailureKind::Refused, FailureScope::Message, Retry::Never),
    }
}

/// A 4xx that is not the Bot API's: a proxy or a wrong address. It passed nothing on, except where
/// it says that it waited in vain.
fn stranger(refusal: &Refusal) -> Failure {
    let certainty = if refusal.status == 408 {
        Certainty::MaybeSent
    } else {
        Certainty::NotSent
    };
    Failure {
        certainty,
        retry: Retry::After(STRANGER_WAIT),
        scope: FailureScope::Account,
        kind: FailureKind::Server,
        detail: detail(refusal),
    }
}

/// The number in "retry after 5".
fn seconds_in(said: &str) -> Option<u64> {
    let rest = said.split_once("retry after ")?.1;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

fn detail(refusal: &Refusal) -> String {
    let said = refusal
        .description
        .as_deref()
        .unwrap_or("not an answer of the Bot API");
    let said: String = said.chars().take(DETAIL_CHARS).collect();
    scrub(&format!("{} {said}", refusal.status))
}

/// The meaning of an answer that did not come.
pub(crate) fn lost(lost: &Lost) -> Failure {
    let (certainty, kind, retry, detail) = match lost {
        Lost::NotSent { detail } => {
            let retry = Retry::After(NETWORK_WAIT);
            (
                Certainty::NotSent,
                FailureKind::Network,
                retry,
                detail.clone(),
            )
        }
        Lost::MaybeSent { detail } => (
            Certainty::MaybeSent,
            FailureKind::Network,
            Retry::Now,
            detail.clone(),
        ),
        Lost::TooLarge { .. } => {
            let detail = "the answer is longer than any answer to this call".to_owned();
            (
                Certainty::MaybeSent,
                FailureKind::Server,
                Retry::After(SERVER_WAIT),
                detail,
            )
        }
    };
    Failure {
        certainty,
        retry,
        scope: FailureScope::Message,
        kind,
        detail,
    }
}

#[cfg(test)]
mod tests;
