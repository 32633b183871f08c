//! 429s: obeyed for their scope, and learned from.

use super::*;
use crate::pacing::{RECOVERY, Reason};
use talaria_types::FailureScope::{Account, Chat, Message};
use talaria_types::MessageId;

const KIND: CallKind = CallKind::Create;

#[test]
fn a_chat_under_a_penalty_delays_nobody_else() {
    let limits = [limit(CHAT, 1, SECOND, 3), limit(ACCOUNT, 30, SECOND, 30)];
    let mut pacing = Pacing::new();
    pacing.want(request(1, Class::Urgent, &limits), seconds(0));
    pacing.penalize(&scope(1, 1), Chat, KIND, seconds(40), seconds(0));
    pacing.want(post(1, 1, Class::Urgent, &limits), seconds(1));
    let signal = Request {
        kind: CallKind::Signal,
        ..post(1, 2, Class::Cosmetic, &limits)
    };
    pacing.want(signal, seconds(1));
    pacing.want(request(2, Class::Draft, &limits), seconds(1));
    let other = Request {
        key: key(3, 0),
        scope: scope(2, 1),
        ..request(3, Class::Draft, &limits)
    };
    pacing.want(other, seconds(1));
    assert_eq!(pacing.poll(seconds(1)), [key(2, 0), key(3, 0)]);
    assert_eq!(pacing.waits(seconds(1))[0].reason, Reason::Penalty);
    assert_eq!(pacing.next_at(seconds(1)), Some(seconds(40)));
    assert_eq!(pacing.poll(Mono(39_999_999)), []);
    assert_eq!(pacing.poll(seconds(40)), [key(1, 0), key(1, 2)]);
}

#[test]
fn an_account_under_a_penalty_is_silent_and_others_are_not() {
    let mut pacing = Pacing::new();
    pacing.penalize(&scope(1, 1), Account, KIND, seconds(5), seconds(0));
    pacing.want(request(2, Class::Urgent, &[]), seconds(0));
    pacing.want(
        Request {
            scope: scope(2, 1),
            ..request(3, Class::Draft, &[])
        },
        seconds(0),
    );
    assert_eq!(pacing.poll(seconds(4)), [key(3, 0)]);
    assert_eq!(pacing.poll(seconds(5)), [key(2, 0)]);
}

#[test]
fn a_message_under_a_penalty_stops_only_its_own_calls() {
    let edit = |ordinal, message: &str| {
        let mut edit = post(1, ordinal, Class::Sealed, &[]);
        edit.scope.message = Some(MessageId::new(message));
        edit
    };
    let mut pacing = Pacing::new();
    pacing.penalize(
        &edit(0, "a").scope,
        Message,
        CallKind::Edit,
        seconds(5),
        seconds(0),
    );
    pacing.penalize(
        &scope(1, 1),
        Message,
        CallKind::Create,
        seconds(9),
        seconds(0),
    );
    pacing.want(edit(0, "a"), seconds(0));
    pacing.want(edit(1, "b"), seconds(0));
    pacing.want(post(1, 2, Class::Sealed, &[]), seconds(0));
    assert_eq!(pacing.poll(seconds(0)), [key(1, 1), key(1, 2)]);
    assert_eq!(pacing.next_at(seconds(0)), Some(seconds(5)));
}

#[test]
fn the_longest_penalty_counts_and_can_be_carried_over() {
    let mut pacing = Pacing::new();
    pacing.penalize(&scope(1, 1), Chat, KIND, seconds(30), seconds(0));
    pacing.penalize(&scope(1, 1), Chat, KIND, seconds(10), seconds(0));
    pacing.penalize(&scope(1, 2), Account, KIND, seconds(20), seconds(0));
    pacing.want(request(1, Class::Sealed, &[]), seconds(0));
    assert_eq!(pacing.next_at(seconds(0)), Some(seconds(30)));
    let kept: Vec<_> = pacing
        .penalties(seconds(20))
        .map(|penalty| penalty.until)
        .collect();
    assert_eq!(kept, [seconds(30)]);
    let mut next = Pacing::new();
    for penalty in pacing.penalties(seconds(5)) {
        next.penalize(
            &penalty.scope,
            penalty.part,
            penalty.kind,
            penalty.until,
            seconds(5),
        );
    }
    next.want(request(1, Class::Sealed, &[]), seconds(5));
    assert_eq!(next.next_at(seconds(5)), Some(seconds(30)));
}

