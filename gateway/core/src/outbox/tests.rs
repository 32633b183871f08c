use talaria_ledger::records::{PostKind, Settlement};
use talaria_types::outcome::Proof;
use talaria_types::{
    Action, CallKind, CallOutcome, Certainty, ChatId, CreateClass, Failure, FailureKind,
    FailureScope, Fence, Handle, MessageId, PlatformCall, Receipt, Retry, Seq, UpdateClass, Wall,
};

use super::*;
use crate::pacing::Slot;
use crate::testing::{Around, BEGIN, account, place, written};

fn post(origin: u64, kind: PostKind) -> PostRecord {
    let id = PostId {
        origin: Seq(origin),
        ordinal: 0,
    };
    let conversation = place().conversation(None);
    let created = Wall(BEGIN);
    PostRecord::new(
        id,
        conversation,
        place(),
        kind,
        origin,
        Wanted::Live,
        created,
    )
}

fn sealed(origin: u64, text: &str) -> PostRecord {
    let mut post = post(origin, PostKind::Answer);
    post.seal(Body::plain(text));
    post
}

fn handle(message: &str) -> Handle {
    Handle {
        chat: ChatId::new("c"),
        message: MessageId::new(message),
    }
}

fn made(message: &str) -> CallOutcome {
    Ok(Receipt {
        handle: Some(handle(message)),
        proof: None,
    })
}

fn failed(kind: FailureKind, certainty: Certainty, retry: Retry) -> CallOutcome {
    Err(Failure {
        certainty,
        retry,
        scope: FailureScope::Message,
        kind,
        detail: String::new(),
    })
}

fn lost() -> CallOutcome {
    failed(FailureKind::Network, Certainty::MaybeSent, Retry::Now)
}

/// An outbox whose every wish is granted at once.
struct Bench {
    around: Around,
    outbox: Outbox,
    /// The posts as they were written last.
    ledger: Vec<PostRecord>,
    calls: Vec<(PostId, PlatformCall)>,
}

