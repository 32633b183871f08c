use serde_json::json;
use talaria_ledger::records::Outcome;
use talaria_types::Wall;
use talaria_types::model::{Message, ToolClass, UserBlock};

use super::*;
use crate::testing::{Around, Names, turn_record};

fn turn(around: &Around) -> Turn {
    Turn::new(turn_record(1), around.cx().now)
}

fn tool(id: &str, name: &str) -> Block {
    Block::ToolUse {
        id: id.to_owned(),
        name: name.to_owned(),
        input: json!({}),
    }
}

fn stop(index: usize, block: Block) -> StreamEvent {
    StreamEvent::BlockStop { index, block }
}

fn failed(kind: ModelErrorKind) -> StreamEvent {
    StreamEvent::Failed(ModelError {
        kind,
        retry_after: None,
        detail: String::new(),
    })
}

fn end(stop_reason: StopReason) -> StreamEvent {
    StreamEvent::End {
        stop_reason,
        usage: Usage::default(),
    }
}

fn started(turn: &mut Turn, call: u32, id: &str, class: ToolClass) {
    let record = ToolRecord {
        turn: turn.id(),
        step: turn.current_step(),
        call,
        tool_use_id: id.to_owned(),
        name: "x".to_owned(),
        class,
        state: ToolState::Started { at: Wall(0) },
        unknown: Default::default(),
    };
    turn.tools.insert((record.step, call), record);
}

/// A turn whose one step called these tools.
fn called(around: &Around, names: &[&str]) -> Turn {
    let mut turn = turn(around);
    let ask = turn.ask();
    for (index, name) in names.iter().enumerate() {
        turn.on_model(
            ask,
            stop(index, tool(&format!("t{index}"), name)),
            &around.cx(),
        );
    }
    match turn.on_model(ask, end(StopReason::ToolUse), &around.cx()) {
        Step::Journal(step) => turn.journalled(*step),
        other => panic!("{other:?}"),
    }
    turn
}

#[test]
fn p5_a_stream_cut_behind_a_closed_tool_call_is_a_step() {
    let around = Around::new();
    let mut turn = turn(&around);
    let ask = turn.ask();
    turn.on_model(ask, stop(0, tool("t0", "pay")), &around.cx());
    let text = "half".to_owned();
    turn.on_model(ask, StreamEvent::TextDelta { index: 1, text }, &around.cx());
    match turn.on_model(ask, failed(ModelErrorKind::Network), &around.cx()) {
        Step::Journal(step) => {
            assert_eq!(step.stop_reason, StopReason::Cut);
            assert_eq!(step.blocks, vec![tool("t0", "pay")]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_stream_cut_before_is_asked_again_so_often_and_no_more() {
    let mut around = Around::new();
    let mut turn = turn(&around);
    let ask = turn.ask();
    let text = "lost".to_owned();
    turn.on_model(ask, StreamEvent::TextDelta { index: 0, text }, &around.cx());
    let Step::Retry(_, until) = turn.on_model(ask, failed(ModelErrorKind::Server), &around.cx())
    else {
        panic!("it is not asked again");
    };
    assert!(until > around.now, "a pause comes first");
    assert_eq!(turn.visible_text().0, "", "what was dropped is not shown");
    around.later(60);
    let again = turn.ask();
    assert!(matches!(
        turn.on_model(ask, end(StopReason::EndTurn), &around.cx()),
        Step::Stale
    ));
    let last = turn.on_model(again, failed(ModelErrorKind::Server), &around.cx());
    assert!(matches!(last, Step::Fail(_)), "{last:?}");
}

#[test]
fn errors_that_stay_are_not_asked_again_and_a_long_prompt_is_shortened() {
    let around = Around::new();
    for (kind, fails) in [
        (ModelErrorKind::Auth, true),
        (ModelErrorKind::Billing, true),
        (ModelErrorKind::Invalid, true),
        (ModelErrorKind::TooLong, false),
    ] {
        let mut turn = turn(&around);
        let ask = turn.ask();
        let step = turn.on_model(ask, failed(kind), &around.cx());
        assert_eq!(matches!(step, Step::Fail(_)), fails, "{kind:?}: {step:?}");
        assert_eq!(
            matches!(step, Step::Shrink(_)),
            !fails,
            "{kind:?}: {step:?}"
        );
    }
}

#[test]
fn calls_run_together_only_where_each_may_run_beside_others() {
    let around = Around::new();
    let mut turn = called(&around, &["a_beside", "b_beside", "pay", "c_beside"]);
    assert_eq!(turn.next_calls(&Names), vec![0, 1]);
    started(&mut turn, 0, "t0", ToolClass::Pure);
    assert_eq!(turn.next_calls(&Names), Vec::<u32>::new(), "one runs");
    for (call, next) in [(0, vec![1]), (1, vec![2]), (2, vec![3]), (3, vec![])] {
        started(&mut turn, call, "t", ToolClass::Pure);
        let result = ToolResult {
            tool_use_id: "t".to_owned(),
            content: String::new(),
            is_error: false,
        };
        if let Some(tool) = turn.tools.get_mut(&(0, call)) {
            tool.state = ToolState::Finished {
                at: Wall(0),
                result,
            };
        }
        assert_eq!(turn.next_calls(&Names), next, "after {call}");
    }
    assert!(!turn.has_open_calls());
}

#[test]
fn p5_after_a_crash_a_pure_call_may_run_again_and_an_effect_never() {
    let around = Around::new();
    let mut turn = called(&around, &["look", "pay"]);
    started(&mut turn, 0, "t0", ToolClass::Pure);
    started(&mut turn, 1, "t1", ToolClass::Effect);
    let changed = turn.settle_interrupted(around.cx().now);
    assert_eq!(changed.len(), 1);
    assert!(matches!(
        &changed.first().unwrap().state,
        ToolState::Finished { result, .. } if result.is_error && result.content == wording::TOOL_UNKNOWN
    ));
    assert_eq!(turn.next_calls(&Names), vec![0]);
}

#[test]
fn every_call_has_exactly_one_result_whatever_happened() {
    let around = Around::new();
    let mut turn = called(&around, &["look", "pay", "pay"]);
    started(&mut turn, 0, "t0", ToolClass::Pure);
    for outcome in [Outcome::Stopped, Outcome::GivenUp, Outcome::Superseded] {
        let messages = transcript_of(&turn, outcome, "");
        let results: Vec<&str> = messages
            .iter()
            .filter_map(|message| match message {
                Message::User { content } => Some(content),
                Message::Assistant { .. } => None,
            })
            .flatten()
            .filter_map(|block| match block {
                UserBlock::ToolResult(result) => Some(result.tool_use_id.as_str()),
                UserBlock::Text { .. } => None,
            })
            .collect();
        assert_eq!(results, ["t0", "t1", "t2"]);
        assert!(matches!(messages.last(), Some(Message::Assistant { .. })));
    }
}

#[test]
fn text_of_one_response_runs_on_and_text_behind_something_else_is_a_paragraph() {
    let around = Around::new();
    let mut turn = turn(&around);
    let ask = turn.ask();
    for (index, text) in [(0, "a "), (1, "b"), (3, "c")] {
        let text = text.to_owned();
        turn.on_model(ask, StreamEvent::TextDelta { index, text }, &around.cx());
    }
    assert_eq!(turn.visible_text(), ("a b\n\nc".to_owned(), 0));
}
