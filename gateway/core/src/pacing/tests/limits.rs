//! What a limit lets through, and what a bucket costs.

use super::*;
use crate::pacing::Reason;

#[test]
fn a_burst_leaves_at_once_and_the_rest_at_the_rate() {
    let limits = [limit(CHAT, 2, SECOND, 3)];
    let mut pacing = Pacing::new();
    for n in 0..6 {
        pacing.want(post(1, n, Class::Sealed, &limits), seconds(10));
    }
    assert_eq!(pacing.poll(seconds(10)).len(), 3);
    assert_eq!(pacing.next_at(seconds(10)), Some(millis(10_500)));
    assert_eq!(pacing.poll(millis(10_499)), []);
    assert_eq!(pacing.poll(millis(10_500)), [key(1, 3)]);
    assert_eq!(pacing.poll(millis(11_500)), [key(1, 4), key(1, 5)]);
    assert_eq!(pacing.next_at(seconds(12)), None);
}

#[test]
fn a_call_takes_from_all_its_buckets_or_from_none() {
    let limits = [limit(CHAT, 1, MINUTE, 1), limit(ACCOUNT, 1, SECOND, 1)];
    let mut pacing = Pacing::new();
    pacing.want(request(1, Class::Sealed, &limits), seconds(0));
    pacing.want(request(2, Class::Sealed, &limits), seconds(0));
    assert_eq!(pacing.poll(seconds(0)), [key(1, 0)]);
    // Chat 2 was refused by the account only: its own minute has not begun.
    assert_eq!(pacing.poll(seconds(1)), [key(2, 0)]);
    // Chat 1 has no room for a minute and costs the account nothing meanwhile.
    pacing.want(request(1, Class::Sealed, &limits), seconds(2));
    pacing.want(request(3, Class::Sealed, &limits), seconds(2));
    assert_eq!(pacing.poll(seconds(2)), [key(3, 0)]);
    assert_eq!(pacing.next_at(seconds(2)), Some(seconds(60)));
}

#[test]
fn calls_share_a_bucket_exactly_if_they_agree_in_its_scope() {
    let limits = [limit(&[ScopePart::Chat], 1, MINUTE, 1)];
    let mut pacing = Pacing::new();
    pacing.want(request(1, Class::Sealed, &limits), seconds(0));
    pacing.want(post(1, 1, Class::Sealed, &limits), seconds(0));
    // The same chat id at another account is another chat.
    let other = Request {
        key: key(2, 0),
        scope: scope(2, 1),
        ..request(1, Class::Sealed, &limits)
    };
    pacing.want(other, seconds(0));
    // A kind that the limit does not count.
    let typing = Request {
        kind: CallKind::Prove,
        ..post(1, 2, Class::Sealed, &limits)
    };
    pacing.want(typing, seconds(0));
    assert_eq!(pacing.poll(seconds(0)), [key(1, 0), key(2, 0), key(1, 2)]);
}

#[test]
fn a_limit_per_message_concerns_calls_that_have_one() {
    let limits = [limit(&[ScopePart::Message], 1, MINUTE, 1)];
    let mut pacing = Pacing::new();
    let edit = |conversation: u64, post: u16, message: &str| {
        let mut edit = Request {
            kind: CallKind::Edit,
            ..request(1, Class::Sealed, &limits)
        };
        edit.key = key(conversation, post);
        edit.scope.message = Some(talaria_types::MessageId::new(message));
        edit
    };
    pacing.want(edit(1, 0, "a"), seconds(0));
    pacing.want(edit(1, 1, "a"), seconds(0));
    pacing.want(edit(1, 2, "b"), seconds(0));
    pacing.want(post(1, 3, Class::Sealed, &limits), seconds(0));
    pacing.want(post(1, 4, Class::Sealed, &limits), seconds(0));
    assert_eq!(
        pacing.poll(seconds(0)),
        [key(1, 0), key(1, 2), key(1, 3), key(1, 4)]
    );
}

#[test]
fn wider_scopes_than_an_account_are_shared_by_accounts() {
    let limits = [limit(&[ScopePart::Ip], 1, SECOND, 1)];
    let mut pacing = Pacing::new();
    for account in 1..=2 {
        let scope = scope(account, 1);
        let call = Request {
            scope,
            ..request(account, Class::Sealed, &limits)
        };
        pacing.want(call, seconds(0));
    }
    assert_eq!(pacing.poll(seconds(0)), [key(1, 0)]);
    assert_eq!(pacing.poll(seconds(1)), [key(2, 0)]);
}

