use proptest::prelude::*;
use serde_json::json;
use talaria_types::model::{Block, Message, ToolResult, UserBlock};

use super::{NO_RESULT, repair};

fn text(text: &str) -> UserBlock {
    UserBlock::Text {
        text: text.to_owned(),
    }
}

fn result(id: &str) -> UserBlock {
    outcome(id, "r", false)
}

fn missing(id: &str) -> UserBlock {
    outcome(id, NO_RESULT, true)
}

fn outcome(id: &str, content: &str, is_error: bool) -> UserBlock {
    UserBlock::ToolResult(ToolResult {
        tool_use_id: id.to_owned(),
        content: content.to_owned(),
        is_error,
    })
}

fn call(id: &str) -> Block {
    Block::ToolUse {
        id: id.to_owned(),
        name: "f".to_owned(),
        input: json!({}),
    }
}

fn says(text: &str) -> Block {
    Block::Text {
        text: text.to_owned(),
    }
}

fn user(content: Vec<UserBlock>) -> Message {
    Message::User { content }
}

fn assistant(content: Vec<Block>) -> Message {
    Message::Assistant { content }
}

#[test]
fn a_good_conversation_is_left_alone() {
    let thinking = Block::Thinking {
        thinking: String::new(),
        signature: "s".to_owned(),
    };
    let good = vec![
        user(vec![text("go")]),
        assistant(vec![thinking, says("x"), call("a"), call("b")]),
        user(vec![result("a"), result("b"), text("and")]),
        assistant(vec![says("done")]),
    ];
    assert_eq!(repair(&good), good);
}

#[test]
fn a_call_without_a_result_gets_one_in_the_next_message_and_first_there() {
    let broken = [
        user(vec![text("go")]),
        assistant(vec![call("a")]),
        user(vec![text("stop, something else")]),
        assistant(vec![call("b"), call("c")]),
        user(vec![text("late"), result("c")]),
        assistant(vec![call("d")]),
    ];
    let repaired = repair(&broken);
    assert_eq!(
        repaired[2],
        user(vec![missing("a"), text("stop, something else")])
    );
    assert_eq!(
        repaired[4],
        user(vec![missing("b"), result("c"), text("late")])
    );
    assert_eq!(repaired[6], user(vec![missing("d")]));
}

#[test]
fn a_result_without_its_call_goes_and_so_does_a_second_one() {
    let broken = [
        user(vec![result("gone"), text("hi")]),
        assistant(vec![call("a")]),
        user(vec![
            result("a"),
            outcome("a", "again", false),
            result("other"),
        ]),
        assistant(vec![says("x")]),
        user(vec![result("a")]),
        assistant(vec![says("y")]),
    ];
    let want = vec![
        user(vec![text("hi")]),
        assistant(vec![call("a")]),
        user(vec![result("a")]),
        assistant(vec![says("x"), says("y")]),
    ];
    assert_eq!(repair(&broken), want);
}

#[test]
fn results_in_two_messages_become_one() {
    let broken = [
        assistant(vec![call("a"), call("b")]),
        user(vec![result("a")]),
        user(vec![result("b"), text("t")]),
    ];
    assert_eq!(
        repair(&broken)[1],
        user(vec![result("a"), result("b"), text("t")])
    );
}

#[test]
fn blank_text_and_empty_messages_go() {
    let broken = [
        user(vec![text("one"), text(" \n")]),
        assistant(vec![says("")]),
        user(vec![text("two")]),
        assistant(vec![says(""), call("a")]),
    ];
    let want = vec![
        user(vec![text("one"), text("two")]),
        assistant(vec![call("a")]),
        user(vec![missing("a")]),
    ];
    assert_eq!(repair(&broken), want);
    assert!(repair(&[assistant(vec![])]).is_empty());
}

fn any_message() -> impl Strategy<Value = Message> {
    let user_block = prop_oneof![
        "[ ab]{0,2}".prop_map(|s| text(&s)),
        "[abc]".prop_map(|s| result(&s))
    ];
    let block = prop_oneof![
        "[ ab]{0,2}".prop_map(|s| says(&s)),
        "[abc]".prop_map(|s| call(&s))
    ];
    prop_oneof![
        prop::collection::vec(user_block, 0..4).prop_map(user),
        prop::collection::vec(block, 0..4).prop_map(assistant),
    ]
}

proptest! {
    /// Whatever comes in, the rules hold for what comes out, and repairing it again changes nothing.
    #[test]
    fn the_rules_hold(messages in prop::collection::vec(any_message(), 0..8)) {
        let out = repair(&messages);
        prop_assert_eq!(repair(&out), out.clone());
        let mut calls: Vec<String> = Vec::new();
        for message in &out {
            match message {
                Message::Assistant { content } => {
                    prop_assert!(calls.is_empty() && !content.is_empty());
                    calls = super::call_ids(content);
                }
                Message::User { content } => {
                    prop_assert!(!content.is_empty());
                    let results: Vec<String> = content.iter().map_while(|block| match block {
                        UserBlock::ToolResult(result) => Some(result.tool_use_id.clone()),
                        UserBlock::Text { .. } => None,
                    }).collect();
                    prop_assert_eq!(&results, &calls);
                    let rest = &content[results.len()..];
                    for block in rest {
                        let good = match block {
                            UserBlock::Text { text } => !text.trim().is_empty(),
                            UserBlock::ToolResult(_) => false,
                        };
                        prop_assert!(good, "{:?}", block);
                    }
                    calls.clear();
                }
            }
        }
        prop_assert!(calls.is_empty());
    }
}
