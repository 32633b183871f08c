//! How much of what the limits permit is used while work waits.

use std::num::NonZeroU32;

use governor::clock::FakeRelativeClock;
use governor::{Quota, RateLimiter};
use proptest::prelude::*;

use super::*;

/// `burst + calls * time / per`.
fn bound(limit: &Limit, time: Duration) -> u64 {
    let calls = u128::from(limit.calls) * time.as_nanos() / limit.per.as_nanos();
    u64::from(limit.burst) + u64::try_from(calls).unwrap()
}

/// Calls of `chats` conversations that leave in `time` while each always has one waiting.
fn grants(chats: u64, limits: impl Fn(u64) -> Vec<Limit>, class: Class, time: Duration) -> u64 {
    let mut pacing = Pacing::new();
    let start = seconds(7);
    (0..chats).for_each(|n| pacing.want(request(n, class, &limits(n)), start));
    let mut now = start;
    let mut count = 0;
    while now <= start + time {
        for key in pacing.poll(now) {
            count += 1;
            let n = key.conversation.as_str().parse().unwrap();
            pacing.want(request(n, class, &limits(n)), now);
        }
        now = pacing.next_at(now).unwrap();
    }
    count
}

fn groups() -> [Limit; 3] {
    [
        keeping(1, limit(CHAT, 1, SECOND, 3)),
        keeping(2, limit(CHAT, 20, MINUTE, 5)),
        keeping(5, limit(ACCOUNT, 30, SECOND, 30)),
    ]
}

fn share(used: u64, permitted: u64) -> f64 {
    used as f64 / permitted as f64
}

#[test]
fn utilisation_is_the_bound() {
    let time = 2 * MINUTE;
    for (chats, permitted) in [(200, 30 + 30 * 120), (40, 40 * (5 + 40)), (1, 5 + 40)] {
        let sealed = grants(chats, |_| groups().to_vec(), Class::Sealed, time);
        let kept = u64::from(if chats == 200 {
            5
        } else {
            2 * u32::try_from(chats).unwrap()
        });
        let drafts = grants(chats, |_| groups().to_vec(), Class::Draft, time);
        println!(
            "{chats} groups, 2 min: sealed {sealed} of {permitted} ({:.4}), drafts {drafts} of {} ({:.4})",
            share(sealed, permitted),
            permitted - kept,
            share(drafts, permitted - kept),
        );
        assert!(sealed <= permitted && share(sealed, permitted) >= 0.95);
        assert!(drafts <= permitted - kept && share(drafts, permitted - kept) >= 0.95);
    }
}

/// The plain way: governor's own limiters, one per limit and scope, checked narrow to wide. The
/// figure is why a call takes from all its buckets or from none here.
#[test]
fn stock_limiters_in_a_row_waste_more_than_5_percent() {
    let clock = FakeRelativeClock::default();
    let limiter = |limit: &Limit| {
        let quota = Quota::with_period(limit.per / limit.calls).unwrap();
        let burst = NonZeroU32::new(limit.burst).unwrap();
        RateLimiter::direct_with_clock(quota.allow_burst(burst), clock.clone())
    };
    let [second, minute, account] = groups();
    let chats: Vec<_> = (0..200)
        .map(|_| [limiter(&second), limiter(&minute)])
        .collect();
    let account = limiter(&account);
    let mut used = 0;
    let mut first = 0;
    let step = Duration::from_nanos(33_333_334);
    for _ in 0..3_600 {
        // In turn, like ours: who was served goes to the end.
        for n in 0..chats.len() {
            let chat = &chats[(first + n) % chats.len()];
            if chat[0].check().is_ok() && chat[1].check().is_ok() && account.check().is_ok() {
                used += 1;
                first = (first + n + 1) % chats.len();
            }
        }
        clock.advance(step);
    }
    let permitted = 30 + 30 * 120;
    println!(
        "stock: {used} of {permitted} ({:.4})",
        share(used, permitted)
    );
    assert!(share(used, permitted) < 0.95);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Limits of chats inside one of the account: what can flow at most is the lesser of the
    /// account's bound and the sum of the chats' bounds. Bursts are 2 and more: a limit with a
    /// burst of 1 gives no credit for a call that waited for another limit, so where two of them
    /// interleave no order of calls reaches that bound.
    #[test]
    fn utilisation_is_at_least_95_percent(
        account in (1..40_u32, 2..10_u32),
        chats in prop::collection::vec((1..20_u32, 1..20_u64, 2..6_u32), 1..15),
    ) {
        let account = limit(ACCOUNT, account.0, SECOND, account.1);
        let chat = |n: u64| {
            let (calls, per, burst) = chats[usize::try_from(n).unwrap()];
            limit(CHAT, calls, Duration::from_secs(per), burst)
        };
        let count = chats.len() as u64;
        let time = MINUTE;
        let used = grants(count, |n| vec![chat(n), account.clone()], Class::Sealed, time);
        let permitted = bound(&account, time).min((0..count).map(|n| bound(&chat(n), time)).sum());
        prop_assert!(used <= permitted);
        prop_assert!(share(used, permitted) >= 0.95, "{used} of {permitted}");
    }
}
