//! The latest events, for `overview` and the playground's strip. Ids and states, no bodies.

use std::collections::VecDeque;
use std::sync::Mutex;

use serde::Serialize;
use talaria_types::Wall;

const KEPT: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    pub kind: &'static str,
    pub id: String,
    pub state: String,
    pub at_ms: Wall,
}

#[derive(Debug, Default)]
pub struct Recent(Mutex<VecDeque<Event>>);

impl Recent {
    /// Notes an event; an older one of the same thing is replaced.
    pub fn note(
        &self,
        kind: &'static str,
        id: impl Into<String>,
        state: impl Into<String>,
        at: Wall,
    ) {
        let event = Event {
            kind,
            id: id.into(),
            state: state.into(),
            at_ms: at,
        };
        let Ok(mut events) = self.0.lock() else {
            return;
        };
        events.retain(|known| known.kind != event.kind || known.id != event.id);
        events.push_front(event);
        events.truncate(KEPT);
    }

    #[must_use]
    pub fn list(&self) -> Vec<Event> {
        self.0
            .lock()
            .map(|events| events.iter().cloned().collect())
            .unwrap_or_default()
    }
}
