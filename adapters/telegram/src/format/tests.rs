use serde_json::json;
use talaria_types::{Body, Button, Entity, EntityKind};

use super::{entities, keyboard};

#[test]
fn every_entity_kind_has_the_platforms_name() {
    let kinds = [
        (EntityKind::Bold, json!({"type": "bold"})),
        (EntityKind::Italic, json!({"type": "italic"})),
        (EntityKind::Underline, json!({"type": "underline"})),
        (EntityKind::Strikethrough, json!({"type": "strikethrough"})),
        (EntityKind::Spoiler, json!({"type": "spoiler"})),
        (EntityKind::Blockquote, json!({"type": "blockquote"})),
        (
            EntityKind::ExpandableBlockquote,
            json!({"type": "expandable_blockquote"}),
        ),
        (EntityKind::Code, json!({"type": "code"})),
        (EntityKind::Pre { language: None }, json!({"type": "pre"})),
        (
            EntityKind::Pre {
                language: Some("c++".into()),
            },
            json!({"type": "pre", "language": "c++"}),
        ),
        (
            EntityKind::TextLink {
                url: "https://a.example.test/x?y=1&z=2".into(),
            },
            json!({"type": "text_link", "url": "https://a.example.test/x?y=1&z=2"}),
        ),
    ];
    for (kind, expected) in kinds {
        let body = Body {
            text: "🙂abcde".into(),
            entities: vec![Entity {
                kind,
                offset: 2,
                length: 3,
            }],
            buttons: vec![],
        };
        let mut sent = serde_json::to_value(entities(&body)).unwrap();
        let sent = sent[0].as_object_mut().unwrap();
        assert_eq!(sent.remove("offset"), Some(json!(2)));
        assert_eq!(sent.remove("length"), Some(json!(3)));
        sent.retain(|_, value| !value.is_null());
        assert_eq!(serde_json::Value::Object(sent.clone()), expected);
    }
}

#[test]
fn a_link_that_is_no_url_leaves_its_text() {
    let body = Body {
        text: "readme".into(),
        entities: vec![Entity {
            kind: EntityKind::TextLink {
                url: "docs/readme.md".into(),
            },
            offset: 0,
            length: 6,
        }],
        buttons: vec![],
    };
    assert!(entities(&body).is_empty());
}

#[test]
fn short_buttons_share_a_row_and_long_ones_do_not() {
    let button = |label: &str| Button {
        label: label.into(),
        data: format!("k:{label}"),
    };
    let rows = |buttons: &[Button]| {
        keyboard(buttons).map(|k| k.inline_keyboard.iter().map(Vec::len).collect::<Vec<_>>())
    };
    assert_eq!(rows(&[]), None);
    assert_eq!(rows(&[button("Allow"), button("Deny")]), Some(vec![2]));
    assert_eq!(
        rows(&[button(&"a".repeat(30)), button("Deny")]),
        Some(vec![1, 1])
    );
    assert_eq!(
        rows(&[button("1"), button("2"), button("3"), button("4")]),
        Some(vec![1; 4])
    );
    let sent = serde_json::to_value(keyboard(&[button("Allow")])).unwrap();
    let expected = json!({"inline_keyboard": [[{"text": "Allow", "callback_data": "k:Allow"}]]});
    assert_eq!(sent, expected);
}
