//! Steps 7 to 10 of the path: the effects of a conversation's machine, one after the other. What
//! follows a commit waits until it is durable.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;

use talaria_contract::Adapter;
use talaria_core::io::{Effect, Input, Note};
use talaria_core::pacing::{CallScope, Slot, SlotKey};
use talaria_ledger::records::{Outcome, Settlement};
use talaria_types::crash::{self, Choke, Side};
use talaria_types::{
    CallOutcome, Certainty, Failure, FailureKind, FailureScope, PlatformCall, PostId, Retry,
};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use super::SessionTask;
use crate::Error;
use crate::agent::ToolCall;
use crate::health::{Health, Link};
use crate::mailbox::Closed;
use crate::supervise;

impl SessionTask {
    pub(super) async fn carry_out(&mut self, effects: Vec<Effect>) -> Result<(), Error> {
        for effect in effects {
            match effect {
                Effect::Commit { kind, changes } => {
                    Health::add(&self.shared.health.counters.commits, 1);
                    self.shared.ledger.commit(kind, changes).await?;
                }
                Effect::Ask { turn, ask, request } => {
                    Health::add(&self.shared.health.counters.model_requests, 1);
                    debug!(turn.id = %turn, turn.ask = ask, "asking the model");
                    self.cancel = CancellationToken::new();
                    let (mailbox, cancel) = (self.mailbox.clone(), self.cancel.clone());
                    self.shared.agent.ask(turn, ask, *request, mailbox, cancel);
                }
                Effect::RunTool {
                    turn,
                    step,
                    call,
                    tool_use_id,
                    name,
                    input,
                } => {
                    Health::add(&self.shared.health.counters.tool_calls, 1);
                    debug!(turn.id = %turn, turn.step = step, tool.call = call, tool.name = name, "running a tool");
                    let call = ToolCall {
                        turn,
                        step,
                        call,
                        tool_use_id,
                        name,
                        input,
                    };
                    let (mailbox, cancel) = (self.mailbox.clone(), self.cancel.clone());
                    self.shared.agent.run_tool(call, mailbox, cancel);
                }
                Effect::Cancel { .. } => self.cancel.cancel(),
                Effect::Want(request) => self.shared.scheduler.want(*request),
                Effect::Unwant(slot) => self.shared.scheduler.unwant(&self.key(slot)),
                Effect::Call { slot, call } => self.call(slot, *call),
                Effect::Penalize { scope, kind, until } => {
                    Health::add(&self.shared.health.counters.rate_limited, 1);
                    self.shared
                        .scheduler
                        .penalize(&self.scope(), scope, kind, until);
                }
                Effect::DraftOpened(post) => {
                    let key = self.key(Slot::Post(post));
                    let limits = &self.capabilities.limits;
                    self.shared
                        .scheduler
                        .draft_opened(key, &self.scope(), limits);
                }
                Effect::DraftClosed(post) => {
                    self.shared
                        .scheduler
                        .draft_closed(&self.key(Slot::Post(post)));
                }
                Effect::WakeAt(at) => {
                    self.wake = Some(self.wake.map_or(at, |known| known.min(at)));
                }
                Effect::Note(note) => self.note(note),
            }
        }
        Ok(())
    }

    /// Makes a call, in a task of its own; its answer comes through the mailbox.
    fn call(&mut self, slot: Slot, call: PlatformCall) {
        Health::add(&self.shared.health.counters.platform_calls, 1);
        self.calls += 1;
        let kind = call.action.kind();
        let fence = call.fence;
        debug!(call.kind = kind.name(), call.slot = ?slot, attempt.fence = %fence, "calling the platform");
        let adapter = Arc::clone(&self.account.adapter);
        let mailbox = self.mailbox.clone();
        let shared = Arc::clone(&self.shared);
        let link = Link::PlatformOut(self.account.id.clone());
        let (account, conversation, place) = (
            self.account.clone(),
            self.conversation.clone(),
            self.place.clone(),
        );
        supervise::spawn("platform call", async move {
            let outcome = make_call(adapter.as_ref(), call).await;
            let now = shared.clock.now().wall;
            match &outcome {
                Ok(_) => {
                    shared.health.alive(&link, now);
                }
                Err(failure) => {
                    Health::add(&shared.health.counters.platform_failures, 1);
                    if matches!(
                        failure.kind,
                        FailureKind::Network | FailureKind::Server | FailureKind::Unauthorized
                    ) {
                        shared.health.down(&link, &failure.detail, now);
                    }
                }
            }
            let input = Input::CallDone {
                slot,
                fence,
                outcome,
            };
            // P7: a task that is gone has a successor, which takes the evidence in the answer.
            if let Err(Closed(input)) = mailbox.send(input).await {
                shared
                    .router
                    .deliver(&account, conversation, place, *input)
                    .await;
            }
        });
    }

