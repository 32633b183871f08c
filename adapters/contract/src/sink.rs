//! Where an adapter puts what it receives.

use std::sync::Arc;

use futures::future::BoxFuture;
use talaria_types::{Handle, Inbound, WireKey};

/// A position in a platform's event stream, in the platform's own form (Telegram: the offset).
/// Durable together with the events before it.
pub type Cursor = String;

/// What is received together and becomes durable together, in one commit.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    pub events: Vec<Ingress>,
    /// The position after these events, for platforms that are asked from a position.
    pub cursor: Option<Cursor>,
}

/// One received event.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all events are inbounds")]
pub enum Ingress {
    Inbound(Inbound),
    /// A message id that belongs to one of our posts, seen in passing: an echo, a reply to it.
    Evidence {
        key: WireKey,
        handle: Handle,
    },
    /// Something that can't be read. `id` names it in logs; `raw` is capped by the adapter and
    /// carries no secret.
    Quarantine {
        id: String,
        reason: String,
        raw: String,
    },
}

/// What an adapter knows about its link to the platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// The platform answered just now.
    Alive,
    /// It does not answer; the adapter tries again.
    Down { reason: String },
    /// Somebody else uses the same credentials; the adapter tries again, slower.
    Conflict { reason: String },
}

/// The sink is closed; nothing more is accepted, and nothing more may be acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the gateway accepts no more events")]
pub struct SinkClosed;

/// The gateway's side of ingress. The runtime implements [`Intake`]; an adapter only sees this.
#[derive(Clone)]
pub struct Sink(Arc<dyn Intake>);

/// What the runtime implements behind a [`Sink`].
pub trait Intake: Send + Sync {
    fn accept(&self, delivery: Delivery) -> BoxFuture<'_, Result<(), SinkClosed>>;
    fn cursor(&self) -> BoxFuture<'_, Result<Option<Cursor>, SinkClosed>>;
    fn link(&self, state: LinkState);
}

impl Sink {
    #[must_use]
    pub fn new(intake: Arc<dyn Intake>) -> Self {
        Self(intake)
    }

    /// Takes a delivery. Returns only after its commit is durable, also for duplicates, so an
    /// adapter can't acknowledge early.
    pub async fn accept(&self, delivery: Delivery) -> Result<(), SinkClosed> {
        self.0.accept(delivery).await
    }

    /// The last durable cursor of this account, if there is one.
    pub async fn cursor(&self) -> Result<Option<Cursor>, SinkClosed> {
        self.0.cursor().await
    }

    /// Reports the state of the link. Call [`LinkState::Alive`] at each proof of life.
    pub fn link(&self, state: LinkState) {
        self.0.link(state);
    }
}
