use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use talaria_types::{AccountId, Content, Inbound};

use super::{Bot, Ignored, ParseError, Parsed, parse};

fn account() -> AccountId {
    AccountId::new("telegram:900100")
}

fn parsed(username: Option<&str>, update: &Value) -> Result<Parsed, ParseError> {
    parse(
        Bot {
            account: &account(),
            username,
        },
        update,
    )
}

fn inbound(update: &Value) -> Inbound {
    match parsed(Some("demo_bot"), update) {
        Ok(Parsed::Inbound(inbound)) => *inbound,
        other => panic!("no inbound: {other:?}"),
    }
}

fn sample(name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("samples")
        .join(format!("{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn every_sample_has_its_expected_reading() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut readings = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let reading = match parsed(Some("demo_bot"), &sample(&name)) {
            Ok(Parsed::Inbound(inbound)) => serde_json::to_value(inbound).unwrap(),
            Ok(Parsed::Ignored(why)) => json!({"ignored": why.name()}),
            Err(error) => json!({"error": error.to_string()}),
        };
        readings.insert(name, reading);
    }
    assert!(readings.len() > 30);
    insta::assert_json_snapshot!("readings", readings);
}

#[test]
fn a_command_to_somebody_counts_until_the_own_name_is_known() {
    let to_other = sample("command_to_another_bot");
    assert_eq!(
        parsed(Some("demo_bot"), &to_other),
        Ok(Parsed::Ignored(Ignored::ForAnotherBot))
    );
    assert!(matches!(parsed(None, &to_other), Ok(Parsed::Inbound(_))));
}

#[test]
fn keys_stay_the_same_over_redelivery_under_another_update_id() {
    for name in ["text", "edit", "press"] {
        let mut again = sample(name);
        again["update_id"] = json!(1);
        assert_eq!(inbound(&sample(name)).key, inbound(&again).key);
    }
}

#[test]
fn two_edits_within_a_second_are_two_inbounds_of_one_message() {
    let (first, second) = (
        inbound(&sample("edit")),
        inbound(&sample("edit_in_the_same_second")),
    );
    assert_ne!(first.key, second.key);
    let of = |inbound: &Inbound| match &inbound.content {
        Content::Edit { of, .. } => of.clone(),
        other => panic!("no edit: {other:?}"),
    };
    assert_eq!(of(&first), of(&second));
    assert_eq!(of(&first), inbound(&sample("text")).key);
}

#[test]
fn a_caption_and_its_edit_are_read_alike() {
    let text = |name| match inbound(&sample(name)).content {
        Content::Text { text } | Content::Edit { text, .. } => text,
        other => panic!("no text: {other:?}"),
    };
    let (new, edited) = (text("photo_with_caption"), text("edit_of_a_caption"));
    assert!(new.starts_with("what is this?\n\n[") && edited.starts_with("what is that?\n\n["));
    assert_eq!(
        new.split_once('['),
        edited
            .split_once('[')
            .map(|(_, note)| ("what is this?\n\n", note))
    );
}

#[test]
fn no_field_of_any_form_makes_it_panic() {
    let odd = [
        json!(null),
        json!(-1),
        json!(1.5),
        json!("x"),
        json!([]),
        json!({}),
        json!(u64::MAX),
    ];
    for name in [
        "text",
        "command_with_args",
        "reply",
        "topic",
        "edit",
        "press",
        "voice",
        "group",
    ] {
        let base = sample(name);
        for pointer in pointers(&base) {
            for value in &odd {
                let mut update = base.clone();
                if let Some(field) = update.pointer_mut(&pointer) {
                    *field = value.clone();
                }
                // An answer of some kind is all that is asked for.
                let _any = parsed(Some("demo_bot"), &update);
            }
        }
    }
}

#[test]
fn a_command_entity_of_any_length_makes_it_no_worse_than_text() {
    for length in [0, 1, 2, 3, 4, 5, 100] {
        let mut update = sample("command_new");
        update["message"]["text"] = json!("/😀n");
        update["message"]["entities"][0]["length"] = json!(length);
        let text = Content::Text {
            text: "/😀n".to_owned(),
        };
        assert_eq!(inbound(&update).content, text, "{length}");
    }
}

fn pointers(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let children: Vec<(String, &Value)> = match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), value))
            .collect(),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(at, value)| (at.to_string(), value))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![],
    };
    for (key, child) in children {
        found.extend(
            pointers(child)
                .into_iter()
                .map(|tail| format!("/{key}{tail}")),
        );
    }
    found
}
