//! The gateway: accounts, what they share, recovery at the start, and the end.

mod receiving;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::future::join_all;
use talaria_contract::{Exit, Sink};
use talaria_core::context::Settings;
use talaria_core::io::Input;
use talaria_core::snapshot;
use talaria_ledger::Changes;
use talaria_ledger::keys;
use talaria_ledger::records::{AccountRecord, PairingRecord, PairingState};
use talaria_types::crash::CommitKind;
use talaria_types::{AccountId, ConversationId, Place};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::TaskTracker;
use tracing::{error, info, warn};

use crate::Error;
use receiving::{ending_of, receive, set_up};

use crate::account::{Account, AccountSettings};
use crate::agent::Agent;
use crate::clock::Clock;
use crate::commit::Ledger;
use crate::health::{Health, Link};
use crate::intake::AccountIntake;
use crate::pairing::{self, Verdict};
use crate::recent::Recent;
use crate::router::Router;
use crate::scheduler::Scheduler;
use crate::supervise::{self, Ended};

/// How long a shutdown waits for calls in flight.
const DRAIN: Duration = Duration::from_secs(10);

/// What composition gives.
pub struct GatewaySettings {
    pub agent: Agent,
    pub core: Settings,
    pub accounts: Vec<AccountSettings>,
}

/// What every task may use.
pub struct Shared {
    pub clock: Clock,
    pub ledger: Ledger,
    pub health: Health,
    pub recent: Recent,
    pub scheduler: Scheduler,
    pub router: Router,
    pub agent: Agent,
    pub settings: Settings,
    /// Accounts whose last process did not say goodbye.
    crashed: BTreeMap<AccountId, bool>,
    closing: CancellationToken,
    /// Every session task, for the end.
    pub(crate) sessions: TaskTracker,
    /// How many session tasks were started: each numbers its attempts from another range.
    started: AtomicU64,
}

impl Shared {
    #[must_use]
    pub fn after_crash(&self, account: &AccountId) -> bool {
        self.crashed.get(account).copied().unwrap_or(true)
    }

    /// Where a new session task's fences begin: no two tasks of a process share one.
    pub(crate) fn first_fence(&self) -> u64 {
        (self.started.fetch_add(1, Ordering::Relaxed) + 1) << 32
    }

    /// How many posts are owed now, over all accounts. Reads the index.
    #[must_use]
    pub fn owed(&self) -> usize {
        let count = |account: &AccountId| {
            let prefix = keys::prefix(account, keys::Tag::Owed);
            snapshot::scan_all(self.ledger.store().as_ref(), &prefix).map_or(0, |owed| owed.len())
        };
        self.crashed.keys().map(count).sum()
    }

    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closing.is_cancelled() || self.ledger.failure().borrow().is_some()
    }

    #[must_use]
    pub(crate) fn stopping(&self) -> StopSignal {
        StopSignal(Box::pin(self.closing.clone().cancelled_owned()))
    }
}

/// Resolves when the gateway stops.
pub(crate) struct StopSignal(std::pin::Pin<Box<WaitForCancellationFutureOwned>>);

impl StopSignal {
    pub(crate) async fn cancelled(&mut self) {
        self.0.as_mut().await;
    }
}

/// Why the gateway ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It was asked to.
    Stopped,
    /// P11.
    LedgerFailed { reason: String },
    /// Every account's credentials are refused.
    Unauthorized { details: Vec<String> },
}

pub struct Gateway {
    shared: Arc<Shared>,
    accounts: Vec<Account>,
}

impl Gateway {
    /// Takes over the accounts in the ledger. Nothing is received or sent yet.
    ///
    /// # Errors
    /// The ledger's.
    pub fn open(ledger: Ledger, clock: Clock, settings: GatewaySettings) -> Result<Self, Error> {
        let mut accounts = Vec::new();
        let mut crashed = BTreeMap::new();
        // The platform still counts what an earlier process sent.
        let mut resumed = false;
        for mut account in settings.accounts {
            let id = account.account.clone();
            if crashed.contains_key(&id) {
                return Err(Error::DuplicateAccount { account: id });
            }
            for record in crate::pairing::list(ledger.store().as_ref(), &id)? {
                if matches!(record.state, PairingState::Approved { .. }) {
                    account.access.paired.insert(record.user);
                }
            }
            let known: Option<AccountRecord> =
                snapshot::get(ledger.store().as_ref(), &keys::account(&id))?;
            resumed |= known.is_some();
            crashed.insert(id, known.is_some_and(|record| !record.clean));
            accounts.push(Account::new(account));
        }
        let shared = Arc::new(Shared {
            clock,
            ledger,
            health: Health::default(),
            recent: Recent::default(),
            scheduler: Scheduler::new(clock, resumed),
            router: Router::default(),
            agent: settings.agent,
            settings: settings.core,
            crashed,
            closing: CancellationToken::new(),
            sessions: TaskTracker::new(),
            started: AtomicU64::new(0),
        });
        shared.router.attach(&shared);
        Ok(Self { shared, accounts })
    }

    #[must_use]
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    #[must_use]
    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// Runs until `stop` is cancelled, the ledger fails, or no account is left.
    ///
    /// # Errors
    /// The ledger's, during the start.
    pub async fn run(&self, stop: CancellationToken) -> Result<Ending, Error> {
        let scheduler = self.shared.scheduler.clone();
        let scheduling = supervise::spawn("scheduler", async move { scheduler.run().await });
        self.say_hello(false).await?;
        let receiving = self.receive();
        self.recover()?;
        let mut failed = self.shared.ledger.failure();
        let all_gone = join_all(receiving);
        let ending = tokio::select! {
            biased;
            () = stop.cancelled() => Ending::Stopped,
            reason = failed.wait_for(Option::is_some) => Ending::LedgerFailed {
                reason: reason.ok().and_then(|reason| reason.clone()).unwrap_or_default(),
            },
            exits = all_gone => ending_of(exits),
        };
        self.shared.scheduler.close();
        self.shared.closing.cancel();
        if ending == Ending::Stopped {
            self.drain().await;
        }
        scheduling.abort();
        if ending == Ending::Stopped {
            self.say_hello(true).await?;
        }
        info!(ending = ?ending, "the gateway ends");
        Ok(ending)
    }

