use talaria_types::model::Block;

use super::*;
use crate::testing::{accepted, account, inbound, place, text};

fn session() -> Session {
    Session::new(place().conversation(None), place(), Wall(0))
}

fn said(words: &str) -> Message {
    Message::User {
        content: vec![UserBlock::Text {
            text: words.to_owned(),
        }],
    }
}

fn answered(words: &str) -> Message {
    Message::Assistant {
        content: vec![Block::Text {
            text: words.to_owned(),
        }],
    }
}

#[test]
fn what_waits_is_in_the_ledgers_order_and_once() {
    let mut session = session();
    for number in [3, 1, 2] {
        assert!(session.enqueue(accepted(number, text(number, "x"))));
    }
    assert!(!session.enqueue(accepted(2, text(2, "x"))));
    let order: Vec<u64> = session.queue.iter().map(|waiting| waiting.seq.0).collect();
    assert_eq!(order, [1, 2, 3]);
}

#[test]
fn a_turn_settles_into_its_own_generation() {
    let mut session = session();
    let mut changes = Changes::new(account());
    session.renew(Wall(1));
    session
        .append(&mut changes, TurnId(Seq(1)), 0, vec![said("old")], Wall(2))
        .unwrap();
    assert!(changes.is_empty() && session.transcript.is_empty());
    session
        .append(&mut changes, TurnId(Seq(2)), 1, vec![said("new")], Wall(2))
        .unwrap();
    assert_eq!(session.record.entries, 1);
    assert_eq!(changes.puts.len(), 1);
}

#[test]
fn a_transcript_that_is_cut_begins_with_a_persons_text() {
    let long = "x".repeat(TRANSCRIPT_BYTES / 2);
    let mut transcript = vec![
        said(&long),
        answered(&long),
        answered("a"),
        said("b"),
        answered("c"),
    ];
    trim(&mut transcript);
    assert_eq!(transcript, vec![said("b"), answered("c")]);
    assert_eq!(next_start(&transcript, 1), 2, "nothing begins behind it");
}

#[test]
fn the_model_is_told_that_a_text_is_an_edit() {
    let content = Content::Edit {
        of: InboundKey::new("new:1"),
        text: "better".to_owned(),
    };
    let frozen = freeze(&accepted(2, inbound(2, content)));
    assert_eq!(frozen.text, format!("{}better", wording::EDITED_PREFIX));
}
