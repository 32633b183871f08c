use talaria_contract::Ingress;
use talaria_types::Secret;

use super::{Batch, RAW_BYTES};
use crate::adapter::Link;
use crate::http::Http;
use crate::settings::TelegramSettings;

fn link() -> Link {
    let settings = TelegramSettings::new("main", Secret::new("900100:AA"));
    Link {
        account: settings.account().unwrap(),
        bot_id: 900_100,
        username: std::sync::OnceLock::new(),
        http: Http::new(&settings).unwrap(),
        settings,
    }
}

fn text(number: i64, text: &str) -> String {
    format!(
        r#"{{"update_id":{number},"message":{{"message_id":{number},"date":1790000000,
            "chat":{{"id":5001,"type":"private"}},
            "from":{{"id":5001,"is_bot":false,"first_name":"Ann"}},"text":"{text}"}}}}"#
    )
}

fn read(updates: &[&str]) -> Batch {
    Batch::read(&link(), &format!("[{}]", updates.join(","))).unwrap()
}

fn names(batch: &Batch) -> Vec<String> {
    let name = |event: &Ingress| match event {
        Ingress::Inbound(inbound) => inbound.key.to_string(),
        Ingress::Quarantine { id, .. } => id.clone(),
        Ingress::Evidence { key, .. } => key.as_str().to_owned(),
    };
    batch.events.iter().map(name).collect()
}

#[test]
fn a_bad_update_harms_no_neighbour() {
    let deep = format!(
        r#"{{"update_id":202,"message":{}{}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    let bad = r#"{"update_id":201,"message":{"message_id":"x"}}"#;
    let unknown = r#"{"update_id":203,"brand_new_thing":{"x":1}}"#;
    let batch = read(&[&text(200, "ok"), bad, &deep, unknown, &text(204, "ok too")]);
    assert_eq!(
        names(&batch),
        ["new:5001:200", "update:201", "update:202", "new:5001:204"]
    );
    assert_eq!(batch.next_offset, Some(205));
}

#[test]
fn an_update_that_is_too_long_is_set_aside_with_its_beginning() {
    let long = text(301, &"x".repeat(super::UPDATE_BYTES));
    let batch = read(&[&text(300, "ok"), &long, &text(302, "ok too")]);
    assert_eq!(
        names(&batch),
        ["new:5001:300", "update:301", "new:5001:302"]
    );
    let kept = batch.events.iter().find_map(|event| match event {
        Ingress::Quarantine { raw, .. } => Some(raw.len()),
        Ingress::Inbound(_) | Ingress::Evidence { .. } => None,
    });
    assert_eq!(kept, Some(RAW_BYTES));
}

#[test]
fn the_offset_goes_past_the_highest_number_even_if_that_update_is_bad() {
    assert_eq!(
        read(&[&text(7, "a"), r#"{"update_id":9}"#]).next_offset,
        Some(10)
    );
    assert_eq!(read(&[&text(7, "a"), &text(7, "a")]).next_offset, Some(8));
    assert_eq!(
        read(&[&text(7, "a"), r#"{"no":"number"}"#, "17"]).next_offset,
        Some(8)
    );
    assert_eq!(read(&[]).next_offset, None);
}

#[test]
fn what_is_no_list_of_numbered_updates_is_no_batch() {
    for result in ["null", "{}", "17", r#"[{"no":"number"}]"#] {
        assert!(Batch::read(&link(), result).is_none(), "{result}");
    }
}

#[test]
fn the_raw_text_of_a_bad_update_is_short_and_has_no_secret() {
    let token = "900100:AAExampleExampleExampleExample";
    let bad = format!(
        r#"{{"update_id":1,"message":{{"t":"{token} {}{token}"}}}}"#,
        "é".repeat(90_000)
    );
    let batch = read(&[&bad]);
    let Some(Ingress::Quarantine { raw, reason, .. }) = batch.events.first() else {
        panic!("not set aside: {batch:?}");
    };
    assert!(raw.len() <= RAW_BYTES && raw.len() > RAW_BYTES / 2);
    assert!(!raw.contains("AAExample") && !reason.contains("AAExample"));
}

#[test]
fn the_number_of_an_unreadable_update_is_found_at_its_beginning() {
    let head = br#"{"ok":true,"result":[{"update_id": 700100, "message":{"text":"\xff"#;
    let batch = Batch::unreadable(head).unwrap();
    assert_eq!(names(&batch), ["update:700100"]);
    assert_eq!(batch.next_offset, Some(700_101));
    for head in [
        "",
        "<html>",
        r#"{"ok":true,"result":[{"update_id":"#,
        r#"{"update_id":12"#,
    ] {
        assert!(Batch::unreadable(head.as_bytes()).is_none(), "{head}");
    }
}
