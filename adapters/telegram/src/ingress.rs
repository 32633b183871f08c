//! Receiving: our own long poll. The next offset is the acknowledgement, so it leaves only after
//! the sink's commit (Bot API: getUpdates).

mod backoff;
mod batch;
mod cursor;

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};
use serde::Serialize;
use talaria_contract::{Delivery, Exit, LinkState, Sink};
use talaria_types::crash::{self, AckKind, Choke, Side};
use talaria_types::{CallKind, Failure, FailureKind, Retry};

pub(crate) use backoff::Backoff;
use batch::Batch;
use cursor::Cursor;

use crate::adapter::Link;
use crate::classify::{Reading, Refusal, lost, read, refused};
use crate::clock::unix_seconds;
use crate::http::{Answer, Lost};
use crate::identity::{unauthorized, verify};
use crate::settings::MAX_POLL;

/// What is asked for: named, because the list is sticky on the server.
const ALLOWED: [&str; 4] = [
    "message",
    "edited_message",
    "callback_query",
    "my_chat_member",
];
/// The most updates per poll (Bot API: getUpdates).
const LIMIT: u32 = 100;
/// The longest answer that is read. A hundred of the longest messages are far below it.
const ANSWER_BOUND: usize = 32 << 20;
/// What the answer to a poll may take beyond the poll itself.
const POLL_SLACK: Duration = Duration::from_secs(15);

#[derive(Serialize)]
struct GetUpdates {
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<i64>,
    limit: u32,
    timeout: u64,
    allowed_updates: [&'static str; 4],
}

/// Receives until the sink closes or the credentials are refused.
pub(crate) async fn run(link: &Link, sink: &Sink) -> Exit {
    let poll = pin!(poll(link, sink));
    match select(pin!(verify(link)), poll).await {
        Either::Left((Some(exit), _)) => exit,
        Either::Left((None, poll)) => {
            // The platform knows us: a proof of life long before the first poll ends.
            sink.link(LinkState::Alive);
            poll.await
        }
        Either::Right((exit, _)) => exit,
    }
}

async fn poll(link: &Link, sink: &Sink) -> Exit {
    let stored = match sink.cursor().await {
        Ok(stored) => stored,
        Err(_closed) => return Exit::SinkClosed,
    };
    let mut poller = Poller {
        link,
        cursor: stored.as_deref().and_then(Cursor::parse),
        moved: false,
        narrow: 0,
        backoff: Backoff::new(&link.settings),
        said: None,
    };
    loop {
        let answer = poller.ask().await;
        let wait = match poller.read(answer) {
            Polled::Batch(batch) => {
                poller.good(sink);
                match poller.accept(sink, batch).await {
                    Ok(()) => continue,
                    Err(exit) => return exit,
                }
            }
            Polled::Narrower => continue,
            Polled::Conflict(refusal) => {
                let reason = conflict(link, &refusal).await;
                poller.say(sink, LinkState::Conflict { reason });
                poller.backoff.slower()
            }
            Polled::Failed(failure) if failure.kind == FailureKind::Unauthorized => {
                let detail = unauthorized(link, &failure.detail);
                return Exit::Unauthorized { detail };
            }
            Polled::Failed(failure) => {
                let wait = match failure.retry {
                    Retry::After(wait) if failure.kind == FailureKind::RateLimited => wait,
                    Retry::After(_) | Retry::Now | Retry::Never | Retry::OnReconnect => {
                        poller.backoff.next()
                    }
                };
                poller.say(
                    sink,
                    LinkState::Down {
                        reason: failure.detail,
                    },
                );
                wait
            }
        };
        tokio::time::sleep(wait).await;
    }
}

/// Where the poll stands.
struct Poller<'a> {
    link: &'a Link,
    cursor: Option<Cursor>,
    /// The next poll acknowledges something.
    moved: bool,
    /// So many polls still ask for one update each, after an answer that was too large.
    narrow: u32,
    backoff: Backoff,
    /// The trouble that was logged last.
    said: Option<LinkState>,
}

/// What came of one poll.
enum Polled {
    Batch(Batch),
    /// Ask again at once, for less.
    Narrower,
    Conflict(Refusal),
    Failed(Failure),
}

