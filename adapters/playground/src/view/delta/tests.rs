use super::delta;
use crate::view::{ChatHead, ChatView, GatewayState, LogLine, MessageView, Snapshot, TextView};

fn message(id: i64, text: &str) -> MessageView {
    MessageView {
        id,
        body: TextView {
            text: text.to_owned(),
            entities: Vec::new(),
        },
        ..MessageView::default()
    }
}

fn snapshot(version: u64, messages: Vec<MessageView>) -> Snapshot {
    Snapshot {
        version,
        chats: vec![ChatView {
            head: ChatHead {
                id: "telegram",
                ..ChatHead::default()
            },
            messages,
        }],
        ..Snapshot::default()
    }
}

#[test]
fn a_new_connection_gets_everything_and_resets() {
    let new = snapshot(7, vec![message(1, "a"), message(2, "b")]);
    let sent = delta(None, &new).unwrap();
    assert!(sent.reset);
    assert_eq!(sent.version, 7);
    assert!(sent.gateway.is_some() && sent.ledger.is_some());
    assert_eq!(sent.chats[0].messages.len(), 2);
}

#[test]
fn an_edit_sends_the_edited_message_alone() {
    let old = snapshot(1, vec![message(1, "a"), message(2, "b")]);
    let new = snapshot(2, vec![message(1, "a"), message(2, "b and more")]);
    let sent = delta(Some(&old), &new).unwrap();
    assert!(!sent.reset);
    assert!(sent.gateway.is_none() && sent.ledger.is_none());
    assert!(sent.chats[0].head.is_none());
    assert_eq!(sent.chats[0].messages, vec![message(2, "b and more")]);
}

#[test]
fn a_deleted_message_is_named() {
    let old = snapshot(1, vec![message(1, "a"), message(2, "b")]);
    let new = snapshot(2, vec![message(2, "b")]);
    let sent = delta(Some(&old), &new).unwrap();
    assert_eq!(sent.chats[0].removed, vec![1]);
    assert!(sent.chats[0].messages.is_empty());
}

#[test]
fn log_lines_are_sent_once() {
    let line = |seq| LogLine {
        seq,
        text: format!("line {seq}"),
    };
    let mut old = snapshot(1, Vec::new());
    old.log = vec![line(1), line(2)];
    let mut new = old.clone();
    new.log = vec![line(2), line(3)];
    assert_eq!(delta(Some(&old), &new).unwrap().log, vec![line(3)]);
}

#[test]
fn a_new_version_with_nothing_new_sends_nothing() {
    let old = snapshot(1, vec![message(1, "a")]);
    let mut new = old.clone();
    new.version = 2;
    new.now_ms = 99;
    assert_eq!(delta(Some(&old), &new), None);
    new.gateway.state = GatewayState::Running;
    assert!(delta(Some(&old), &new).is_some());
}
