//! Which buckets a call counts in: limits are scope expressions, a call brings the values.

use std::time::Duration;

use talaria_types::{
    AccountId, CallKind, ChatId, FailureScope, Limit, MessageId, Mono, Place, ScopePart,
};

/// The values of a call for every scope expression.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallScope {
    pub account: AccountId,
    pub chat: ChatId,
    /// The message that the call changes; `None` for a create.
    pub message: Option<MessageId>,
    /// The platform's tenant, where it has such a thing.
    pub workspace: Option<String>,
    /// The platform's own bucket name, once it is known.
    pub route: Option<String>,
    /// The platform's method.
    pub method: Option<String>,
}

impl CallScope {
    #[must_use]
    pub fn new(place: &Place, message: Option<MessageId>) -> Self {
        Self {
            account: place.account.clone(),
            chat: place.chat.clone(),
            message,
            workspace: None,
            route: None,
            method: None,
        }
    }

    /// Whether what befell `part` of `self` befalls `other`.
    pub(super) fn covers(&self, part: FailureScope, other: &Self) -> bool {
        self.account == other.account
            && match part {
                FailureScope::Account => true,
                FailureScope::Chat => self.chat == other.chat,
                FailureScope::Message => {
                    self.chat == other.chat
                        && self.message.is_some()
                        && self.message == other.message
                }
            }
    }

    fn value(&self, part: ScopePart) -> Option<String> {
        match part {
            ScopePart::Ip => None,
            ScopePart::Account => Some(self.account.as_str().to_owned()),
            ScopePart::Chat => Some(self.chat.as_str().to_owned()),
            ScopePart::Message => self.message.as_ref().map(|id| id.as_str().to_owned()),
            ScopePart::Workspace => self.workspace.clone(),
            ScopePart::Route => self.route.clone(),
            ScopePart::Method => self.method.clone(),
        }
    }
}

/// Names a bucket: the limit's own data and the values of the call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BucketKey {
    /// Sorted. A value that a call lacks is `None`, which is a bucket too: calls of which less is
    /// known share one, so they are never limited less.
    pub(super) values: Vec<(ScopePart, Option<String>)>,
    pub(super) kinds: Vec<CallKind>,
    pub(super) calls: u32,
    pub(super) per: Duration,
    pub(super) burst: u32,
    /// `true`: the part of the limit that cosmetic calls may use.
    pub(super) cosmetic: bool,
}

impl BucketKey {
    /// The bucket of `limit` in which the call counts; `None` if it does not.
    pub(super) fn of(limit: &Limit, kind: CallKind, scope: &CallScope) -> Option<Self> {
        if !limit.kinds.contains(&kind) {
            return None;
        }
        let mut parts = limit.scope.clone();
        if parts.contains(&ScopePart::Message) {
            // A limit per message does not concern a call that has none yet. Ids of messages are
            // unique in their chat only.
            scope.message.as_ref()?;
            parts.push(ScopePart::Chat);
        }
        if parts
            .iter()
            .any(|part| matches!(part, ScopePart::Chat | ScopePart::Route))
        {
            parts.push(ScopePart::Account);
        }
        parts.sort_unstable();
        parts.dedup();
        let mut kinds = limit.kinds.clone();
        kinds.sort_unstable();
        kinds.dedup();
        Some(Self {
            values: parts
                .into_iter()
                .map(|part| (part, scope.value(part)))
                .collect(),
            kinds,
            calls: limit.calls,
            per: limit.per,
            burst: limit.burst,
            cosmetic: false,
        })
    }

    /// Whether a 429 for `part` of a call speaks of this bucket.
    pub(super) fn concerned(&self, part: FailureScope, kind: CallKind, scope: &CallScope) -> bool {
        let has = |wanted| self.values.iter().any(|(part, _)| *part == wanted);
        let narrow = if has(ScopePart::Message) {
            FailureScope::Message
        } else if has(ScopePart::Chat) || has(ScopePart::Route) {
            FailureScope::Chat
        } else {
            FailureScope::Account
        };
        narrow == part
            && !self.cosmetic
            && self.kinds.contains(&kind)
            && self
                .values
                .iter()
                .all(|(part, value)| *value == scope.value(*part))
    }
}

/// The part of `limit` that cosmetic calls may use: all of it if it counts nothing else, otherwise
/// a tenth of its rate and burst, at least a burst of one.
pub(super) fn cosmetic_share(limit: &Limit) -> Option<Limit> {
    let small = [
        CallKind::Signal,
        CallKind::React,
        CallKind::Answer,
        CallKind::Setup,
    ];
    if limit.kinds.iter().all(|kind| small.contains(kind)) {
        return None;
    }
    Some(Limit {
        per: limit.per.saturating_mul(10),
        burst: limit.burst.min((limit.burst / 10).max(1)),
        kept_for_sealed: 0,
        ..limit.clone()
    })
}

/// What cosmetic calls of one account may use at all, whatever the platform allows.
pub(super) fn cosmetic_budget() -> Limit {
    Limit {
        scope: vec![ScopePart::Account],
        kinds: CallKind::ALL.to_vec(),
        calls: 10,
        per: Duration::from_secs(1),
        burst: 10,
        kept_for_sealed: 0,
    }
}

/// A 429 that is being obeyed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Penalty {
    pub scope: CallScope,
    pub part: FailureScope,
    pub kind: CallKind,
    /// Nothing of the scope leaves before.
    pub until: Mono,
}