#[test]
fn a_limit_that_is_no_sense_never_panics() {
    let shut = [limit(CHAT, 0, SECOND, 5), limit(CHAT, 5, SECOND, 0)];
    for limits in &shut {
        let mut pacing = Pacing::new();
        pacing.want(
            request(1, Class::Urgent, std::slice::from_ref(limits)),
            seconds(1),
        );
        assert_eq!(pacing.poll(Mono(u64::MAX)), []);
        assert_eq!(pacing.next_at(seconds(1)), None);
        let view = pacing.waits(seconds(1));
        assert_eq!((view[0].reason, view[0].until), (Reason::Limit, None));
    }
    let wide = [
        limit(CHAT, u32::MAX, Duration::ZERO, u32::MAX),
        limit(CHAT, 1, Duration::MAX, u32::MAX),
        keeping(u32::MAX, limit(CHAT, u32::MAX, Duration::MAX, 1)),
    ];
    for now in [Mono(0), seconds(1), Mono(u64::MAX)] {
        let mut pacing = Pacing::resumed(now);
        let mut slow = Pacing::new();
        for limits in &wide {
            let limits = std::slice::from_ref(limits);
            for pacing in [&mut pacing, &mut slow] {
                pacing.want(request(1, Class::Draft, limits), now);
                pacing.poll(now);
                pacing.want(request(1, Class::Cosmetic, limits), now);
                pacing.poll(now);
                assert!(pacing.next_at(now).is_none_or(|next| next >= now));
                assert!(
                    pacing
                        .buckets(now)
                        .iter()
                        .all(|bucket| bucket.left <= bucket.burst)
                );
                let opens = pacing.may_open_draft(CallKind::Edit, &scope(1, 1), limits, now);
                assert_eq!(opens, limits[0].per.is_zero());
            }
        }
    }
}

#[test]
fn after_a_restart_every_burst_counts_as_used() {
    let limits = [limit(CHAT, 20, MINUTE, 5), limit(ACCOUNT, 30, SECOND, 30)];
    let mut pacing = Pacing::resumed(seconds(1));
    pacing.want(request(1, Class::Urgent, &limits), seconds(1));
    assert_eq!(pacing.poll(seconds(1)), []);
    assert_eq!(pacing.next_at(seconds(1)), Some(seconds(4)));
    assert_eq!(pacing.poll(seconds(4)), [key(1, 0)]);
    // A chat that is first heard of later has had time to fill up.
    assert_eq!(drain(&mut pacing, 2, &limits, seconds(16)), 5);
}

#[test]
fn idle_buckets_are_forgotten_and_used_ones_are_not() {
    let limits = [limit(CHAT, 1, SECOND, 3), limit(ACCOUNT, 30, SECOND, 30)];
    let mut pacing = Pacing::new();
    let mut now = seconds(0);
    for chat in 0..2_000 {
        now = now + SECOND;
        pacing.want(request(chat, Class::Sealed, &limits), now);
        assert_eq!(pacing.poll(now).len(), 1);
        assert!(
            pacing.buckets(now).len() < 80,
            "{} buckets",
            pacing.buckets(now).len()
        );
    }
    let slow = [limit(CHAT, 1, 10 * MINUTE, 1)];
    pacing.want(request(5_000, Class::Sealed, &slow), now);
    pacing.poll(now);
    pacing.want(request(5_001, Class::Sealed, &slow), now + 5 * MINUTE);
    pacing.poll(now + 5 * MINUTE);
    assert_eq!(drain(&mut pacing, 5_000, &slow, now + 9 * MINUTE), 0);
    pacing.poll(now + 30 * MINUTE);
    assert_eq!(pacing.buckets(now + 30 * MINUTE), []);
}

#[test]
fn the_view_says_who_waits_for_what() {
    let limits = [keeping(1, limit(CHAT, 1, SECOND, 2))];
    let mut pacing = Pacing::new();
    pacing.want(request(1, Class::Sealed, &limits), seconds(0));
    assert_eq!(pacing.waits(seconds(0))[0].reason, Reason::Turn);
    pacing.poll(seconds(0));
    pacing.want(request(1, Class::Draft, &limits), seconds(0));
    let later = Request {
        not_before: Some(seconds(9)),
        ..request(2, Class::Draft, &limits)
    };
    pacing.want(later, seconds(0));
    let waits = pacing.waits(seconds(0));
    assert_eq!(
        (waits[0].reason, waits[0].until),
        (Reason::Limit, Some(seconds(1)))
    );
    assert_eq!(
        (waits[1].reason, waits[1].until),
        (Reason::NotBefore, Some(seconds(9)))
    );
    let buckets = pacing.buckets(seconds(0));
    let left: Vec<_> = buckets
        .iter()
        .map(|bucket| (bucket.left, bucket.waiting))
        .collect();
    assert_eq!(left, [(1, 1), (2, 1)]);
    assert_eq!(pacing.waiting(), 2);
}

/// A third of a second is no whole number of nanoseconds; what is cut off must not add up.
#[test]
fn a_rate_is_never_rounded_up() {
    let limits = [limit(CHAT, 3, SECOND, 2)];
    let mut pacing = Pacing::new();
    let mut now = seconds(0);
    let mut calls = 0;
    while calls < 6_002 {
        pacing.want(post(1, 0, Class::Sealed, &limits), now);
        pacing.want(post(1, 1, Class::Sealed, &limits), now);
        now = pacing.next_at(now).unwrap();
        calls += pacing.poll(now).len();
    }
    assert!(now >= seconds(2_000), "{now:?}");
    assert!(now <= millis(2_000_010), "{now:?}");
}
