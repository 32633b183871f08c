//! Step 4 of the path: the task that owns a conversation. It feeds the pure machine and carries
//! out its effects, in order.

mod effects;

pub(crate) use effects::make_call;
pub use effects::settlement_name;

use std::sync::Arc;
use std::time::Duration;

use talaria_core::Conversation;
use talaria_core::context::{Access, Context};
use talaria_core::conversation::Owner;
use talaria_core::io::Input;
use talaria_core::snapshot::Snapshot;
use talaria_types::{Capabilities, ConversationId, Mono, Place, UserId};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, error, info_span};

use crate::Error;
use crate::account::Account;
use crate::gateway::Shared;
use crate::health::Health;
use crate::mailbox::{Mailbox, MailboxReader};

/// An idle conversation's task leaves after this long.
const IDLE: Duration = Duration::from_secs(120);

pub struct SessionTask {
    shared: Arc<Shared>,
    account: Account,
    conversation: ConversationId,
    place: Place,
    mailbox: Mailbox,
    capabilities: Capabilities,
    after_crash: bool,
    /// The running turn's requests and tools.
    cancel: CancellationToken,
    wake: Option<Mono>,
    /// Platform calls whose answer has not come.
    calls: usize,
}

/// The account's rules at the moment of the question (P12).
struct CurrentAccess<'a>(&'a Account);

impl Access for CurrentAccess<'_> {
    fn allowed(&self, place: &Place, user: &UserId) -> bool {
        self.0.with_access(|table| table.allowed(place, user))
    }
}

impl SessionTask {
    pub(crate) fn new(
        shared: Arc<Shared>,
        account: Account,
        conversation: ConversationId,
        place: Place,
        mailbox: Mailbox,
        panicked: bool,
    ) -> Self {
        let capabilities = account.adapter.capabilities(&place);
        let after_crash = panicked || shared.after_crash(&account.id);
        let cancel = CancellationToken::new();
        Self {
            shared,
            account,
            conversation,
            place,
            mailbox,
            capabilities,
            after_crash,
            cancel,
            wake: None,
            calls: 0,
        }
    }

    pub(crate) async fn run(mut self, mut reader: MailboxReader) {
        let span = info_span!("conversation", account.id = %self.account.id, conversation.id = %self.conversation);
        let shared = Arc::clone(&self.shared);
        match self.serve(&mut reader).instrument(span).await {
            Ok(()) => {}
            // P13: records of one conversation that can't be used stop that one, and it is said.
            Err(error @ (Error::Core(talaria_core::Error::Record(_)) | Error::Record(_))) => {
                Health::add(&shared.health.counters.conversations_failed, 1);
                error!(conversation.id = %self.conversation, error = %crate::error::chain(&error), "a conversation can't be read; it is left alone");
            }
            // Whatever else it is, the ledger can't be trusted (P11).
            Err(error) => {
                error!(conversation.id = %self.conversation, error = %crate::error::chain(&error), "a conversation stopped");
                shared.ledger.fail(&error.to_string());
            }
        }
        self.cancel.cancel();
    }

    async fn serve(&mut self, reader: &mut MailboxReader) -> Result<(), Error> {
        let mut machine = self.restore().await?;
        let mut stop = self.shared.stopping();
        let mut ledger_failed = self.shared.ledger.failure();
        loop {
            let idle = machine.is_idle();
            let deadline = match (self.wake, idle) {
                (Some(at), _) => self.shared.clock.instant(at),
                (None, true) => tokio::time::Instant::now() + IDLE,
                // Nothing to wait for but an event; look again now and then all the same.
                (None, false) => tokio::time::Instant::now() + Duration::from_secs(30),
            };
            let input = tokio::select! {
                biased;
                () = failure(&mut ledger_failed) => return Ok(()),
                () = stop.cancelled() => return self.finish_calls(&mut machine, reader).await,
                Some(input) = reader.signals.recv() => input,
                Some(input) = reader.events.recv() => input,
                () = tokio::time::sleep_until(deadline) => {
                    if idle && self.wake.is_none() {
                        self.leave(reader).await;
                        return Ok(());
                    }
                    self.wake = None;
                    Input::Wake
                }
            };
            self.feed(&mut machine, input).await?;
        }
    }

    /// Leaves; what came in meanwhile goes to the next task.
    async fn leave(&self, reader: &mut MailboxReader) {
        let shared = &self.shared;
        let left =
            shared
                .router
                .leave(&self.conversation, &self.mailbox, reader, &shared.scheduler);
        for input in left {
            let (conversation, place) = (self.conversation.clone(), self.place.clone());
            shared
                .router
                .deliver(&self.account, conversation, place, input)
                .await;
        }
    }

    /// The gateway stops: no new call is made, and the calls that were made are answered and
    /// recorded, so that a restart which was asked for leaves nothing unresolved.
    async fn finish_calls(
        &mut self,
        machine: &mut Conversation,
        reader: &mut MailboxReader,
    ) -> Result<(), Error> {
        self.cancel.cancel();
        while self.calls > 0 {
            match reader.signals.recv().await {
                Some(input @ Input::CallDone { .. }) => self.feed(machine, input).await?,
                // A grant that came too late: what it was for is in the ledger.
                Some(_) => {}
                None => return Ok(()),
            }
        }
        Ok(())
    }

    async fn restore(&mut self) -> Result<Conversation, Error> {
        let (store, account, conversation) = (
            Arc::clone(self.shared.ledger.store()),
            self.account.id.clone(),
            self.conversation.clone(),
        );
        // Reads block; one conversation's must not hold up the others' tasks.
        let snapshot = tokio::task::spawn_blocking(move || {
            Snapshot::load(store.as_ref(), &account, &conversation)
        })
        .await
        .map_err(|_| Error::Store(talaria_ledger::store::StoreError::Panicked))??;
        let owner = Owner {
            epoch: self.shared.ledger.epoch(&self.account.id),
            ledger: self.shared.ledger.store().ledger_id().short(),
            after_crash: self.after_crash,
            first_fence: self.shared.first_fence(),
        };
        let access = CurrentAccess(&self.account);
        let mut machine = Conversation::restore(
            self.account.id.clone(),
            self.conversation.clone(),
            self.place.clone(),
            &snapshot,
            owner,
            &self.context(&access),
        );
        for input in snapshot.inputs() {
            self.feed(&mut machine, input).await?;
        }
        Ok(machine)
    }

    async fn feed(&mut self, machine: &mut Conversation, input: Input) -> Result<(), Error> {
        let answered = matches!(input, Input::CallDone { .. });
        let effects = {
            let access = CurrentAccess(&self.account);
            machine.on(input, &self.context(&access))?
        };
        self.carry_out(effects).await?;
        if answered {
            self.calls = self.calls.saturating_sub(1);
        }
        Ok(())
    }

    fn context<'a>(&'a self, access: &'a CurrentAccess<'a>) -> Context<'a> {
        Context {
            now: self.shared.clock.now(),
            capabilities: &self.capabilities,
            renderer: self.account.renderer.as_ref(),
            access,
            tools: &self.shared.agent,
            settings: &self.shared.settings,
        }
    }
}

/// Resolves when the ledger failed (P11).
async fn failure(failed: &mut tokio::sync::watch::Receiver<Option<String>>) {
    // An error means that the ledger is gone, which is no better.
    let _said = failed.wait_for(Option::is_some).await.is_ok();
}
