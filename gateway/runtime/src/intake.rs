//! Steps 1 and 2 of the path: a delivery is accepted durably, then its adapter may acknowledge it,
//! then the conversations hear of it.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use talaria_contract::{Cursor, Delivery, Ingress, Intake, LinkState, SinkClosed};
use talaria_core::intake::{Door, Plan, Received, plan};
use talaria_core::io::Input;
use talaria_core::snapshot;
use talaria_ledger::keys;
use talaria_ledger::records::CursorRecord;
use talaria_ledger::store::CommitError;
use talaria_types::WireKey;
use talaria_types::crash::CommitKind;
use tracing::{error, info, warn};

use crate::Error;
use crate::account::Account;
use crate::gateway::Shared;
use crate::health::{Health, Link};

/// How long intake waits before it looks again whether there is space.
const SPACE_AGAIN: Duration = Duration::from_secs(2);

/// One account's door.
pub struct AccountIntake {
    pub(crate) account: Account,
    pub(crate) shared: Arc<Shared>,
}

impl Intake for AccountIntake {
    fn accept(&self, delivery: Delivery) -> BoxFuture<'_, Result<(), SinkClosed>> {
        self.take(delivery).boxed()
    }

    fn cursor(&self) -> BoxFuture<'_, Result<Option<Cursor>, SinkClosed>> {
        async move {
            let key = keys::cursor(&self.account.id);
            let record: Option<CursorRecord> =
                snapshot::get(self.shared.ledger.store().as_ref(), &key)
                    .map_err(|error| self.give_up(&error))?;
            Ok(record.map(|record| record.cursor))
        }
        .boxed()
    }

    fn link(&self, state: LinkState) {
        let now = self.shared.clock.now().wall;
        let link = Link::PlatformIn(self.account.id.clone());
        let account = &self.account.id;
        match state {
            LinkState::Alive => {
                if self.shared.health.alive(&link, now) {
                    info!(account.id = %account, link = "platform in", "connected");
                }
            }
            LinkState::Down { reason } => {
                if self.shared.health.down(&link, &reason, now) {
                    warn!(account.id = %account, link = "platform in", reason, "not connected; trying again");
                }
            }
            LinkState::Conflict { reason } => {
                if self.shared.health.down(&link, &reason, now) {
                    error!(account.id = %account, link = "platform in", reason, "somebody else uses the same credentials");
                }
            }
        }
    }
}

impl AccountIntake {
    async fn take(&self, delivery: Delivery) -> Result<(), SinkClosed> {
        let mut received = Vec::new();
        for event in delivery.events {
            match event {
                Ingress::Inbound(inbound) => received.push(Received::Inbound(Box::new(inbound))),
                Ingress::Quarantine { id, reason, raw } => {
                    warn!(account.id = %self.account.id, event.id = %id, %reason, "an event can't be read; kept in quarantine");
                    received.push(Received::Quarantine { id, reason, raw });
                }
                Ingress::Evidence { key, handle } => self.evidence(&key, handle).await,
            }
        }
        let plan = self.commit(received, delivery.cursor).await?;
        self.tell(plan).await;
        Ok(())
    }

    /// Returns when the plan is durable. Waits while the disk is too full for new work (P11): the
    /// platform keeps what is not acknowledged.
    async fn commit(
        &self,
        received: Vec<Received>,
        cursor: Option<Cursor>,
    ) -> Result<Plan, SinkClosed> {
        loop {
            if self.shared.is_closed() {
                return Err(SinkClosed);
            }
            let plan = self
                .plan(received.clone(), cursor.clone())
                .map_err(|error| self.give_up(&error))?;
            if plan.changes.is_empty() {
                return Ok(plan);
            }
            match self
                .shared
                .ledger
                .commit(CommitKind::Accept, plan.changes.clone())
                .await
            {
                Ok(()) => return Ok(plan),
                // Another delivery of the same event won: plan again, it is a duplicate now.
                Err(Error::Commit {
                    source: CommitError::Conflict { .. },
                    ..
                }) => {}
                Err(Error::Commit {
                    source: source @ CommitError::LowSpace { .. },
                    ..
                }) => {
                    let now = self.shared.clock.now().wall;
                    if self
                        .shared
                        .health
                        .down(&Link::Ledger, &source.to_string(), now)
                    {
                        error!(reason = %source, "the disk is nearly full: nothing more is accepted until there is space");
                    }
                    tokio::time::sleep(SPACE_AGAIN).await;
                }
                Err(error) => {
                    let cause = std::error::Error::source(&error).map(ToString::to_string);
                    error!(error = %error, error.cause = cause, "a delivery could not be accepted");
                    return Err(SinkClosed);
                }
            }
        }
    }

