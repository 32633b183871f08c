//! Who is next: classes in order, and within a class the conversations in turn.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound::{Excluded, Unbounded};

use talaria_types::ConversationId;

use super::Class;

/// A wait's number in one [`super::Pacing`]. Later waits have higher ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WaitId(pub(super) u64);

/// A conversation's place in the order.
pub(super) type Rank = (Class, u64);

/// The order of all waits. A conversation that joins a class goes to the end of it, and so does
/// one whose call was granted: that is the whole of round robin.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    /// Each conversation's waits of one class, oldest first.
    lanes: BTreeMap<Rank, VecDeque<WaitId>>,
    ranks: BTreeMap<(Class, ConversationId), u64>,
    last: u64,
}

impl Queue {
    pub(super) fn push(&mut self, class: Class, conversation: &ConversationId, wait: WaitId) {
        let key = (class, conversation.clone());
        let rank = self.ranks.get(&key).copied();
        if let Some(lane) = rank.and_then(|rank| self.lanes.get_mut(&(class, rank))) {
            lane.push_back(wait);
            return;
        }
        let rank = self.end();
        self.ranks.insert(key, rank);
        self.lanes.insert((class, rank), VecDeque::from([wait]));
    }

    /// Takes a wait out. If its call leaves, its conversation goes to the end; otherwise the
    /// conversation keeps its turn for its other waits.
    pub(super) fn remove(
        &mut self,
        class: Class,
        conversation: &ConversationId,
        wait: WaitId,
        served: bool,
    ) {
        let key = (class, conversation.clone());
        let Some(rank) = self.ranks.get(&key).copied() else {
            return;
        };
        let Some(mut lane) = self.lanes.remove(&(class, rank)) else {
            return;
        };
        lane.retain(|other| *other != wait);
        if lane.is_empty() {
            self.ranks.remove(&key);
            return;
        }
        let rank = if served { self.end() } else { rank };
        self.ranks.insert(key, rank);
        self.lanes.insert((class, rank), lane);
    }

    /// The first lane after `last`, with its place and its waits.
    pub(super) fn after(
        &self,
        last: Option<Rank>,
    ) -> Option<(Rank, impl Iterator<Item = WaitId> + '_)> {
        let from = last.map_or(Unbounded, Excluded);
        let (rank, lane) = self.lanes.range((from, Unbounded)).next()?;
        Some((*rank, lane.iter().copied()))
    }

    fn end(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}
