use std::time::Duration;

use talaria_types::{
    AccountId, Body, CallKind, Certainty, ChatId, ConversationId, Failure, FailureKind,
    FailureScope, Fence, Handle, MessageId, Place, PlaceKind, PostId, Receipt, Retry, Seq,
    UpdateClass, Wall,
};

use super::Applied;
use crate::records::{Attempt, Gone, Known, Phase, PostKind, PostRecord, Rev, Settlement, Wanted};

const NOW: Wall = Wall(1_000);

fn handle(message: &str) -> Handle {
    Handle {
        chat: ChatId::new("1"),
        message: MessageId::new(message),
    }
}

fn post() -> PostRecord {
    let place = Place {
        account: AccountId::new("test:1"),
        kind: PlaceKind::Direct,
        chat: ChatId::new("1"),
        thread: None,
    };
    let mut post = PostRecord::new(
        PostId {
            origin: Seq(1),
            ordinal: 0,
        },
        ConversationId::new("test:1/1"),
        place,
        PostKind::Answer,
        0,
        Wanted::Live,
        NOW,
    );
    post.seal(Body::plain("answer"));
    post
}

fn here(message: &str) -> Known {
    Known::Here {
        handle: handle(message),
        phase: Phase::Closed,
        rev: Rev::Live,
    }
}

fn fence(number: u64) -> Fence {
    Fence { epoch: 1, number }
}

fn begin(post: &mut PostRecord, number: u64, call: CallKind, rev: Rev) {
    post.begin(Attempt {
        fence: fence(number),
        call,
        rev,
        lower_bound: None,
        body_hash: None,
        target: None,
        at: NOW,
    });
}

fn receipt(message: &str) -> Receipt {
    Receipt {
        handle: Some(handle(message)),
        proof: None,
    }
}

fn failure(certainty: Certainty, kind: FailureKind, retry: Retry) -> Failure {
    Failure {
        certainty,
        retry,
        scope: FailureScope::Message,
        kind,
        detail: "why".to_owned(),
    }
}

#[test]
fn a_create_of_the_sealed_revision_is_acknowledged() {
    let mut post = post();
    begin(&mut post, 1, CallKind::Create, Rev::Sealed(1));
    assert_eq!(
        post.acknowledge(fence(1), &receipt("7"), UpdateClass::Replace),
        Applied::Done
    );
    assert_eq!(
        post.known,
        Known::Here {
            handle: handle("7"),
            phase: Phase::Closed,
            rev: Rev::Sealed(1)
        }
    );
    assert_eq!(post.acknowledged, Some(1));
}

#[test]
fn p7_a_stale_answer_changes_no_state_and_its_message_is_still_recorded() {
    let mut post = post();
    begin(&mut post, 1, CallKind::Create, Rev::Sealed(1));
    post.lose_attempt();
    post.repeat(Body::plain("labelled"));
    begin(&mut post, 2, CallKind::Create, Rev::Sealed(2));
    assert_eq!(
        post.acknowledge(fence(1), &receipt("7"), UpdateClass::Replace),
        Applied::Stale
    );
    assert_eq!(
        post.attempt.as_ref().map(|attempt| attempt.fence),
        Some(fence(2))
    );
    // The first copy is known now; the second, when it comes, is to be removed.
    assert_eq!(post.handle(), Some(&handle("7")));
    assert_eq!(
        post.acknowledge(fence(2), &receipt("8"), UpdateClass::Replace),
        Applied::Done
    );
    assert_eq!(post.extra, vec![handle("8")]);
}

#[test]
fn p6_a_create_with_unknown_outcome_is_unresolved_and_one_that_was_not_sent_is_absent() {
    for (certainty, unresolved) in [(Certainty::MaybeSent, true), (Certainty::NotSent, false)] {
        let mut post = post();
        begin(&mut post, 1, CallKind::Create, Rev::Sealed(1));
        let failure = failure(
            certainty,
            FailureKind::Network,
            Retry::After(Duration::from_secs(1)),
        );
        assert_eq!(post.fail(fence(1), &failure, NOW), Applied::Again);
        assert_eq!(matches!(post.known, Known::Unresolved { .. }), unresolved);
        assert_eq!(post.known == Known::None, !unresolved);
    }
}

#[test]
fn p4_no_answer_changes_what_is_sealed_and_new_content_is_a_new_revision() {
    let retries = [Retry::Never, Retry::Now, Retry::OnReconnect];
    let certainties = [Certainty::NotSent, Certainty::MaybeSent, Certainty::Sent];
    let kinds = [
        FailureKind::Format,
        FailureKind::MessageGone,
        FailureKind::NotEditable,
        FailureKind::TargetGone,
        FailureKind::Network,
    ];
    let mut sealed = post();
    let wanted = sealed.wanted.clone();
    for call in CallKind::ALL {
        for known in [Known::None, here("7")] {
            let mut post = post();
            post.known = known;
            begin(&mut post, 1, call, Rev::Sealed(1));
            let mut answered = post.clone();
            answered.acknowledge(fence(1), &receipt("8"), UpdateClass::Replace);
            answered.evidence(&handle("9"));
            assert_eq!(answered.wanted, wanted, "{call:?}");
            for kind in &kinds {
                for (certainty, retry) in certainties.iter().flat_map(|c| retries.map(|r| (*c, r)))
                {
                    let mut failed = post.clone();
                    failed.fail(fence(1), &failure(certainty, kind.clone(), retry), NOW);
                    failed.lose_attempt();
                    assert_eq!(failed.wanted, wanted, "{call:?} {kind:?}");
                }
            }
        }
    }
    let mut revs = Vec::new();
    for text in ["corrected", "again"] {
        sealed.seal(Body::plain(text));
        revs.push(sealed.wanted.clone());
    }
    sealed.repeat(Body::plain("labelled"));
    revs.push(sealed.wanted.clone());
    sealed.acknowledged = Some(4);
    sealed.withdraw();
    sealed.seal(Body::plain("stub"));
    revs.push(sealed.wanted.clone());
    let revs: Vec<u32> = revs
        .iter()
        .map(|wanted| match wanted {
            Wanted::Sealed { rev, .. } => *rev,
            Wanted::Live | Wanted::Absent => 0,
        })
        .collect();
    assert_eq!(revs, [2, 3, 4, 5]);
}

