//! An independent account of what left, judged from the grants alone.

use std::collections::BTreeMap;

use talaria_types::FailureScope;

use super::*;

/// One call that left.
#[derive(Clone, Debug)]
pub(super) struct Left {
    pub(super) at: Mono,
    pub(super) request: Request,
}

/// Fails if some stretch of time holds more calls than a limit permits. `limits` are those of all
/// calls in `log`, which is in the order of time.
pub(super) fn check_limits(log: &[Left], limits: &[Limit]) {
    for limit in limits {
        let mut groups: BTreeMap<String, Vec<&Left>> = BTreeMap::new();
        for left in log {
            if limit.kinds.contains(&left.request.kind) {
                groups
                    .entry(group(limit, &left.request.scope))
                    .or_default()
                    .push(left);
            }
        }
        for (name, calls) in groups {
            check_stretches(limit, &name, &calls);
        }
    }
}

fn group(limit: &Limit, scope: &CallScope) -> String {
    let has = |part| limit.scope.contains(&part);
    let mut name = String::new();
    if has(ScopePart::Chat) || has(ScopePart::Account) {
        name += scope.account.as_str();
    }
    if has(ScopePart::Chat) {
        name = name + "/" + scope.chat.as_str();
    }
    if has(ScopePart::Method) {
        name = name + " " + scope.method.as_deref().unwrap_or_default();
    }
    name
}

fn check_stretches(limit: &Limit, name: &str, calls: &[&Left]) {
    let per = limit.per.as_micros();
    for (last, end) in calls.iter().enumerate() {
        let draft = end.request.class >= Class::FirstDraft;
        let kept = if draft { limit.kept_for_sealed } else { 0 };
        // A stretch that ends with a draft holds no more than what drafts may use, whoever used it.
        let burst = u128::from(limit.burst.saturating_sub(kept).max(1));
        for (first, start) in calls.iter().enumerate().take(last + 1) {
            let count = (last - first + 1) as u128;
            let time = u128::from(end.at.0 - start.at.0);
            assert!(
                count <= burst || (count - burst) * per <= time * u128::from(limit.calls),
                "{count} calls in {time} us at {name:?}, ending with {:?} at {:?}, break {limit:?}",
                end.request.class,
                end.at,
            );
        }
    }
}

/// What 429s forbid.
#[derive(Debug, Default)]
pub(super) struct Forbidden(Vec<(CallScope, FailureScope, Mono)>);

impl Forbidden {
    pub(super) fn add(&mut self, scope: CallScope, part: FailureScope, until: Mono) {
        self.0.push((scope, part, until));
    }

    /// When the call may leave as far as these are concerned.
    pub(super) fn until(&self, call: &CallScope) -> Mono {
        let concerned = |scope: &CallScope, part| match part {
            FailureScope::Account => scope.account == call.account,
            FailureScope::Chat => scope.account == call.account && scope.chat == call.chat,
            FailureScope::Message => scope == call && call.message.is_some(),
        };
        let ends = self
            .0
            .iter()
            .filter(|(scope, part, _)| concerned(scope, *part));
        ends.map(|(_, _, until)| *until).max().unwrap_or_default()
    }
}

#[test]
#[should_panic(expected = "3 calls in 999999 us")]
fn the_checker_sees_one_call_too_many() {
    let limits = [limit(CHAT, 1, SECOND, 2)];
    let left = |at| Left {
        at: Mono(at),
        request: request(1, Class::Sealed, &limits),
    };
    check_limits(&[left(0), left(1), left(999_999)], &limits);
}

#[test]
#[should_panic(expected = "2 calls in 0 us")]
fn the_checker_sees_a_draft_that_takes_what_is_kept() {
    let limits = [keeping(1, limit(CHAT, 1, SECOND, 2))];
    let left = |class| Left {
        at: Mono(0),
        request: request(1, class, &limits),
    };
    check_limits(&[left(Class::Sealed), left(Class::Draft)], &limits);
}
