//! Random wants under random limits.

use std::collections::BTreeMap;

use proptest::prelude::*;
use talaria_types::FailureScope;

use super::model::{Forbidden, Left, check_limits};
use super::*;
use crate::pacing::Reason;
use crate::pacing::grant::PATIENCE;

#[derive(Clone, Debug)]
enum Step {
    Want {
        account: u64,
        chat: u64,
        post: u16,
        class: Class,
        kind: CallKind,
        delay: u64,
    },
    Unwant {
        chat: u64,
        post: u16,
    },
    Poll {
        after: u64,
    },
    PollAtNext,
    Penalize {
        chat: u64,
        part: FailureScope,
        kind: CallKind,
        time: u64,
    },
}

fn kinds() -> impl Strategy<Value = CallKind> {
    prop_oneof![
        Just(CallKind::Create),
        Just(CallKind::Edit),
        Just(CallKind::Signal)
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let class = prop_oneof![
        Just(Class::Urgent),
        Just(Class::Sealed),
        Just(Class::FirstDraft),
        Just(Class::Draft),
        Just(Class::Cosmetic),
    ];
    let delay = prop_oneof![3 => Just(0), 1 => 1..3_000_000_u64];
    let want = (1..3_u64, 0..5_u64, 0..3_u16, class, kinds(), delay).prop_map(
        |(account, chat, post, class, kind, delay)| Step::Want {
            account,
            chat,
            post,
            class,
            kind,
            delay,
        },
    );
    let part = prop_oneof![
        3 => Just(FailureScope::Chat),
        1 => Just(FailureScope::Account),
        1 => Just(FailureScope::Message),
    ];
    let step = prop_oneof![
        12 => want,
        1 => (0..5_u64, 0..3_u16).prop_map(|(chat, post)| Step::Unwant { chat, post }),
        3 => (0..2_000_000_u64).prop_map(|after| Step::Poll { after }),
        9 => Just(Step::PollAtNext),
        1 => (0..5_u64, part, kinds(), 0..20_000_000_u64).prop_map(|(chat, part, kind, time)| {
            Step::Penalize { chat, part, kind, time }
        }),
    ];
    prop::collection::vec(step, 1..160)
}

fn limits() -> impl Strategy<Value = Vec<Limit>> {
    let scope = prop_oneof![
        3 => Just(CHAT.to_vec()),
        2 => Just(ACCOUNT.to_vec()),
        1 => Just(vec![ScopePart::Account, ScopePart::Method]),
        1 => Just(vec![ScopePart::Ip]),
    ];
    let kinds = prop_oneof![
        2 => Just(vec![CallKind::Create, CallKind::Edit]),
        1 => Just(CallKind::ALL.to_vec()),
        1 => Just(vec![CallKind::Signal]),
    ];
    let limit = (scope, kinds, 1..40_u32, 100..60_000_u64, 1..8_u32, 0..4_u32).prop_map(
        |(scope, kinds, calls, per, burst, kept_for_sealed)| Limit {
            scope,
            kinds,
            calls,
            per: Duration::from_millis(per),
            burst,
            kept_for_sealed,
        },
    );
    prop::collection::vec(limit, 1..5)
}

/// A run of steps, with what the outside knows about it.
struct Run {
    pacing: Pacing,
    limits: Vec<Limit>,
    wanted: BTreeMap<SlotKey, Request>,
    forbidden: Forbidden,
    log: Vec<Left>,
    now: Mono,
}

impl Run {
    fn new(limits: Vec<Limit>) -> Self {
        Self {
            pacing: Pacing::new(),
            limits,
            wanted: BTreeMap::new(),
            forbidden: Forbidden::default(),
            log: Vec::new(),
            now: seconds(1),
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Want {
                account,
                chat,
                post,
                class,
                kind,
                delay,
            } => {
                let mut scope = scope(account, chat);
                scope.method = Some(kind.name().to_owned());
                let not_before = (delay > 0).then(|| Mono(self.now.0 + delay));
                let limits = self.limits.clone();
                let request = Request {
                    key: key(chat, post),
                    class,
                    kind,
                    scope,
                    limits,
                    not_before,
                };
                self.wanted.insert(request.key.clone(), request.clone());
                self.pacing.want(request, self.now);
            }
            Step::Unwant { chat, post } => {
                self.wanted.remove(&key(chat, post));
                self.pacing.unwant(&key(chat, post));
            }
            Step::Poll { after } => {
                self.now = Mono(self.now.0 + after);
                self.poll();
            }
            Step::PollAtNext => self.poll_at_next(),
            Step::Penalize {
                chat,
                part,
                kind,
                time,
            } => {
                let until = Mono(self.now.0 + time);
                let mut scope = scope(1, chat);
                scope.method = Some(kind.name().to_owned());
                self.pacing.penalize(&scope, part, kind, until, self.now);
                self.forbidden.add(scope, part, until);
            }
        }
        assert_eq!(self.pacing.waiting(), self.wanted.len());
    }

    fn poll(&mut self) -> usize {
        let granted = self.pacing.poll(self.now);
        let count = granted.len();
        for key in granted {
            let request = self.wanted.remove(&key).expect("granted what nobody wants");
            assert!(
                request.not_before.is_none_or(|at| at <= self.now),
                "too early: {request:?}"
            );
            assert!(
                self.forbidden.until(&request.scope) <= self.now,
                "forbidden: {request:?}"
            );
            self.log.push(Left {
                at: self.now,
                request,
            });
        }
        self.check_nothing_is_held_back();
        count
    }

    /// What waits after a poll has a reason; "it is not its turn" only if somebody has a claim.
    fn check_nothing_is_held_back(&self) {
        let claims = self
            .pacing
            .waits
            .values()
            .any(|wait| wait.robbed >= PATIENCE);
        for wait in self.pacing.waits(self.now) {
            let request = &self.wanted[&wait.key];
            let forbidden = self.forbidden.until(&request.scope) > self.now;
            let early = request.not_before.is_some_and(|at| at > self.now);
            match wait.reason {
                Reason::Penalty => assert!(forbidden, "{wait:?}"),
                Reason::NotBefore => assert!(early, "{wait:?}"),
                Reason::Limit => assert!(!forbidden && !early, "{wait:?}"),
                Reason::Turn => assert!(claims, "{wait:?}"),
            }
        }
    }

    fn poll_at_next(&mut self) {
        let Some(next) = self.pacing.next_at(self.now) else {
            let far = Mono(self.now.0 + 1_000_000_000_000);
            assert_eq!(
                self.pacing.clone().poll(far),
                [],
                "next_at missed something"
            );
            return;
        };
        assert!(next >= self.now);
        if next > self.now {
            for before in [self.now, Mono((self.now.0 + next.0) / 2), Mono(next.0 - 1)] {
                assert_eq!(self.pacing.clone().poll(before), [], "next_at came late");
            }
        }
        self.now = next;
        assert!(self.poll() > 0, "next_at came early");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn p9_no_grant_outside_the_limits(limits in limits(), steps in steps()) {
        let mut run = Run::new(limits);
        for step in steps {
            run.step(step);
        }
        for _ in 0..50 {
            run.poll_at_next();
        }
        check_limits(&run.log, &run.limits);
    }

    #[test]
    fn the_same_calls_give_the_same_grants(limits in limits(), steps in steps()) {
        let play = || {
            let mut run = Run::new(limits.clone());
            steps.iter().cloned().for_each(|step| run.step(step));
            run.log.iter().map(|left| (left.at, left.request.key.clone())).collect::<Vec<_>>()
        };
        prop_assert_eq!(play(), play());
    }

    /// Every conversation asks again as soon as it was served; each is served again and again,
    /// whatever limits cross.
    #[test]
    fn nobody_starves_within_a_class(
        limits in limits(),
        subsets in prop::collection::vec(1..16_u8, 2..9),
    ) {
        let chosen = |n: usize| -> Vec<Limit> {
            let set = subsets[n];
            limits.iter().enumerate().filter(|(bit, _)| set & (1 << bit) != 0)
                .map(|(_, limit)| Limit { kinds: CallKind::ALL.to_vec(), ..limit.clone() })
                .collect()
        };
        let want = |pacing: &mut Pacing, n: usize, now| {
            // Two conversations share a chat, so that limits of chats are contended.
            let scope = scope(1, n as u64 / 2);
            pacing.want(Request { scope, ..request(n as u64, Class::Sealed, &chosen(n)) }, now);
        };
        let slowest = limits.iter().map(|limit| limit.per / limit.calls).max().unwrap_or(SECOND);
        let patience = 8 * subsets.len() as u32 * slowest;
        let mut pacing = Pacing::new();
        let mut since = vec![Mono(0); subsets.len()];
        (0..subsets.len()).for_each(|n| want(&mut pacing, n, Mono(0)));
        let mut now = Mono(0);
        for _ in 0..400 {
            let Some(next) = pacing.next_at(now) else { break };
            // Calls without any limit in common would otherwise never let time pass.
            now = next + Duration::from_millis(1);
            for key in pacing.poll(now) {
                let n: usize = key.conversation.as_str().parse().unwrap();
                since[n] = now;
                want(&mut pacing, n, now);
            }
            for (n, since) in since.iter().enumerate() {
                prop_assert!(now.since(*since) <= patience, "{n} waits {:?}", now.since(*since));
            }
        }
    }
}
