//! 429s: what must stay, and until when.

use std::collections::BTreeMap;

use talaria_types::{AccountId, CallKind, ChatId, FailureScope, MessageId, Mono};

use super::{CallScope, Pacing, Penalty};

type Key = (AccountId, Option<ChatId>, Option<MessageId>);

/// The penalties in force, the longest for each scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Penalties(BTreeMap<Key, Penalty>);

impl Penalties {
    fn add(&mut self, penalty: Penalty) {
        let scope = &penalty.scope;
        let key = match penalty.part {
            FailureScope::Account => (scope.account.clone(), None, None),
            FailureScope::Chat => (scope.account.clone(), Some(scope.chat.clone()), None),
            FailureScope::Message => (
                scope.account.clone(),
                Some(scope.chat.clone()),
                scope.message.clone(),
            ),
        };
        let longer = self.0.get(&key).is_none_or(|old| old.until < penalty.until);
        if longer {
            self.0.insert(key, penalty);
        }
    }

    /// When nothing holds a call of this scope any more.
    pub(super) fn until(&self, scope: &CallScope) -> Option<Mono> {
        if self.0.is_empty() {
            return None;
        }
        let (account, chat) = (scope.account.clone(), scope.chat.clone());
        let of_account = self.0.get(&(account.clone(), None, None));
        let of_chat = self.0.get(&(account.clone(), Some(chat.clone()), None));
        let of_message = scope
            .message
            .clone()
            .and_then(|message| self.0.get(&(account, Some(chat), Some(message))));
        [of_account, of_chat, of_message]
            .into_iter()
            .flatten()
            .map(|penalty| penalty.until)
            .max()
    }

    pub(super) fn drop_ended(&mut self, now: Mono) {
        self.0.retain(|_, penalty| penalty.until > now);
    }
}

impl Pacing {
    /// Obeys a 429 for a call of `scope` and `kind`: nothing of `part` of that scope leaves before
    /// `until`, whatever its class or kind. The limits that the call counted in at that width are
    /// slowed (module text). A penalty of a message without an id concerns nothing.
    pub fn penalize(
        &mut self,
        scope: &CallScope,
        part: FailureScope,
        kind: CallKind,
        until: Mono,
        now: Mono,
    ) {
        if part == FailureScope::Message && scope.message.is_none() {
            return;
        }
        for wait in self.waits.values_mut() {
            if scope.covers(part, &wait.scope) {
                wait.penalty = wait.penalty.max(until);
            }
        }
        for (key, id) in &self.by_limit {
            if let Some(bucket) = self.buckets.get_mut(id)
                && key.concerned(part, kind, scope)
            {
                bucket.slow(now, until);
            }
        }
        self.penalties.add(Penalty {
            scope: scope.clone(),
            part,
            kind,
            until,
        });
    }

    /// The penalties that are in force at `now`. Those that last long enough to outlive a restart
    /// are kept by the caller and given to [`Pacing::penalize`] again.
    pub fn penalties(&self, now: Mono) -> impl Iterator<Item = &Penalty> {
        self.penalties
            .0
            .values()
            .filter(move |penalty| penalty.until > now)
    }
}