    /// Sessions end when the calls that they made are answered and recorded; no new call leaves.
    async fn drain(&self) {
        self.shared.sessions.close();
        if tokio::time::timeout(DRAIN, self.shared.sessions.wait())
            .await
            .is_err()
        {
            warn!("some platform calls were not answered in time; the ledger knows them");
        }
    }

    /// Says in the ledger that a process runs here, or that it said goodbye.
    async fn say_hello(&self, clean: bool) -> Result<(), Error> {
        for account in &self.accounts {
            let key = keys::account(&account.id);
            let now = self.shared.clock.now().wall;
            let known: Option<AccountRecord> =
                snapshot::get(self.shared.ledger.store().as_ref(), &key)?;
            let mut record = known.unwrap_or_else(|| AccountRecord {
                account: account.id.clone(),
                first_seen: now,
                clean,
                unknown: Default::default(),
            });
            record.clean = clean;
            let mut changes = Changes::new(account.id.clone());
            changes.put(key, &record)?;
            self.shared
                .ledger
                .commit(CommitKind::Recovery, changes)
                .await?;
        }
        Ok(())
    }

    /// Starts receiving on every account.
    fn receive(&self) -> Vec<tokio::task::JoinHandle<Ended<Exit>>> {
        let start = |account: &Account| {
            let intake = AccountIntake {
                account: account.clone(),
                shared: Arc::clone(&self.shared),
            };
            let sink = Sink::new(Arc::new(intake));
            let (adapter, shared) = (Arc::clone(&account.adapter), Arc::clone(&self.shared));
            let (id, name) = (account.id.clone(), account.name.clone());
            let closing = self.shared.closing.clone();
            let setup = account.clone();
            supervise::spawn("command menu", async move { set_up(&setup).await });
            supervise::spawn("ingress", async move {
                let receiving = receive(adapter.as_ref(), sink, &shared, &id);
                let exit = tokio::select! {
                    exit = receiving => exit,
                    () = closing.cancelled() => Exit::SinkClosed,
                };
                if let Exit::Unauthorized { detail } = &exit {
                    let now = shared.clock.now().wall;
                    shared
                        .health
                        .down(&Link::PlatformIn(id.clone()), detail, now);
                    error!(account.id = %id, account.name = name, detail, "the platform refuses the credentials; this account is down");
                }
                exit
            })
        };
        self.accounts.iter().map(start).collect()
    }

    /// Every conversation that owes something gets its task. Reads indexes only; delivered posts
    /// are not looked at.
    fn recover(&self) -> Result<(), Error> {
        let store = self.shared.ledger.store().as_ref();
        for account in &self.accounts {
            let pending = snapshot::pending(store, &account.id)?;
            if !pending.is_empty() {
                info!(account.id = %account.id, conversations = pending.len(), "taking up what is owed");
            }
            for conversation in pending {
                match place_of(store, &account.id, &conversation)? {
                    Some(place) => self.shared.router.wake(account, &conversation, place),
                    None => {
                        warn!(conversation.id = %conversation, "an index names a conversation without a place")
                    }
                }
            }
        }
        Ok(())
    }

    /// Changes who is let in, for everything decided from now on, and durably.
    ///
    /// # Errors
    /// [`Error::NoPairing`], or the ledger's.
    pub async fn pair(&self, wanted: &str, verdict: Verdict) -> Result<PairingRecord, Error> {
        let now = self.shared.clock.now().wall;
        let (ledger, store) = (&self.shared.ledger, self.shared.ledger.store());
        for account in &self.accounts {
            let seq = ledger.next_seq(&account.id);
            let found = pairing::answer(store.as_ref(), &account.id, wanted, verdict, now, seq);
            let answer = match found {
                Ok(answer) => answer,
                Err(Error::NoPairing { .. }) => continue,
                Err(error) => return Err(error),
            };
            ledger.commit(CommitKind::Pairing, answer.changes).await?;
            let user = answer.record.user.clone();
            account.change_access(|table| {
                match verdict {
                    Verdict::Approve => table.paired.insert(user),
                    Verdict::Revoke => table.paired.remove(&user),
                };
            });
            if let Some(post) = answer.notice {
                let (conversation, place) = (post.conversation.clone(), post.place.clone());
                let input = Input::Posted(Box::new(post));
                self.shared
                    .router
                    .deliver(account, conversation, place, input)
                    .await;
            }
            return Ok(answer.record);
        }
        Err(Error::NoPairing {
            wanted: wanted.to_owned(),
        })
    }
}

/// Where a conversation is: from its session, its oldest open inbound or an owed post.
fn place_of(
    store: &dyn talaria_ledger::store::Store,
    account: &AccountId,
    conversation: &ConversationId,
) -> Result<Option<Place>, Error> {
    let found = snapshot::Snapshot::load(store, account, conversation)?;
    let session = found.session.map(|session| session.place);
    let open = found
        .open
        .into_iter()
        .next()
        .map(|record| record.inbound.place);
    let post = found.posts.into_iter().next().map(|post| post.place);
    Ok(session.or(open).or(post))
}
