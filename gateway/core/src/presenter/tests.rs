use talaria_types::model::{ModelErrorKind, StreamEvent};

use super::*;
use crate::testing::{Around, turn_record};

fn says(turn: &mut Turn, ask: u32, text: &str, around: &Around) {
    let text = text.to_owned();
    turn.on_model(ask, StreamEvent::TextDelta { index: 0, text }, &around.cx());
}

fn texts(bodies: Vec<Body>) -> Vec<String> {
    bodies.into_iter().map(|body| body.text).collect()
}

#[test]
fn a_first_draft_waits_for_some_words_but_not_for_long() {
    let mut around = Around::new();
    let mut turn = Turn::new(turn_record(1), around.cx().now);
    let mut reply = Reply::default();
    let ask = turn.ask();
    assert!(matches!(reply.live(&turn, &around.cx()), Live::Unchanged));
    says(&mut turn, ask, "few words", &around);
    assert!(matches!(reply.live(&turn, &around.cx()), Live::Wait(_)));
    around.later(1);
    match reply.live(&turn, &around.cx()) {
        Live::Show(bodies) => assert_eq!(texts(bodies), ["few words"]),
        other => panic!("{other:?}"),
    }
    assert!(matches!(reply.live(&turn, &around.cx()), Live::Unchanged));
}

#[test]
fn split_points_stay_where_they_are_while_the_text_before_them_stands() {
    let around = Around::new();
    let mut turn = Turn::new(turn_record(1), around.cx().now);
    let mut reply = Reply::default();
    let ask = turn.ask();
    says(&mut turn, ask, &"x".repeat(45), &around);
    assert!(matches!(reply.live(&turn, &around.cx()), Live::Show(_)));
    assert_eq!(reply.frozen, [10, 20, 30, 40]);
    // The response is dropped; the next one agrees with it for twelve letters.
    let ask = turn.ask();
    says(
        &mut turn,
        ask,
        &format!("{}{}", "x".repeat(12), "y".repeat(31)),
        &around,
    );
    assert!(matches!(reply.live(&turn, &around.cx()), Live::Show(_)));
    assert_eq!(reply.frozen, [10, 20, 30, 40]);
    let sealed = texts(reply.sealed(&turn, Outcome::Finished, &around.cx()));
    assert_eq!(sealed.get(1).map(String::as_str), Some("xxyyyyyyyy"));
}

#[test]
fn how_an_answer_ends_is_said_unless_a_command_says_it() {
    let around = Around::new();
    let mut turn = Turn::new(turn_record(1), around.cx().now);
    let failed = Outcome::Failed {
        error: ModelErrorKind::Auth,
    };
    assert_eq!(
        final_text(&turn, Outcome::Finished, 9),
        wording::EMPTY_ANSWER
    );
    assert_eq!(final_text(&turn, Outcome::Stopped, 9), "");
    assert_eq!(
        final_text(&turn, failed, 9),
        wording::model_failure(ModelErrorKind::Auth)
    );
    let ask = turn.ask();
    says(&mut turn, ask, "```\ncode ", &around);
    assert_eq!(
        final_text(&turn, Outcome::Stopped, 9),
        "```\ncode\n```\n\n(Stopped.)",
        "a fence that is open would swallow the ending"
    );
    assert_eq!(
        final_text(&turn, Outcome::GivenUp, 0),
        format!("```\ncode\n```\n\n{}", wording::too_many_steps(0))
    );
}
