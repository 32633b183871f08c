//! Drafts are opened on credit.

use super::*;
use talaria_types::FailureScope;

const EDIT: CallKind = CallKind::Edit;

/// Opens drafts in chats of their own until one is refused; how many were opened.
fn open(pacing: &mut Pacing, limits: &[Limit], now: Mono) -> u64 {
    (0..1_000)
        .find(|n| {
            let place = scope(1, *n);
            if !pacing.may_open_draft(EDIT, &place, limits, now) {
                return true;
            }
            pacing.draft_opened(key(*n, 0), EDIT, &place, limits);
            false
        })
        .unwrap_or(1_000)
}

#[test]
fn as_many_drafts_open_as_could_finish_together_within_3_seconds() {
    // 50 calls a minute are 2.5 in 3 s; one more is kept.
    let workspace = Limit {
        scope: vec![ScopePart::Workspace],
        ..limit(&[], 50, MINUTE, 4)
    };
    let limits = [keeping(1, workspace)];
    let mut pacing = Pacing::new();
    assert_eq!(open(&mut pacing, &limits, seconds(0)), 3);
    // All end at once, while drafts run.
    for n in 10..20 {
        pacing.want(request(n, Class::Draft, &limits), seconds(0));
    }
    pacing.poll(seconds(0));
    for n in 0..3 {
        pacing.want(
            Request {
                kind: EDIT,
                ..request(n, Class::Sealed, &limits)
            },
            seconds(0),
        );
    }
    let mut now = seconds(0);
    let mut finished = pacing.poll(now);
    while finished.len() < 3 {
        now = pacing.next_at(now).unwrap();
        finished.extend(pacing.poll(now));
    }
    assert_eq!(finished, [key(0, 0), key(1, 0), key(2, 0)]);
    assert!(now <= seconds(3), "{now:?}");
    // One that closes makes room for one, once the sealed posts are out of the way.
    pacing.draft_closed(&key(0, 0));
    pacing.draft_closed(&key(0, 0));
    assert_eq!(open(&mut pacing, &limits, now), 1);
}

#[test]
fn sealed_posts_that_wait_count_against_drafts() {
    let limits = [limit(ACCOUNT, 1, SECOND, 1)];
    let mut pacing = Pacing::new();
    for n in 10..13 {
        pacing.want(request(n, Class::Sealed, &limits), seconds(0));
    }
    assert!(!pacing.may_open_draft(EDIT, &scope(1, 1), &limits, seconds(0)));
    pacing.poll(seconds(0));
    assert!(pacing.may_open_draft(EDIT, &scope(1, 1), &limits, seconds(0)));
}

#[test]
fn a_limit_too_slow_for_a_finish_has_no_drafts() {
    let slow = [limit(CHAT, 10, MINUTE, 1)];
    assert!(!Pacing::new().may_open_draft(EDIT, &scope(1, 1), &slow, seconds(0)));
    let kept = [keeping(1, limit(CHAT, 10, MINUTE, 2))];
    assert!(Pacing::new().may_open_draft(EDIT, &scope(1, 1), &kept, seconds(0)));
    assert!(Pacing::new().may_open_draft(CallKind::Close, &scope(1, 1), &slow, seconds(0)));
}

#[test]
fn no_draft_opens_under_a_penalty_or_where_one_slowed_the_finish_too_much() {
    let limits = [limit(CHAT, 20, MINUTE, 5)];
    let mut pacing = Pacing::new();
    drain(&mut pacing, 1, &limits, seconds(0));
    pacing.penalize(
        &scope(1, 1),
        FailureScope::Chat,
        EDIT,
        seconds(60),
        seconds(0),
    );
    assert!(!pacing.may_open_draft(EDIT, &scope(1, 1), &limits, seconds(1)));
    assert!(pacing.may_open_draft(EDIT, &scope(1, 2), &limits, seconds(1)));
    assert!(!pacing.may_open_draft(EDIT, &scope(1, 1), &limits, seconds(60)));
    let recovered = seconds(60) + crate::pacing::RECOVERY;
    assert!(pacing.may_open_draft(EDIT, &scope(1, 1), &limits, recovered));
}
