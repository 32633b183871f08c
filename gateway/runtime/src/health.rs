//! What an operator sees: counters, and for each link of the path its state, since when, and its
//! last proof of life.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use talaria_types::{AccountId, Wall};

/// The links that are told apart in health, logs and metrics.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    PlatformIn(AccountId),
    PlatformOut(AccountId),
    Model,
    Ledger,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkHealth {
    pub link: Link,
    pub up: bool,
    /// Why it is down; scrubbed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub since: Wall,
    /// The last proof of life; 0: never.
    pub alive: Wall,
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// Counters since the start of the process.
        #[derive(Debug, Default)]
        pub struct Counters {
            $($(#[$doc])* pub $name: AtomicU64,)+
        }

        impl Counters {
            /// Name and value of each, in a fixed order.
            #[must_use]
            pub fn values(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name.load(Ordering::Relaxed)),)+]
            }
        }
    };
}

counters! {
    /// Inbounds whose acceptance is durable.
    inbounds_accepted,
    /// Deliveries of an inbound that was known already.
    inbounds_duplicate,
    /// Inbounds of people without access.
    inbounds_refused,
    /// Events that could not be read.
    inbounds_quarantined,
    turns_started,
    turns_continued,
    turns_settled,
    turns_failed,
    model_requests,
    model_failures,
    tool_calls,
    posts_delivered,
    /// Settled in a way that an operator should look at.
    posts_troubled,
    /// Sent once more with the visible label.
    posts_labelled,
    platform_calls,
    platform_failures,
    /// Answers that asked for a pause.
    rate_limited,
    commits,
    task_panics,
    /// Conversations whose records can't be used; they are left alone.
    conversations_failed,
}

#[derive(Debug, Default)]
pub struct Health {
    pub counters: Counters,
    links: Mutex<BTreeMap<Link, LinkHealth>>,
}

impl Health {
    pub fn add(counter: &AtomicU64, by: usize) {
        counter.fetch_add(u64::try_from(by).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// A proof of life. Returns true if the link was not up before.
    pub fn alive(&self, link: &Link, now: Wall) -> bool {
        self.set(link, None, now)
    }

    /// The link does not work. Returns true if it did before, or for another reason.
    pub fn down(&self, link: &Link, reason: &str, now: Wall) -> bool {
        self.set(link, Some(talaria_types::secret::scrub(reason)), now)
    }

    fn set(&self, link: &Link, reason: Option<String>, now: Wall) -> bool {
        let Ok(mut links) = self.links.lock() else {
            return false;
        };
        let up = reason.is_none();
        match links.get_mut(link) {
            Some(known) => {
                let changed = known.up != up || known.reason != reason;
                if known.up != up {
                    known.since = now;
                }
                known.up = up;
                known.reason = reason;
                if up {
                    known.alive = now;
                }
                changed
            }
            None => {
                let alive = if up { now } else { Wall(0) };
                let health = LinkHealth {
                    link: link.clone(),
                    up,
                    reason,
                    since: now,
                    alive,
                };
                links.insert(link.clone(), health);
                true
            }
        }
    }

    #[must_use]
    pub fn links(&self) -> Vec<LinkHealth> {
        self.links
            .lock()
            .map(|links| links.values().cloned().collect())
            .unwrap_or_default()
    }

    /// Every link that was ever used is up, and each account has received something.
    #[must_use]
    pub fn ready(&self) -> bool {
        let links = self.links();
        let receives = links
            .iter()
            .any(|link| matches!(link.link, Link::PlatformIn(_)));
        receives
            && links.iter().all(|link| {
                // A model or a platform's send side that failed once shows red, yet the gateway
                // is ready: messages are accepted and kept.
                link.up || !matches!(link.link, Link::PlatformIn(_) | Link::Ledger)
            })
    }
}
