//! The queue of a bot's updates: ids, filtering, faults, confirmation, retention.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::state::{NewUpdate, Queue, Update, UpdateFault};
use crate::clock::Now;

/// Kinds that an empty or absent `allowed_updates` leaves out (Bot API: getUpdates).
const NOT_BY_DEFAULT: [&str; 3] = ["chat_member", "message_reaction", "message_reaction_count"];
/// The first id of a queue; any number will do.
const FIRST_ID: i64 = 700_100;

impl Queue {
    pub(crate) fn new() -> Self {
        Self {
            waiting: VecDeque::new(),
            next_id: FIRST_ID,
            confirmed: 0,
            allowed: None,
            poller: None,
            next_poll: 0,
            last_offset: 0,
            last_start_us: None,
            last_conflict_us: None,
            withheld: None,
            faults: VecDeque::new(),
            reordering: Vec::new(),
        }
    }

    fn allows(&self, kind: &str) -> bool {
        match &self.allowed {
            Some(kinds) => kinds.iter().any(|allowed| allowed == kind),
            None => !NOT_BY_DEFAULT.contains(&kind),
        }
    }

    /// A new update. `allowed_updates` decides now: what is queued already is not affected by a
    /// later change.
    pub(crate) fn push(&mut self, update: NewUpdate) {
        if !self.allows(&update.kind) {
            return;
        }
        if let Some(held) = &mut self.withheld {
            held.push(update);
            return;
        }
        self.enqueue(update);
    }

    fn enqueue(&mut self, update: NewUpdate) {
        match self.faults.front().copied() {
            Some(UpdateFault::Duplicate { new_id }) => {
                self.faults.pop_front();
                self.append(update.clone());
                if !new_id {
                    self.next_id -= 1;
                }
                self.append(update);
            }
            Some(UpdateFault::Reorder { count }) => {
                self.reordering.push(update);
                if self.reordering.len() >= count {
                    self.faults.pop_front();
                    let group = std::mem::take(&mut self.reordering);
                    group
                        .into_iter()
                        .rev()
                        .for_each(|update| self.append(update));
                }
            }
            None => self.append(update),
        }
    }

    fn append(&mut self, update: NewUpdate) {
        let id = self.next_id;
        self.next_id += 1;
        let mut json = json!({"update_id": id});
        json[update.kind.as_str()] = update.body;
        self.waiting.push_back(Update {
            id,
            json,
            expires_us: update.expires_us,
        });
    }

    /// An update as it is; it gets an id if it has none.
    pub(crate) fn inject(&mut self, mut json: Value, expires_us: u64) -> i64 {
        let id = json
            .get("update_id")
            .and_then(Value::as_i64)
            .unwrap_or(self.next_id);
        json["update_id"] = json!(id);
        self.next_id = self.next_id.max(id.saturating_add(1));
        self.waiting.push_back(Update {
            id,
            json,
            expires_us,
        });
        id
    }

    pub(crate) fn withhold(&mut self) {
        self.withheld.get_or_insert_default();
    }

    pub(crate) fn release(&mut self) {
        for update in self.withheld.take().unwrap_or_default() {
            self.enqueue(update);
        }
    }

    pub(crate) fn clear_faults(&mut self) {
        self.faults.clear();
        for update in std::mem::take(&mut self.reordering) {
            self.append(update);
        }
    }

    /// Forgets what an offset confirms. A negative one keeps that many from the end; one beyond the
    /// queue confirms nothing.
    pub(crate) fn confirm(&mut self, offset: i64, now: Now) {
        self.expire(now);
        if offset < 0 {
            let keep = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
            while self.waiting.len() > keep {
                self.waiting.pop_front();
            }
        } else if offset > 0 && offset <= self.next_id {
            self.waiting.retain(|update| update.id >= offset);
            self.confirmed = self.confirmed.max(offset);
        }
    }

    pub(crate) fn expire(&mut self, now: Now) {
        self.waiting.retain(|update| update.expires_us > now.us);
    }
}
