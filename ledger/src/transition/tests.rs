use std::collections::BTreeMap;

use talaria_types::{
    AccountId, ChatId, ConversationId, CreateClass, Fence, Handle, MessageId, Place, PlaceKind,
    PostId, Seq, UpdateClass, Wall,
};

use super::{AttemptState, Content, Facts, Next, next};
use crate::records::{Attempt, Gone, Known, Phase, PostKind, PostRecord, Rev, Settlement, Wanted};

fn handle(message: &str) -> Handle {
    Handle {
        chat: ChatId::new("1"),
        message: MessageId::new(message),
    }
}

fn attempt() -> Attempt {
    Attempt {
        fence: Fence {
            epoch: 1,
            number: 1,
        },
        call: talaria_types::CallKind::Create,
        rev: Rev::Live,
        lower_bound: None,
        body_hash: None,
        target: None,
        at: Wall(0),
    }
}

fn post() -> PostRecord {
    let place = Place {
        account: AccountId::new("test:1"),
        kind: PlaceKind::Direct,
        chat: ChatId::new("1"),
        thread: None,
    };
    PostRecord::new(
        PostId {
            origin: Seq(1),
            ordinal: 0,
        },
        ConversationId::new("test:1/1"),
        place,
        PostKind::Answer,
        0,
        Wanted::Live,
        Wall(0),
    )
}

fn wanteds() -> Vec<Wanted> {
    let body = talaria_types::Body::plain("x");
    vec![
        Wanted::Live,
        Wanted::Sealed { rev: 3, body },
        Wanted::Absent,
    ]
}

fn knowns() -> Vec<Known> {
    let here = |phase| Known::Here {
        handle: handle("5"),
        phase,
        rev: Rev::Unknown,
    };
    vec![
        Known::None,
        Known::Staged {
            reference: "r".to_owned(),
        },
        Known::Unresolved {
            attempt: attempt(),
            looks: 0,
            undecidable: false,
        },
        Known::Unresolved {
            attempt: attempt(),
            looks: 9,
            undecidable: true,
        },
        here(Phase::Open),
        here(Phase::Closed),
        Known::Gone { why: Gone::Lost },
        Known::Gone { why: Gone::Removed },
    ]
}

const BOOLS: [bool; 2] = [false, true];