impl Bench {
    fn new(around: Around) -> Self {
        Self {
            around,
            outbox: Outbox::new(account(), [0; 4], 2, 0),
            ledger: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// Advances until nothing more is wanted; returns the kinds of the calls that left.
    fn run(&mut self) -> Vec<CallKind> {
        let mut left = Vec::new();
        loop {
            let mut out = Vec::new();
            self.outbox
                .advance_all(&self.around.cx(), &mut out)
                .unwrap();
            let wishes: Vec<PostId> = out
                .iter()
                .filter_map(|effect| match effect {
                    Effect::Want(request) => match request.key.slot {
                        Slot::Post(post) => Some(post),
                        _ => None,
                    },
                    _ => None,
                })
                .collect();
            self.ledger.extend(written(&out));
            if wishes.is_empty() {
                return left;
            }
            for post in wishes {
                let mut out = Vec::new();
                self.outbox
                    .granted(post, &self.around.cx(), &mut out)
                    .unwrap();
                self.ledger.extend(written(&out));
                for effect in out {
                    if let Effect::Call { call, .. } = effect {
                        left.push(call.action.kind());
                        self.calls.push((post, *call));
                    }
                }
            }
        }
    }

    /// Answers the oldest call that left, then goes on.
    fn answer(&mut self, outcome: &CallOutcome) -> Vec<CallKind> {
        let (post, call) = self.calls.remove(0);
        self.answer_as(post, call.fence, outcome)
    }

    fn answer_as(&mut self, post: PostId, fence: Fence, outcome: &CallOutcome) -> Vec<CallKind> {
        let mut out = Vec::new();
        self.outbox
            .answered(post, fence, outcome, &self.around.cx(), &mut out);
        self.ledger.extend(written(&out));
        self.run()
    }

    fn last(&self) -> &PostRecord {
        self.ledger.last().unwrap()
    }

    fn how(&self) -> Option<Settlement> {
        self.last().settled.clone().map(|settled| settled.how)
    }

    fn body(&self) -> String {
        match &self.calls.first().unwrap().1.action {
            Action::Create { body, .. } | Action::Edit { body, .. } => body.text.clone(),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_intent_of_a_create_is_written_before_it_and_its_receipt_after() {
    let mut bench = Bench::new(Around::new());
    bench.outbox.insert(sealed(1, "hi"));
    assert_eq!(bench.run(), [CallKind::Create]);
    let fence = bench.calls.first().unwrap().1.fence;
    assert_eq!(bench.last().attempt.as_ref().map(|a| a.fence), Some(fence));
    assert_eq!(bench.answer(&made("1")), []);
    assert_eq!(bench.how(), Some(Settlement::Delivered));
    assert_eq!(bench.last().handle(), Some(&handle("1")));
    assert!(bench.outbox.is_empty());
}

#[test]
fn p8_the_next_answer_waits_and_a_command_answer_does_not() {
    let mut bench = Bench::new(Around::new());
    for origin in [1, 2] {
        bench.outbox.insert(sealed(origin, "answer"));
    }
    let mut command = post(3, PostKind::Command);
    command.seal(Body::plain("command"));
    bench.outbox.insert(command);
    assert_eq!(bench.run(), [CallKind::Create, CallKind::Create]);
    let origins: Vec<u64> = bench.calls.iter().map(|(post, _)| post.origin.0).collect();
    assert_eq!(origins, [1, 3]);
    assert_eq!(bench.answer(&made("1")), [CallKind::Create]);
}

#[test]
fn p6_a_blind_create_that_got_lost_is_made_once_more_with_a_label() {
    let mut bench = Bench::new(Around::new());
    bench.outbox.insert(sealed(1, "hi"));
    bench.run();
    assert_eq!(bench.answer(&lost()), [CallKind::Create]);
    assert_eq!(bench.body(), "! hi");
    assert_eq!(bench.answer(&lost()), []);
    assert_eq!(bench.how(), Some(Settlement::Unresolved));
}

#[test]
fn p7_a_copy_that_answers_after_the_settlement_is_removed() {
    let mut bench = Bench::new(Around::new());
    bench.outbox.insert(sealed(1, "hi"));
    bench.run();
    let (id, late) = bench.calls.remove(0);
    bench.around.later(50);
    assert_eq!(bench.run(), [CallKind::Create], "lost at its deadline");
    bench.answer(&made("2"));
    assert_eq!(bench.how(), Some(Settlement::Delivered));
    let calls = bench.answer_as(id, late.fence, &made("1"));
    assert_eq!(calls, [CallKind::Delete]);
    assert_eq!(bench.last().extra, [handle("1")]);
    bench.answer(&Ok(Receipt::default()));
    assert_eq!(bench.how(), Some(Settlement::Delivered));
    assert_eq!(bench.last().handle(), Some(&handle("2")));
}

#[test]
fn p7_evidence_of_a_post_that_nobody_here_knows_comes_with_its_record() {
    let mut bench = Bench::new(Around::new());
    let mut record = sealed(1, "hi");
    record.known = Known::Here {
        handle: handle("1"),
        phase: talaria_ledger::records::Phase::Closed,
        rev: talaria_ledger::records::Rev::Sealed(1),
    };
    record.settle(Settlement::Delivered, Wall(BEGIN));
    bench
        .outbox
        .evidence(record.id, Some(record.clone()), &handle("1"));
    assert_eq!(bench.run(), [], "it is the message that is known");
    bench.outbox.evidence(record.id, Some(record), &handle("2"));
    assert_eq!(bench.run(), [CallKind::Delete]);
}

#[test]
fn p6_after_a_restart_an_unresolved_create_waits_for_the_horizon_again() {
    let mut around = Around::new();
    around.capabilities.create = CreateClass::Readable;
    let mut bench = Bench::new(around);
    bench.outbox.insert(sealed(1, "hi"));
    bench.run();
    bench.answer(&lost());
    let left = bench.last().clone();
    assert!(matches!(left.known, Known::Unresolved { .. }));

    let mut next = Bench::new(bench.around);
    next.outbox.restore(left, false, &next.around.cx());
    assert_eq!(next.run(), [], "the old call may still land");
    next.around.later(10);
    assert_eq!(next.run(), [CallKind::Prove]);
    let found = Receipt {
        handle: None,
        proof: Some(Proof::Absent),
    };
    assert_eq!(next.answer(&Ok(found)), [CallKind::Create]);
    assert_eq!(next.body(), "hi", "it is absent: no label");
}

#[test]
fn p10_a_draft_that_is_refused_for_good_waits_for_the_seal() {
    for kind in [FailureKind::TooLong, FailureKind::TargetGone] {
        let mut bench = Bench::new(Around::new());
        let draft = post(1, PostKind::Answer);
        let cx = bench.around.cx();
        bench
            .outbox
            .set_live(draft.clone(), Body::plain("gro"), &cx);
        assert_eq!(bench.run(), [CallKind::Create]);
        let refused = failed(kind.clone(), Certainty::NotSent, Retry::Never);
        assert_eq!(bench.answer(&refused), []);
        let cx = bench.around.cx();
        bench.outbox.set_live(draft, Body::plain("growing"), &cx);
        assert_eq!(bench.run(), [], "nothing more is tried");
        let mut post = bench.outbox.of_origin(Seq(1)).remove(0).clone();
        assert!(!post.is_settled());
        post.seal(Body::plain("grown"));
        bench.outbox.insert(post);
        assert_eq!(bench.run(), [CallKind::Create]);
        assert_eq!(bench.answer(&refused), []);
        assert!(matches!(bench.how(), Some(Settlement::Refused { .. })));
    }
}

#[test]
fn an_edit_of_unknown_outcome_is_repeated_after_the_horizon_and_only_that_settles() {
    let mut bench = Bench::new(Around::new());
    let draft = post(1, PostKind::Answer);
    let cx = bench.around.cx();
    bench.outbox.set_live(draft.clone(), Body::plain("a"), &cx);
    bench.run();
    bench.answer(&made("1"));
    let cx = bench.around.cx();
    bench.outbox.set_live(draft.clone(), Body::plain("ab"), &cx);
    assert_eq!(bench.run(), [CallKind::Edit]);
    assert_eq!(bench.answer(&lost()), [CallKind::Edit], "at once");
    assert_eq!(bench.answer(&Ok(Receipt::default())), []);
    bench.around.later(11);
    // Nothing changed, and the lost edit may have landed in between.
    let mut post = bench.outbox.of_origin(Seq(1)).remove(0).clone();
    post.seal(Body::plain("ab"));
    bench.outbox.insert(post);
    assert_eq!(bench.run(), [CallKind::Edit]);
    bench.answer(&Ok(Receipt::default()));
    assert_eq!(bench.how(), Some(Settlement::Delivered));
}

#[test]
fn p4_a_plainer_body_is_a_revision_that_is_written_before_it_is_sent() {
    let mut bench = Bench::new(Around::new());
    bench.outbox.insert(sealed(1, "hi"));
    bench.run();
    let format = failed(FailureKind::Format, Certainty::NotSent, Retry::Never);
    assert_eq!(bench.answer(&format), [CallKind::Create]);
    assert_eq!(bench.body(), "plain hi");
    let revised = bench
        .ledger
        .iter()
        .find(|post| matches!(&post.wanted, Wanted::Sealed { rev: 2, .. }))
        .unwrap();
    assert!(
        revised.attempt.is_none(),
        "first the revision, then the intent"
    );
}

#[test]
fn p13_a_post_that_three_processes_crashed_over_is_given_up() {
    let mut left = sealed(1, "hi");
    for process in 1..=3 {
        let mut bench = Bench::new(Around::new());
        bench.outbox.restore(left, true, &bench.around.cx());
        let calls = bench.run();
        if process < 3 {
            assert_eq!(calls, [CallKind::Create], "process {process}");
            left = bench.last().clone();
            // Nothing was sent, and the process did not live to write it.
            left.attempt = None;
        } else {
            assert_eq!(calls, []);
            assert_eq!(bench.how(), Some(Settlement::GivenUp));
            return;
        }
    }
}

#[test]
fn a_message_that_was_found_and_cannot_be_changed_stays() {
    let mut around = Around::new();
    around.capabilities.update = UpdateClass::None;
    let mut bench = Bench::new(around);
    let mut record = sealed(1, "hi");
    record.settle(Settlement::DeliveredUnseen, Wall(BEGIN));
    bench.outbox.evidence(record.id, Some(record), &handle("1"));
    assert_eq!(bench.run(), []);
    assert_eq!(bench.how(), Some(Settlement::Delivered));
}

#[test]
fn p7_a_late_answer_about_a_removed_message_says_nothing() {
    let mut bench = Bench::new(Around::new());
    bench.outbox.insert(sealed(1, "hi"));
    bench.run();
    bench.answer(&lost());
    bench.answer(&made("2"));
    assert_eq!(bench.how(), Some(Settlement::Delivered));
    let record = bench.last().clone();
    bench
        .outbox
        .evidence(record.id, Some(record.clone()), &handle("1"));
    assert_eq!(bench.run(), [CallKind::Delete]);
    let fence = bench.calls.first().unwrap().1.fence;
    bench.answer(&Ok(Receipt::default()));
    assert_eq!(bench.how(), Some(Settlement::Delivered));
    assert_eq!(bench.answer_as(record.id, fence, &made("1")), []);
    bench.outbox.evidence(record.id, Some(record), &handle("1"));
    assert_eq!(bench.run(), []);
}
