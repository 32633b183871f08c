//! A sink whose commits the test controls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::{BoxFuture, Either, FutureExt as _, select};
use tokio::sync::watch;

use talaria_types::{Content, Inbound};

use crate::{Adapter, Cursor, Delivery, Exit, Ingress, Intake, LinkState, Sink, SinkClosed};

/// Takes what an adapter receives. Commits at once, or only when the test says so.
#[derive(Debug)]
pub struct TestIntake {
    state: Mutex<State>,
    changed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    committed: Vec<Ingress>,
    cursor: Option<Cursor>,
    links: Vec<LinkState>,
    /// Deliveries that came, whether they are committed or not.
    offered: usize,
    held: bool,
    closed: bool,
}

impl TestIntake {
    /// An intake that starts at `cursor`.
    #[must_use]
    pub fn new(cursor: Option<Cursor>) -> Arc<Self> {
        let state = Mutex::new(State {
            cursor,
            ..State::default()
        });
        Arc::new(Self {
            state,
            changed: watch::Sender::new(0),
        })
    }

    #[must_use]
    pub fn sink(self: &Arc<Self>) -> Sink {
        Sink::new(Arc::clone(self) as Arc<dyn Intake>)
    }

    /// From now on commits wait.
    pub fn hold(&self) {
        self.change(|state| state.held = true);
    }

    /// From now on nothing is accepted.
    pub fn close(&self) {
        self.change(|state| state.closed = true);
    }

    /// How many deliveries came, committed or not.
    #[must_use]
    pub fn offered(&self) -> usize {
        self.state().offered
    }

    #[must_use]
    pub fn durable_cursor(&self) -> Option<Cursor> {
        self.state().cursor.clone()
    }

    /// The committed inbounds, in order.
    #[must_use]
    pub fn inbounds(&self) -> Vec<Inbound> {
        let inbound = |event: &Ingress| match event {
            Ingress::Inbound(inbound) => Some(inbound.clone()),
            Ingress::Evidence { .. } | Ingress::Quarantine { .. } => None,
        };
        self.state().committed.iter().filter_map(inbound).collect()
    }

    /// The texts of the committed messages, in order.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let text = |inbound: Inbound| match inbound.content {
            Content::Text { text } => Some(text),
            Content::Command { .. }
            | Content::Edit { .. }
            | Content::Press { .. }
            | Content::Unsupported { .. } => None,
        };
        self.inbounds().into_iter().filter_map(text).collect()
    }

    /// The raw texts that were set aside.
    #[must_use]
    pub fn quarantined(&self) -> Vec<String> {
        let raw = |event: &Ingress| match event {
            Ingress::Quarantine { raw, .. } => Some(raw.clone()),
            Ingress::Inbound(_) | Ingress::Evidence { .. } => None,
        };
        self.state().committed.iter().filter_map(raw).collect()
    }

    #[must_use]
    pub fn links(&self) -> Vec<LinkState> {
        self.state().links.clone()
    }

    /// Waits until `condition` holds of this intake or of anything that it tells of. It is looked
    /// at again at each change here, and every few milliseconds for what changes elsewhere.
    pub async fn until(&self, condition: impl Fn(&Self) -> bool) {
        let mut changes = self.changed.subscribe();
        while !condition(self) {
            let elsewhere = tokio::time::sleep(std::time::Duration::from_millis(10));
            let _either_way = select(Box::pin(changes.changed()), Box::pin(elsewhere)).await;
        }
    }

    /// Receives with `adapter` while `scenario` runs; the receiving stops, like a crash, when the
    /// scenario is over.
    pub async fn receiving(
        self: &Arc<Self>,
        adapter: &dyn Adapter,
        scenario: impl Future<Output = ()>,
    ) {
        let ingress = adapter.ingress(self.sink());
        match select(ingress, Box::pin(scenario)).await {
            Either::Left((exit, _)) => panic!("receiving stopped: {exit:?}"),
            Either::Right(((), _)) => {}
        }
    }

    /// Receives until the adapter stops by itself.
    pub async fn received(self: &Arc<Self>, adapter: &dyn Adapter) -> Exit {
        adapter.ingress(self.sink()).await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.send_modify(|version| *version += 1);
    }
}

impl Intake for TestIntake {
    fn accept(&self, delivery: Delivery) -> BoxFuture<'_, Result<(), SinkClosed>> {
        self.change(|state| state.offered += 1);
        async move {
            self.until(|intake| {
                let state = intake.state();
                state.closed || !state.held
            })
            .await;
            if self.state().closed {
                return Err(SinkClosed);
            }
            self.change(|state| {
                state.committed.extend(delivery.events);
                state.cursor = delivery.cursor.or(state.cursor.take());
            });
            Ok(())
        }
        .boxed()
    }

    fn cursor(&self) -> BoxFuture<'_, Result<Option<Cursor>, SinkClosed>> {
        async move {
            let state = self.state();
            if state.closed {
                Err(SinkClosed)
            } else {
                Ok(state.cursor.clone())
            }
        }
        .boxed()
    }

    fn link(&self, link: LinkState) {
        self.change(|state| state.links.push(link));
    }
}
