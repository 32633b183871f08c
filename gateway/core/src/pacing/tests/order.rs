//! Who goes first.

use std::collections::BTreeMap;

use super::*;

#[test]
fn classes_go_in_order() {
    let limits = [limit(ACCOUNT, 1, SECOND, 1)];
    let classes = [
        Class::Draft,
        Class::FirstDraft,
        Class::Cosmetic,
        Class::Sealed,
        Class::Urgent,
    ];
    let mut pacing = Pacing::new();
    for (n, class) in classes.into_iter().enumerate() {
        pacing.want(request(n as u64, class, &limits), seconds(0));
    }
    let order: Vec<_> = (0..30).flat_map(|n| pacing.poll(seconds(n))).collect();
    assert_eq!(order, [4, 3, 1, 0, 2].map(|n| key(n, 0)));
}

#[test]
fn conversations_take_turns_one_call_each() {
    let limits = [limit(ACCOUNT, 1, SECOND, 1)];
    let mut pacing = Pacing::new();
    // Conversation 1 asks for ten calls before the others ask for three each.
    for n in 0..10 {
        pacing.want(post(1, n, Class::Sealed, &limits), seconds(0));
    }
    for conversation in 2..=4 {
        for n in 0..3 {
            pacing.want(post(conversation, n, Class::Sealed, &limits), seconds(0));
        }
    }
    let mut given = BTreeMap::new();
    for n in 0..12 {
        let granted = pacing.poll(seconds(n));
        assert_eq!(granted.len(), 1);
        *given.entry(granted[0].conversation.clone()).or_insert(0) += 1;
        let most = given.values().max().copied().unwrap_or(0);
        let least = if given.len() == 4 {
            given.values().min().copied().unwrap_or(0)
        } else {
            0
        };
        assert!(most - least <= 1, "after {n} s: {given:?}");
    }
    assert!(given.values().all(|calls| *calls == 3));
}

#[test]
fn who_comes_back_goes_to_the_end() {
    let limits = [limit(ACCOUNT, 1, SECOND, 1)];
    let mut pacing = Pacing::new();
    for n in 1..=3 {
        pacing.want(request(n, Class::Draft, &limits), seconds(0));
    }
    let mut order = Vec::new();
    for n in 0..9 {
        for granted in pacing.poll(seconds(n)) {
            let conversation = granted.conversation.as_str().parse().unwrap();
            order.push(conversation);
            pacing.want(request(conversation, Class::Draft, &limits), seconds(n));
        }
    }
    assert_eq!(order, [1, 2, 3, 1, 2, 3, 1, 2, 3]);
}

#[test]
fn a_later_want_replaces_the_earlier_one_of_its_key() {
    let limits = [limit(CHAT, 1, SECOND, 1)];
    let mut pacing = Pacing::new();
    assert_eq!(drain(&mut pacing, 1, &limits, seconds(0)), 1);
    pacing.want(request(1, Class::Draft, &limits), seconds(0));
    pacing.want(request(1, Class::Sealed, &limits), seconds(0));
    assert_eq!(pacing.waiting(), 1);
    assert_eq!(pacing.waits(seconds(0))[0].class, Class::Sealed);
    assert_eq!(pacing.buckets(seconds(0))[0].waiting, 1);
    assert_eq!(pacing.poll(seconds(1)), [key(1, 0)]);
    assert_eq!(pacing.poll(seconds(9)), []);
    assert!(!pacing.wants(&key(1, 0)));
}

#[test]
fn a_want_that_is_renewed_keeps_its_turn() {
    let limits = [limit(ACCOUNT, 1, SECOND, 1)];
    let mut pacing = Pacing::new();
    pacing.want(request(1, Class::Draft, &limits), seconds(0));
    pacing.want(request(2, Class::Draft, &limits), seconds(0));
    pacing.want(request(1, Class::Draft, &limits), seconds(0));
    assert_eq!(pacing.poll(seconds(0)), [key(1, 0)]);
}

#[test]
fn what_is_given_up_leaves_nothing_behind() {
    let limits = [limit(CHAT, 1, SECOND, 1)];
    let mut pacing = Pacing::new();
    pacing.want(request(1, Class::Sealed, &limits), seconds(0));
    pacing.want(post(1, 1, Class::Sealed, &limits), seconds(0));
    pacing.unwant(&key(1, 0));
    pacing.unwant(&key(7, 0));
    assert_eq!(pacing.poll(seconds(0)), [key(1, 1)]);
    assert_eq!(pacing.next_at(seconds(0)), None);
    assert_eq!(pacing.buckets(seconds(0))[0].waiting, 0);
}

