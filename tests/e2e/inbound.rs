//! Cases about what comes in: twice, broken, unknown, too large.

use serde_json::{Value, json};
use talaria_emulators::anthropic::{Matcher, Reply};
use talaria_harness::setup::ANN;
use talaria_harness::{Rig, Setup};

use crate::support::{SOON, case, setup, text, until, with_gateway, with_gateway_in};

/// The user of the cases.
const CASE_USER: i64 = 501;

fn with_case_user() -> Setup {
    let mut setup = setup();
    setup.users.push(CASE_USER);
    setup.allow.push(CASE_USER);
    setup
}

/// Puts a case's updates into the queue, as they are.
fn deliver(rig: &Rig, updates: &Value) {
    for update in updates.as_array().expect("updates") {
        rig.telegram()
            .inject_update(update.clone())
            .expect("an update");
    }
}

/// Everything is accepted, and nothing is owed.
async fn all_done(rig: &Rig, offset: i64) {
    until(rig, "the offset moves", |rig| {
        rig.telegram().confirmed_offset().expect("the bot") >= offset
    })
    .await;
    rig.quiet(SOON).await;
}

#[test]
fn e01_the_same_update_twice_is_one_turn() {
    let case = case!("E01");
    with_gateway_in(with_case_user(), async |rig| {
        rig.model()
            .script_times(Matcher::Any, 5, Reply::text("Once."));
        deliver(rig, &case.given);
        all_done(rig, 101).await;
        // A lost acknowledgement: the platform delivers it again, much later.
        deliver(rig, &case.given);
        all_done(rig, 101).await;
        assert_eq!(rig.model().request_count(), case.then["turns"]);
        assert_eq!(rig.texts_after(CASE_USER, 0).len(), case.then["replies"]);
    });
}

/// The second of three can't be answered: kept, tried a few times, then said; the others pass.
#[test]
fn e03_a_message_that_fails_is_neither_lost_nor_in_the_way() {
    let case = case!("E03");
    let updates = &case.given["updates"];
    let failing = case.given["fail_on"].as_i64().expect("an update id");
    with_gateway_in(with_case_user(), async |rig| {
        let model = rig.model();
        let failing_text = updates
            .as_array()
            .expect("updates")
            .iter()
            .find(|u| u["update_id"] == failing);
        let failing_text = text(&failing_text.expect("it is there")["message"]["text"]).to_owned();
        model.script_times(
            Matcher::LastUserContains(failing_text.clone()),
            100,
            Reply::overloaded(),
        );
        model.script_times(Matcher::Any, 5, Reply::text("Good."));
        deliver(rig, updates);
        all_done(rig, 203).await;
        let texts = rig.texts_after(CASE_USER, 0);
        assert_eq!(
            texts.iter().filter(|text| *text == "Good.").count(),
            2,
            "{texts:?}"
        );
        assert_eq!(texts.len(), 3, "one answer each: {texts:?}");
        assert!(texts[1].contains("try again"), "{texts:?}");
        let tries = rig.model().requests().into_iter().filter(|request| {
            request.body["messages"].to_string().contains(&failing_text) && request.status == 529
        });
        assert_eq!(tries.count(), 4, "a bounded number of tries");
        assert_eq!(case.then["poll_blocked"], false);
        assert_eq!(case.then["duplicates_of_200"], 0);
    });
}

#[test]
fn e19_an_unknown_kind_stops_nothing() {
    let case = case!("E19");
    with_gateway_in(with_case_user(), async |rig| {
        rig.model()
            .script_times(Matcher::Any, 5, Reply::text("Hi."));
        deliver(rig, &case.given);
        let offset = case.then["offset_after"].as_i64().expect("an offset");
        all_done(rig, offset).await;
        assert_eq!(rig.telegram().confirmed_offset().expect("the bot"), offset);
        assert_eq!(rig.model().request_count(), case.then["turns"]);
    });
}