/// Calls `check` with every combination of post and facts.
fn every(mut check: impl FnMut(&PostRecord, &Facts)) {
    let attempts = [
        AttemptState::None,
        AttemptState::InFlight,
        AttemptState::Lost,
    ];
    let creates = [
        CreateClass::Keyed,
        CreateClass::Readable,
        CreateClass::Blind,
    ];
    let updates = [UpdateClass::Replace, UpdateClass::Append, UpdateClass::None];
    let contents = [
        Content::Nothing,
        Content::Same,
        Content::Extends,
        Content::Rewritten,
        Content::Unknown,
    ];
    let mut post = post();
    for (wanted, known) in wanteds()
        .into_iter()
        .flat_map(|w| knowns().into_iter().map(move |k| (w.clone(), k)))
    {
        post.wanted = wanted;
        post.known = known;
        for bits in 0..32u32 {
            let bit = |n: u32| bits >> n & 1 == 1;
            post.extra = if bit(0) {
                vec![handle("9")]
            } else {
                Vec::new()
            };
            post.labelled = bit(1);
            post.acknowledged = bit(2).then_some(3);
            post.recreated = bit(3);
            post.kind = if bit(4) {
                PostKind::Notice
            } else {
                PostKind::Answer
            };
            for attempt in attempts {
                for create in creates {
                    for update in updates {
                        for content in contents {
                            for facts_bits in 0..32u32 {
                                let bit = |n: u32| BOOLS[(facts_bits >> n & 1) as usize];
                                let facts = Facts {
                                    attempt,
                                    create,
                                    update,
                                    removable: bit(0),
                                    content,
                                    permitted: bit(1),
                                    horizon_passed: bit(2),
                                    echo_pending: bit(3),
                                    near_end_of_life: bit(4),
                                };
                                check(&post, &facts);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The design's table, restated row by row as conditions. The first that holds is the row.
fn row_by_design(post: &PostRecord, facts: &Facts) -> u8 {
    let unresolved = matches!(post.known, Known::Unresolved { .. });
    let provable = facts.create != CreateClass::Blind
        && matches!(
            post.known,
            Known::Unresolved {
                undecidable: false,
                ..
            }
        );
    let here = matches!(post.known, Known::Here { .. });
    let open = matches!(
        post.known,
        Known::Here {
            phase: Phase::Open,
            ..
        }
    );
    let live = post.wanted == Wanted::Live;
    let absent = post.wanted == Wanted::Absent;
    let sealed = !live && !absent;
    let differs = matches!(
        facts.content,
        Content::Extends | Content::Rewritten | Content::Unknown
    );
    let conditions: [(u8, bool); 12] = [
        (1, facts.attempt != AttemptState::None),
        (2, !post.extra.is_empty()),
        (3, unresolved && provable),
        (4, unresolved),
        (5, absent),
        (6, post.known == Known::None),
        (7, matches!(post.known, Known::Staged { .. })),
        (
            8,
            open && !facts.near_end_of_life && facts.content == Content::Extends,
        ),
        (
            9,
            open && (sealed
                || facts.near_end_of_life
                || matches!(facts.content, Content::Rewritten | Content::Unknown)),
        ),
        (10, here && !open && differs),
        (11, matches!(post.known, Known::Gone { .. })),
        (12, here),
    ];
    conditions
        .into_iter()
        .find(|(_, holds)| *holds)
        .map_or(0, |(row, _)| row)
}

#[test]
fn every_combination_takes_the_first_row_that_fits_and_every_row_is_taken() {
    let mut taken = BTreeMap::new();
    every(|post, facts| {
        let (row, _) = next(post, facts);
        assert_eq!(row.0, row_by_design(post, facts), "{post:?} {facts:?}");
        *taken.entry(row.0).or_insert(0u64) += 1;
    });
    assert_eq!(
        taken.keys().copied().collect::<Vec<_>>(),
        (1..=12).collect::<Vec<_>>()
    );
}

#[test]
fn p6_a_create_is_sent_only_when_the_post_is_absent() {
    every(|post, facts| {
        if next(post, facts).1 == Next::Create {
            assert_eq!(post.known, Known::None, "{post:?} {facts:?}");
            assert!(post.attempt.is_none() && facts.permitted && post.extra.is_empty());
            assert_ne!(post.wanted, Wanted::Absent);
        }
    });
}

#[test]
fn p6_a_repeat_is_labelled_and_happens_once_and_only_for_kinds_that_repeat() {
    every(|post, facts| {
        if next(post, facts).1 == Next::Repeat {
            assert!(!post.labelled && post.kind.repeats());
            assert!(matches!(post.known, Known::Unresolved { .. }));
        }
    });
}

#[test]
fn p7_nothing_is_called_while_a_call_is_in_flight() {
    every(|post, facts| {
        if facts.attempt == AttemptState::InFlight {
            assert_eq!(next(post, facts).1, Next::Wait);
        }
    });
}

#[test]
fn delivered_is_said_only_of_a_sealed_post_whose_content_is_shown_and_that_has_no_extra_copy() {
    every(|post, facts| {
        if next(post, facts).1 == Next::Settle(Settlement::Delivered) {
            assert!(matches!(post.wanted, Wanted::Sealed { .. }));
            assert!(matches!(
                post.known,
                Known::Here {
                    phase: Phase::Closed,
                    ..
                }
            ));
            assert!(matches!(facts.content, Content::Same | Content::Nothing));
            assert!(post.extra.is_empty() && !facts.echo_pending);
        }
    });
}

#[test]
fn a_live_post_is_never_settled_and_never_labelled() {
    every(|post, facts| {
        if post.wanted == Wanted::Live {
            let action = next(post, facts).1;
            assert!(
                !matches!(action, Next::Settle(_) | Next::Repeat | Next::Recreate),
                "{action:?}"
            );
        }
    });
}

#[test]
fn an_unresolved_post_is_proved_only_after_the_horizon() {
    every(|post, facts| {
        if next(post, facts).1 == Next::Prove {
            assert!(facts.horizon_passed && facts.create != CreateClass::Blind);
        }
    });
}