    fn key(&self, slot: Slot) -> SlotKey {
        SlotKey {
            conversation: self.conversation.clone(),
            slot,
        }
    }

    fn scope(&self) -> CallScope {
        CallScope::new(&self.place, None)
    }

    fn note(&self, note: Note) {
        let counters = &self.shared.health.counters;
        let recent = &self.shared.recent;
        let now = self.shared.clock.now().wall;
        match note {
            Note::TurnStarted { turn } => {
                Health::add(&counters.turns_started, 1);
                recent.note("turn", turn.to_string(), "running", now);
                info!(turn.id = %turn, "turn started");
            }
            Note::TurnContinued {
                turn,
                continuations,
            } => {
                Health::add(&counters.turns_continued, 1);
                recent.note("turn", turn.to_string(), "continued", now);
                info!(turn.id = %turn, turn.continuations = continuations, "turn continued after a restart");
            }
            Note::TurnSettled { turn, outcome } => {
                Health::add(&counters.turns_settled, 1);
                if matches!(outcome, Outcome::Failed { .. } | Outcome::GivenUp) {
                    Health::add(&counters.turns_failed, 1);
                } else {
                    self.shared.health.alive(&Link::Model, now);
                }
                recent.note("turn", turn.to_string(), outcome_name(outcome), now);
                info!(turn.id = %turn, turn.outcome = outcome_name(outcome), "turn settled");
            }
            Note::ModelFailed {
                turn,
                kind,
                detail,
                again,
            } => {
                Health::add(&counters.model_failures, 1);
                self.shared.health.down(&Link::Model, &detail, now);
                warn!(turn.id = %turn, link = "model", error.kind = ?kind, error.detail = %detail, again, "the model request failed");
            }
            Note::PostSettled { post, how } => self.post_settled(post, &how),
            Note::PostRepeated { post } => {
                Health::add(&counters.posts_labelled, 1);
                recent.note("post", post.to_string(), "repeated with a label", now);
                warn!(post.id = %post, "a create stays unresolved; sent once more with a label");
            }
            Note::CallFailed { post, kind, detail } => {
                warn!(post.id = %post, link = "platform out", call.kind = kind.name(), error.detail = %detail, "a platform call failed");
            }
            Note::RemovalRefused { post, handle } => {
                warn!(post.id = %post, message.id = %handle, "a message that should go can't be removed");
            }
            Note::StaleAnswer { post, fence } => {
                info!(post.id = %post, attempt.fence = %fence, "a late answer; only its message id counts");
            }
            Note::InboundDenied => info!("an inbound lost its access before its turn"),
        }
    }

    fn post_settled(&self, post: PostId, how: &Settlement) {
        let now = self.shared.clock.now().wall;
        let counters = &self.shared.health.counters;
        let name = settlement_name(how);
        self.shared.recent.note("post", post.to_string(), name, now);
        if how.is_trouble() {
            Health::add(&counters.posts_troubled, 1);
            warn!(post.id = %post, post.settlement = name, post.how = ?how, "a post was not delivered as it should");
        } else {
            if matches!(how, Settlement::Delivered | Settlement::DeliveredUnseen) {
                Health::add(&counters.posts_delivered, 1);
            }
            info!(post.id = %post, post.settlement = name, "post settled");
        }
    }
}

/// Makes one platform call: every call of the gateway passes here.
pub(crate) async fn make_call(adapter: &dyn Adapter, call: PlatformCall) -> CallOutcome {
    let kind = call.action.kind();
    crash::pass(Choke::Call(kind), Side::Before);
    let calling = AssertUnwindSafe(adapter.call(call)).catch_unwind();
    let outcome = calling
        .await
        .unwrap_or_else(|_panic| Err(adapter_panicked()));
    crash::pass(Choke::Call(kind), Side::After);
    outcome
}

/// Whether the call took effect is anybody's guess.
fn adapter_panicked() -> Failure {
    Failure {
        certainty: Certainty::MaybeSent,
        retry: Retry::After(Duration::from_secs(5)),
        scope: FailureScope::Message,
        kind: FailureKind::Server,
        detail: "the adapter failed with an internal error".to_owned(),
    }
}

pub(crate) fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Finished => "finished",
        Outcome::Stopped => "stopped",
        Outcome::Failed { .. } => "failed",
        Outcome::GivenUp => "given up",
        Outcome::Superseded => "superseded",
    }
}

/// A settlement's name in listings and logs.
#[must_use]
pub fn settlement_name(how: &Settlement) -> &'static str {
    match how {
        Settlement::Delivered => "delivered",
        Settlement::DeliveredUnseen => "delivered, id unknown",
        Settlement::Withdrawn => "withdrawn",
        Settlement::RemovedBySomeone => "removed by someone",
        Settlement::Refused { .. } => "refused",
        Settlement::Unresolved => "unresolved",
        Settlement::Expired => "expired",
        Settlement::GivenUp => "given up",
    }
}