/// Updates that are hostile, broken or far too large: each is set aside and said once, by its
/// number alone, and the neighbours are answered.
#[test]
fn hostile_updates_are_set_aside_and_their_neighbours_are_answered() {
    with_gateway(async |rig| {
        rig.model()
            .script_times(Matcher::Any, 5, Reply::text("Still here."));
        let before = rig.says(ANN, "before");
        let deep = format!("{}1{}", "[".repeat(4000), "]".repeat(4000));
        let canary = "canary-in-a-hostile-update";
        let message = |extra: Value| {
            let mut message = json!({
                "message_id": 900_000, "date": 1_700_000_000,
                "chat": {"id": ANN, "type": "private", "first_name": "A"},
                "from": {"id": ANN, "is_bot": false, "first_name": "A"},
            });
            for (key, value) in extra.as_object().expect("fields") {
                message[key.as_str()] = value.clone();
            }
            json!({ "message": message })
        };
        let hostile = [
            json!({"message": canary}),
            json!({"message": {"message_id": "nine", "text": canary}}),
            message(json!({"from": null, "text": canary})),
            message(json!({"chat": {"id": "x"}, "text": canary})),
            message(json!({"message_id": "-1", "date": -5, "text": {"deep": canary}})),
            json!({"callback_query": {"id": 5, "data": canary}}),
            json!({"edited_message": [canary]}),
            json!({"message": {"text": canary, "entities": serde_json::from_str::<Value>(&deep).unwrap_or(json!([deep]))}}),
        ];
        let mut numbers = Vec::new();
        for update in hostile {
            numbers.push(rig.telegram().inject_update(update).expect("an object"));
        }
        let after = rig.says(ANN, "after");
        rig.reads(ANN, after, "Still here.", SOON).await;
        rig.quiet(SOON).await;
        assert!(before < after);
        let texts = rig.texts_after(ANN, before);
        let answers = texts.iter().filter(|text| *text == "Still here.");
        assert_eq!(answers.count(), 2, "{texts:?}");
        let log = rig.log();
        assert!(!log.has(canary), "an update's content is in the log");
        for number in numbers {
            let lines = log.with(&number.to_string());
            let said = lines
                .iter()
                .filter(|line| line.contains("update set aside"))
                .count();
            assert_eq!(said, 1, "update {number}: {lines:?}");
        }
    });
}

/// One update of many megabytes does not keep those behind it from being answered.
#[test]
fn an_oversized_update_is_set_aside_too() {
    with_gateway(async |rig| {
        rig.model()
            .script_times(Matcher::Any, 5, Reply::text("Still here."));
        let large = json!({"message": {
            "message_id": 900_001, "date": 1_700_000_000, "text": "x".repeat(24 << 20),
            "chat": {"id": ANN, "type": "private", "first_name": "A"},
            "from": {"id": ANN, "is_bot": false, "first_name": "A"},
        }});
        let number = rig.telegram().inject_update(large).expect("an object");
        let after = rig.says(ANN, "after");
        rig.reads(ANN, after, "Still here.", SOON).await;
        rig.quiet(SOON).await;
        assert!(rig.telegram().confirmed_offset().expect("the bot") > number);
        let log = rig.log();
        assert!(
            log.lines().iter().all(|line| line.len() < 4000),
            "a line as long as the update"
        );
        assert!(
            log.has(&number.to_string()),
            "it is not said: {}",
            log.text()
        );
    });
}

/// Text that would steer a terminal or a log reader is shown as text, or not at all.
#[test]
fn control_characters_do_not_reach_the_log() {
    with_gateway(async |rig| {
        rig.model().script(Matcher::Any, Reply::text("Yes."));
        rig.telegram()
            .add_user(ANN, "\u{1b}[2J\u{1b}]0;owned\u{7}\nERROR fake line", None);
        let asked = rig.says(ANN, "\u{1b}[31mred\u{1b}[0m\r\nWARN not a log line");
        rig.answer(ANN, asked, "Yes.", SOON).await;
        rig.quiet(SOON).await;
        rig.on_config(&["ledger", "list", "--all"]).await;
        let log = rig.log();
        assert!(!log.has("\u{1b}"), "an escape sequence is in the log");
        assert!(log.with("fake line").is_empty() && log.with("not a log line").is_empty());
    });
}