#[test]
fn p6_a_look_that_is_refused_does_not_make_the_post_absent() {
    let kinds = [
        FailureKind::Refused,
        FailureKind::Unsupported,
        FailureKind::MessageGone,
        FailureKind::NotEditable,
        FailureKind::TargetGone,
        FailureKind::Format,
    ];
    for kind in kinds {
        let mut post = post();
        begin(&mut post, 1, CallKind::Create, Rev::Sealed(1));
        post.lose_attempt();
        let mut look = |number: u64, retry: Retry| {
            begin(&mut post, number, CallKind::Prove, Rev::Unknown);
            let refused = failure(Certainty::NotSent, kind.clone(), retry);
            let applied = post.fail(fence(number), &refused, NOW);
            (applied, post.known.clone())
        };
        let (applied, known) = look(2, Retry::After(Duration::from_secs(1)));
        assert_eq!(applied, Applied::Again);
        assert!(matches!(
            known,
            Known::Unresolved {
                undecidable: false,
                ..
            }
        ));
        let (applied, known) = look(3, Retry::Never);
        assert_eq!(applied, Applied::Done);
        assert!(matches!(
            known,
            Known::Unresolved {
                undecidable: true,
                ..
            }
        ));
        assert!(post.settled.is_none());
    }
}

#[test]
fn a_sealed_create_that_took_effect_without_an_id_is_delivered_unseen_and_a_draft_is_not() {
    let sent = failure(Certainty::Sent, FailureKind::Server, Retry::Never);
    let mut sealed = post();
    begin(&mut sealed, 1, CallKind::Create, Rev::Sealed(1));
    sealed.fail(fence(1), &sent, NOW);
    assert_eq!(
        sealed.settled.map(|s| s.how),
        Some(Settlement::DeliveredUnseen)
    );
    let mut draft = post();
    begin(&mut draft, 1, CallKind::Create, Rev::Live);
    draft.fail(fence(1), &sent, NOW);
    assert!(matches!(draft.known, Known::Unresolved { .. }));
}

#[test]
fn p10_a_refusal_for_good_settles_the_post() {
    let mut post = post();
    begin(&mut post, 1, CallKind::Create, Rev::Sealed(1));
    let refused = failure(Certainty::NotSent, FailureKind::TargetGone, Retry::Never);
    assert_eq!(post.fail(fence(1), &refused, NOW), Applied::Done);
    assert!(matches!(
        post.settled.map(|s| s.how),
        Some(Settlement::Refused { .. })
    ));
}

#[test]
fn a_message_that_can_t_be_edited_is_superseded() {
    let mut post = post();
    begin(&mut post, 1, CallKind::Create, Rev::Live);
    post.acknowledge(fence(1), &receipt("7"), UpdateClass::Replace);
    begin(&mut post, 2, CallKind::Edit, Rev::Sealed(1));
    let refused = failure(Certainty::NotSent, FailureKind::NotEditable, Retry::Never);
    post.fail(fence(2), &refused, NOW);
    assert_eq!(
        (post.known, post.incarnation, post.extra),
        (Known::None, 1, vec![handle("7")])
    );
}

#[test]
fn an_edit_that_finds_no_message_leaves_the_post_gone() {
    let mut post = post();
    begin(&mut post, 1, CallKind::Create, Rev::Live);
    post.acknowledge(fence(1), &receipt("7"), UpdateClass::Replace);
    begin(&mut post, 2, CallKind::Edit, Rev::Sealed(1));
    post.fail(
        fence(2),
        &failure(Certainty::NotSent, FailureKind::MessageGone, Retry::Never),
        NOW,
    );
    assert_eq!(post.known, Known::Gone { why: Gone::Lost });
}

#[test]
fn p7_evidence_of_a_second_message_makes_a_settled_post_owed_again() {
    let mut post = post();
    begin(&mut post, 1, CallKind::Create, Rev::Sealed(1));
    post.acknowledge(fence(1), &receipt("7"), UpdateClass::Replace);
    post.settle(Settlement::Delivered, NOW);
    post.evidence(&handle("7"));
    assert!(post.is_settled());
    post.evidence(&handle("8"));
    assert!(!post.is_settled());
    assert_eq!(post.extra, vec![handle("8")]);
}

#[test]
fn a_refused_format_asks_once_for_a_plainer_revision() {
    let mut post = post();
    begin(&mut post, 1, CallKind::Create, Rev::Sealed(1));
    let refused = failure(Certainty::NotSent, FailureKind::Format, Retry::Never);
    assert_eq!(post.fail(fence(1), &refused, NOW), Applied::Plainer);
    post.seal(Body::plain("plain"));
    post.plainer = true;
    begin(&mut post, 2, CallKind::Create, Rev::Sealed(2));
    assert_eq!(post.fail(fence(2), &refused, NOW), Applied::Done);
    assert!(post.is_settled());
}