#[test]
fn sealed_posts_find_a_call_while_drafts_run() {
    let limits = [
        keeping(1, limit(CHAT, 1, SECOND, 3)),
        keeping(2, limit(CHAT, 20, MINUTE, 5)),
        keeping(5, limit(ACCOUNT, 30, SECOND, 30)),
    ];
    let mut pacing = Pacing::new();
    let mut drafts = 0;
    // Drafts of 100 chats take whatever they get, at every moment at which there is something.
    for n in 0..100 {
        pacing.want(request(n, Class::Draft, &limits), seconds(0));
    }
    let mut now = seconds(0);
    for round in 0..2_000_u64 {
        let granted = pacing.poll(now);
        drafts += granted.len();
        for key in granted {
            let n = key.conversation.as_str().parse().unwrap();
            pacing.want(request(n, Class::Draft, &limits), now);
        }
        if round % 50 == 0 {
            let chat = round / 50;
            pacing.want(post(chat, 1, Class::Sealed, &limits), now);
            assert_eq!(pacing.poll(now), [key(chat, 1)], "at {now:?}");
        }
        now = pacing.next_at(now).unwrap();
    }
    assert!(drafts > 1_900, "{drafts}");
}

#[test]
fn cosmetic_calls_delay_nothing_and_stay_small() {
    let mut both = keeping(1, limit(CHAT, 1, SECOND, 3));
    both.kinds.push(CallKind::Signal);
    let limits = [both];
    let typing = |n: u64| Request {
        key: SlotKey {
            slot: Slot::Typing,
            ..key(n, 0)
        },
        kind: CallKind::Signal,
        ..request(n, Class::Cosmetic, &limits)
    };
    let mut pacing = Pacing::new();
    let mut cosmetic = 0;
    for n in 0..100 {
        pacing.want(typing(1), seconds(n));
        if n % 2 == 0 {
            pacing.want(post(1, 1, Class::Draft, &limits), seconds(n));
        }
        let granted = pacing.poll(seconds(n));
        assert!(!pacing.wants(&key(1, 1)), "a draft waits behind typing");
        cosmetic += granted
            .iter()
            .filter(|key| key.slot == Slot::Typing)
            .count();
    }
    assert!(
        (9..=11).contains(&cosmetic),
        "a tenth of 100 calls, not {cosmetic}"
    );
    // No limit of the platform counts them here: their own budget does.
    let mut pacing = Pacing::new();
    for n in 0..50 {
        pacing.want(
            Request {
                limits: Vec::new(),
                ..typing(n)
            },
            seconds(0),
        );
        pacing.want(
            Request {
                limits: Vec::new(),
                ..request(n, Class::Draft, &[])
            },
            seconds(0),
        );
    }
    assert_eq!(pacing.poll(seconds(0)).len(), 60);
    assert_eq!(pacing.poll(seconds(1)).len(), 10);
}

#[test]
fn not_before_is_kept_and_delays_nobody_else() {
    let limits = [limit(ACCOUNT, 1, SECOND, 1)];
    let mut pacing = Pacing::new();
    let later = Request {
        not_before: Some(seconds(5)),
        ..request(1, Class::Urgent, &limits)
    };
    pacing.want(later, seconds(0));
    pacing.want(request(2, Class::Draft, &limits), seconds(0));
    assert_eq!(pacing.poll(seconds(0)), [key(2, 0)]);
    assert_eq!(pacing.next_at(seconds(0)), Some(seconds(5)));
    assert_eq!(pacing.poll(millis(4_999)), []);
    assert_eq!(pacing.poll(seconds(5)), [key(1, 0)]);
}

/// Conversation 0 needs room in two buckets at once; others use up each of them, at moments that
/// never meet. Without a claim it would wait for ever.
#[test]
fn crossing_limits_starve_nobody() {
    let chat = limit(CHAT, 1, SECOND, 1);
    let method = Limit {
        scope: vec![ScopePart::Account, ScopePart::Method],
        ..limit(&[], 1, SECOND, 1)
    };
    let mut pacing = Pacing::new();
    let busy_chat = |n: u64| {
        let scope = scope(1, 0);
        Request {
            scope,
            ..request(n, Class::Sealed, std::slice::from_ref(&chat))
        }
    };
    let busy_method = |n: u64| Request {
        ..request(n, Class::Sealed, std::slice::from_ref(&method))
    };
    pacing.want(busy_chat(1), seconds(0));
    assert_eq!(pacing.poll(seconds(0)).len(), 1);
    pacing.want(busy_method(101), millis(500));
    assert_eq!(pacing.poll(millis(500)).len(), 1);
    pacing.want(
        request(0, Class::Sealed, &[chat.clone(), method.clone()]),
        millis(500),
    );
    let mut now = millis(500);
    let mut waited = 0;
    loop {
        for n in 1..=20 {
            pacing.want(busy_chat(n), now);
            pacing.want(busy_method(100 + n), now);
        }
        now = pacing.next_at(now).unwrap();
        if pacing.poll(now).contains(&key(0, 0)) {
            break;
        }
        waited += 1;
        assert!(waited < 20, "starved");
    }
    assert!(waited > 2, "the test did not make it wait");
}