impl Poller<'_> {
    async fn ask(&self) -> Result<Answer, Lost> {
        let timeout = self.link.settings.poll_timeout.min(MAX_POLL);
        let query = GetUpdates {
            offset: self
                .cursor
                .and_then(|cursor| cursor.offset_at(unix_seconds())),
            limit: if self.narrow > 0 { 1 } else { LIMIT },
            timeout: timeout.as_secs(),
            allowed_updates: ALLOWED,
        };
        let body = serde_json::to_vec(&query).map_err(|_| Lost::NotSent {
            detail: "the poll is no JSON".to_owned(),
        })?;
        if self.moved {
            crash::pass(Choke::Ack(AckKind::Offset), Side::Before);
        }
        let http = &self.link.http;
        let answer = http
            .post("getUpdates", body, timeout + POLL_SLACK, ANSWER_BOUND)
            .await;
        if self.moved {
            crash::pass(Choke::Ack(AckKind::Offset), Side::After);
        }
        answer
    }

    fn read(&mut self, answer: Result<Answer, Lost>) -> Polled {
        let answer = match answer {
            Ok(answer) => answer,
            Err(Lost::TooLarge { head }) => return self.too_large(&head),
            Err(gone) => return Polled::Failed(lost(&gone)),
        };
        match read(&answer) {
            Reading::Ok(result) => match Batch::read(self.link, result) {
                Some(batch) => Polled::Batch(batch),
                None => self.too_large(&answer.body),
            },
            Reading::Refused(refusal) => match refused(CallKind::Read, &refusal) {
                Err(failure) if failure.kind == FailureKind::Conflict => Polled::Conflict(refusal),
                Err(failure) => Polled::Failed(failure),
                Ok(()) => Polled::Failed(unreadable()),
            },
        }
    }

    /// An answer that can't be read as a whole: ask for one update at a time, and set the one aside
    /// that is the reason.
    fn too_large(&mut self, head: &[u8]) -> Polled {
        if self.narrow == 0 {
            self.narrow = LIMIT;
            return Polled::Narrower;
        }
        Batch::unreadable(head).map_or_else(|| Polled::Failed(unreadable()), Polled::Batch)
    }

    /// Hands the batch over; only then the offset moves.
    async fn accept(&mut self, sink: &Sink, batch: Batch) -> Result<(), Exit> {
        let Some(next) = batch.next_offset else {
            return Ok(());
        };
        let cursor = Cursor {
            offset: next,
            at: unix_seconds(),
        };
        let delivery = Delivery {
            events: batch.events,
            cursor: Some(cursor.to_string()),
        };
        sink.accept(delivery)
            .await
            .map_err(|_closed| Exit::SinkClosed)?;
        self.cursor = Some(cursor);
        self.moved = true;
        Ok(())
    }

    fn good(&mut self, sink: &Sink) {
        self.moved = false;
        self.narrow = self.narrow.saturating_sub(1);
        self.backoff.reset();
        if self.said.take().is_some() {
            tracing::info!(account.id = %self.link.account, "updates are received again");
        }
        sink.link(LinkState::Alive);
    }

    /// Reports trouble each time, and logs it when it changes.
    fn say(&mut self, sink: &Sink, state: LinkState) {
        if self.said.as_ref() != Some(&state) {
            tracing::warn!(account.id = %self.link.account, link.state = ?state, "no updates");
            self.said = Some(state.clone());
        }
        sink.link(state);
    }
}

fn unreadable() -> Failure {
    lost(&Lost::MaybeSent {
        detail: "getUpdates answered something that can't be read".to_owned(),
    })
}

/// Who else receives for this bot, and what to do about it.
async fn conflict(link: &Link, refusal: &Refusal) -> String {
    let said = refusal
        .description
        .as_deref()
        .unwrap_or_default()
        .to_lowercase();
    if !said.contains("webhook") {
        return format!(
            "another program polls bot {} with the same token: stop it, or give this one a bot of its own",
            link.bot_id
        );
    }
    let host = webhook_host(link)
        .await
        .map_or_else(String::new, |host| format!(" to {host}"));
    format!(
        "a webhook{host} receives the updates of bot {}: if it is not needed any more, remove it with \
         the method deleteWebhook ({}/bot<token>/deleteWebhook)",
        link.bot_id,
        link.http.base()
    )
}

/// The host of the webhook. Its path may carry a secret.
async fn webhook_host(link: &Link) -> Option<String> {
    let timeout = link.settings.call_timeout;
    let answer = link
        .http
        .post("getWebhookInfo", b"{}".to_vec(), timeout, 1 << 20)
        .await
        .ok()?;
    let Reading::Ok(result) = read(&answer) else {
        return None;
    };
    let info: serde_json::Value = serde_json::from_str(result).ok()?;
    let url = reqwest::Url::parse(info.get("url")?.as_str()?).ok()?;
    url.host_str().map(str::to_owned)
}