/// Calls of chat `n` that leave in `time` from `from`, while one always waits.
fn throughput(pacing: &mut Pacing, n: u64, limits: &[Limit], from: Mono, time: Duration) -> usize {
    let mut calls = 0;
    let mut now = from;
    loop {
        pacing.want(request(n, Class::Sealed, limits), now);
        match pacing.next_at(now) {
            Some(next) if next <= from + time => now = next,
            _ => break,
        }
        calls += pacing.poll(now).len();
    }
    pacing.unwant(&key(n, 0));
    calls
}

#[test]
fn a_penalty_halves_the_rate_and_quiet_time_gives_it_back() {
    let limits = [limit(CHAT, 1, SECOND, 10), limit(ACCOUNT, 30, SECOND, 30)];
    let mut pacing = Pacing::new();
    drain(&mut pacing, 1, &limits, seconds(0));
    // Three answers to calls that were on the wire together are one lesson.
    for until in [5, 6, 5] {
        pacing.penalize(&scope(1, 1), Chat, KIND, seconds(until), seconds(1));
    }
    assert_eq!(
        throughput(&mut pacing, 1, &limits, seconds(6), Duration::from_secs(99)),
        50
    );
    // Another chat and the account are as they were.
    assert_eq!(
        throughput(
            &mut pacing,
            2,
            &limits,
            seconds(106),
            Duration::from_secs(99)
        ),
        109
    );
    // One more lesson: a quarter, and no burst after a pause.
    pacing.penalize(&scope(1, 1), Chat, KIND, seconds(210), seconds(206));
    assert_eq!(
        throughput(
            &mut pacing,
            1,
            &limits,
            seconds(250),
            Duration::from_secs(99)
        ),
        25
    );
    let level = |pacing: &Pacing, now| {
        pacing
            .buckets(now)
            .iter()
            .map(|bucket| bucket.level)
            .max()
            .unwrap_or(0)
    };
    assert_eq!(level(&pacing, seconds(210) + RECOVERY - SECOND), 2);
    assert_eq!(level(&pacing, seconds(210) + RECOVERY), 1);
    let later = seconds(210) + 2 * RECOVERY;
    assert_eq!(level(&pacing, later), 0);
    assert_eq!(
        throughput(&mut pacing, 1, &limits, later, Duration::from_secs(99)),
        109
    );
}

#[test]
fn a_penalty_of_the_account_slows_the_account() {
    let limits = [limit(CHAT, 1, SECOND, 10), limit(ACCOUNT, 2, SECOND, 10)];
    let mut pacing = Pacing::new();
    for n in 1..=4 {
        pacing.want(request(n, Class::Sealed, &limits), seconds(0));
    }
    pacing.poll(seconds(0));
    for lesson in 0..9 {
        let now = seconds(10 * lesson);
        pacing.penalize(&scope(1, 1), Account, KIND, now + SECOND, now);
    }
    let levels: Vec<_> = pacing
        .buckets(seconds(82))
        .iter()
        .map(|bucket| bucket.level)
        .collect();
    // The account's bucket comes first by its scope; the chats' follow.
    assert_eq!(levels, [4, 0, 0, 0, 0]);
    let calls = throughput(
        &mut pacing,
        1,
        &limits,
        seconds(82),
        Duration::from_secs(79),
    );
    assert_eq!(calls, 10, "one in eight seconds: a sixteenth");
}

#[test]
fn a_lesson_is_not_forgotten_with_an_idle_bucket() {
    let limits = [limit(CHAT, 1, SECOND, 3)];
    let mut pacing = Pacing::new();
    drain(&mut pacing, 1, &limits, seconds(0));
    pacing.penalize(&scope(1, 1), Chat, KIND, seconds(5), seconds(0));
    for now in (0..24).map(|n| seconds(10 * n)) {
        assert_eq!(pacing.poll(now), []);
    }
    assert_eq!(
        throughput(
            &mut pacing,
            1,
            &limits,
            seconds(240),
            Duration::from_secs(19)
        ),
        10
    );
}