    fn plan(
        &self,
        received: Vec<Received>,
        cursor: Option<Cursor>,
    ) -> Result<Plan, talaria_core::Error> {
        let access = self.account.access();
        let door = Door {
            store: self.shared.ledger.store().as_ref(),
            account: &self.account.id,
            access: &access,
            now: self.shared.clock.now().wall,
        };
        let mut seq = || self.shared.ledger.next_seq(&self.account.id);
        // Reads wait for the store's writer; the other tasks of this thread must not.
        tokio::task::block_in_place(|| {
            plan(
                &door,
                received,
                cursor,
                &mut seq,
                &mut crate::pairing::new_code,
            )
        })
    }

    /// Tells the conversations, in the order of acceptance.
    async fn tell(&self, plan: Plan) {
        let counters = &self.shared.health.counters;
        Health::add(&counters.inbounds_accepted, plan.accepted.len());
        Health::add(&counters.inbounds_duplicate, plan.duplicates);
        Health::add(&counters.inbounds_refused, plan.refused);
        Health::add(&counters.inbounds_quarantined, plan.quarantined);
        let now = self.shared.clock.now().wall;
        if !plan.changes.is_empty() {
            self.shared.health.alive(&Link::Ledger, now);
        }
        for record in plan.accepted {
            self.shared
                .recent
                .note("inbound", record.seq.to_string(), "accepted", now);
            info!(
                account.id = %self.account.id,
                conversation.id = %record.conversation,
                inbound.id = %record.seq,
                inbound.key = %record.inbound.key,
                user.id = %record.inbound.sender.id,
                "accepted"
            );
            let (conversation, place) = (record.conversation.clone(), record.inbound.place.clone());
            let input = Input::Inbound(Box::new(record));
            self.shared
                .router
                .deliver(&self.account, conversation, place, input)
                .await;
        }
        for post in plan.notices {
            let (conversation, place) = (post.conversation.clone(), post.place.clone());
            let input = Input::Posted(Box::new(post));
            self.shared
                .router
                .deliver(&self.account, conversation, place, input)
                .await;
        }
    }

    /// P7: a message id that belongs to a post is always recorded.
    async fn evidence(&self, key: &WireKey, handle: talaria_types::Handle) {
        let ledger = self.shared.ledger.store().ledger_id().short();
        let Some((post, _)) = WireKey::parse(ledger, key.as_str()) else {
            return;
        };
        let key = keys::post(&self.account.id, post);
        let record: Result<Option<talaria_ledger::records::PostRecord>, _> =
            snapshot::get(self.shared.ledger.store().as_ref(), &key);
        if let Ok(Some(record)) = record {
            let (conversation, place) = (record.conversation.clone(), record.place.clone());
            let input = Input::Evidence {
                post: Box::new(record),
                handle,
            };
            self.shared
                .router
                .deliver(&self.account, conversation, place, input)
                .await;
        }
    }

    fn give_up(&self, error: &talaria_core::Error) -> SinkClosed {
        error!(account.id = %self.account.id, error = %error, "the ledger can't be read");
        self.shared.ledger.fail(&error.to_string());
        SinkClosed
    }
}
