//! Step 3 of the path: each conversation has one task; the router finds or starts it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use std::time::Duration;

use talaria_core::io::Input;
use talaria_types::{ConversationId, Place};
use tracing::error;

use crate::account::Account;
use crate::gateway::Shared;
use crate::health::Health;
use crate::mailbox::{Closed, Mailbox, MailboxReader, mailbox};
use crate::scheduler::Scheduler;
use crate::session::SessionTask;
use crate::supervise::{self, Ended};

/// P13 settles what crashed three times; beyond that something else is wrong.
const PANICS: u32 = 6;

#[derive(Default)]
pub struct Router {
    mailboxes: Mutex<BTreeMap<ConversationId, Mailbox>>,
    /// Conversations whose task panicked, and how often.
    panics: Mutex<BTreeMap<ConversationId, u32>>,
    shared: std::sync::OnceLock<Weak<Shared>>,
}

impl Router {
    pub(crate) fn attach(&self, shared: &Arc<Shared>) {
        let _once = self.shared.set(Arc::downgrade(shared));
    }

    /// Hands an input to the conversation's task, which is started if there is none. What the
    /// input speaks of is durable, so a task that starts may find it in the ledger as well; the
    /// machine knows it then.
    pub async fn deliver(
        &self,
        account: &Account,
        conversation: ConversationId,
        place: Place,
        input: Input,
    ) {
        let Some(shared) = self.shared.get().and_then(Weak::upgrade) else {
            return;
        };
        if shared.is_closed() {
            return;
        }
        let mut input = input;
        // A task that just left gives the input back; the next one takes it.
        while !shared.is_closed() {
            let mailbox = self.find_or_start(account, &conversation, place.clone(), &shared);
            match mailbox.send(input).await {
                Ok(()) => return,
                Err(Closed(back)) => input = *back,
            }
        }
    }

    /// Starts the task of a conversation that owes something.
    pub fn wake(&self, account: &Account, conversation: &ConversationId, place: Place) {
        if let Some(shared) = self.shared.get().and_then(Weak::upgrade) {
            self.find_or_start(account, conversation, place, &shared);
        }
    }

    /// How many conversations have a task.
    #[must_use]
    pub fn active(&self) -> usize {
        self.lock().len()
    }

    /// A task leaves: nothing more reaches its mailbox. What had come in by then is returned, to
    /// be delivered again.
    pub(crate) fn leave(
        &self,
        conversation: &ConversationId,
        mailbox: &Mailbox,
        reader: &mut MailboxReader,
        scheduler: &Scheduler,
    ) -> Vec<Input> {
        let mut mailboxes = self.lock();
        if mailboxes
            .get(conversation)
            .is_some_and(|known| known.same(mailbox))
        {
            mailboxes.remove(conversation);
            // Under the same lock as a successor's registration.
            scheduler.forget(conversation);
        }
        reader.close()
    }

    fn find_or_start(
        &self,
        account: &Account,
        conversation: &ConversationId,
        place: Place,
        shared: &Arc<Shared>,
    ) -> Mailbox {
        let mut mailboxes = self.lock();
        if let Some(mailbox) = mailboxes
            .get(conversation)
            .filter(|mailbox| !mailbox.is_closed())
        {
            return mailbox.clone();
        }
        let (mailbox, reader) = mailbox();
        mailboxes.insert(conversation.clone(), mailbox.clone());
        shared
            .scheduler
            .register(conversation.clone(), mailbox.clone());
        drop(mailboxes);
        let task = SessionTask::new(
            Arc::clone(shared),
            account.clone(),
            conversation.clone(),
            place.clone(),
            mailbox.clone(),
            self.panicked(conversation) > 0,
        );
        let running = supervise::spawn("session", shared.sessions.track_future(task.run(reader)));
        let (shared, conversation, account) =
            (Arc::clone(shared), conversation.clone(), account.clone());
        supervise::spawn("session end", async move {
            if !matches!(running.await, Ok(Ended::Done(()))) {
                shared
                    .router
                    .restart(&shared, account, conversation, place)
                    .await;
            }
        });
        mailbox
    }

    /// P13: a panic counts like a crash, for its conversation alone: the task is started again
    /// from the ledger, which gives up what panics again and again.
    async fn restart(
        &self,
        shared: &Arc<Shared>,
        account: Account,
        conversation: ConversationId,
        place: Place,
    ) {
        Health::add(&shared.health.counters.task_panics, 1);
        {
            let mut mailboxes = self.lock();
            // An inbound may have started a successor already.
            if mailboxes.get(&conversation).is_some_and(Mailbox::is_closed) {
                mailboxes.remove(&conversation);
            }
        }
        let count = {
            let mut panics = self.panics.lock().unwrap_or_else(PoisonError::into_inner);
            let count = panics.entry(conversation.clone()).or_default();
            *count += 1;
            *count
        };
        if count > PANICS {
            error!(conversation.id = %conversation, "its task panics again and again; left alone until the next start");
            return;
        }
        tokio::time::sleep(Duration::from_millis(200) * count).await;
        self.wake(&account, &conversation, place);
    }

    fn panicked(&self, conversation: &ConversationId) -> u32 {
        let panics = self.panics.lock().unwrap_or_else(PoisonError::into_inner);
        panics.get(conversation).copied().unwrap_or_default()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<ConversationId, Mailbox>> {
        self.mailboxes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
