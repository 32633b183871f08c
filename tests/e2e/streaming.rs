//! Cases about the answer that grows on the screen.

use serde_json::Value;
use talaria_emulators::anthropic::{Matcher, Message};
use talaria_emulators::{FaultKind, FaultSpec};
use talaria_harness::setup::ANN;
use talaria_harness::{Rig, Setup};

use crate::support::{SOON, calls, case, setup, text, until, with, with_gateway_in};

/// Puts a draft on the screen before a case's own words come.
const LEAD: &str = "Some words come first, so that a draft is there before the rest. ";

/// A refusal as the platform words it, from a case.
fn refusal(answer: &Value) -> FaultKind {
    FaultKind::Error {
        status: answer["error_code"]
            .as_u64()
            .and_then(|code| u16::try_from(code).ok())
            .expect("a code"),
        description: answer["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        retry_after: answer["parameters"]["retry_after"].as_u64(),
    }
}

/// The words of a case, put together.
fn words(deltas: &Value) -> String {
    let deltas = deltas.as_array().expect("deltas");
    deltas
        .iter()
        .filter_map(|delta| delta["text"].as_str())
        .collect()
}

/// A model that says a few characters at a time.
fn slowly(words: &str, per_second: f64) -> Message {
    Message {
        chunk_tokens: Some(1),
        ..Message::text(words).at(per_second)
    }
}

fn without_limits() -> Setup {
    let mut setup = setup();
    setup.limits = talaria_emulators::telegram::Limits::off();
    setup
}

fn has_text(rig: &Rig, user: i64, part: &str) -> bool {
    rig.texts_after(user, 0)
        .iter()
        .any(|text| text.contains(part))
}

/// The process dies when the last edit is shown and not yet recorded; the edit of the next process
/// changes nothing, and the platform says so.
#[test]
fn c01_not_modified_on_the_last_edit_is_success() {
    let case = case!("C01");
    let words = words(&case.given["deltas"]);
    let wanted = case.given["api"]["editMessageText"][1]["description"].clone();
    with(setup(), async |rig| {
        let whole = format!("{LEAD}{words}");
        rig.model()
            .script_times(Matcher::Any, 2, slowly(&whole, 12.0));
        let asked = rig.says(ANN, "Hello");
        // The first receipt is the draft's, the second that of the last edit.
        rig.launch_to_crash_at("commit:receipt:before#2");
        rig.crashed("commit:receipt:before#2").await;
        assert_eq!(
            rig.texts_after(ANN, asked),
            [whole.as_str()],
            "it is shown already"
        );
        rig.start().await;
        rig.quiet(SOON).await;
        let edits = calls(rig, "editMessageText");
        let refused = edits
            .iter()
            .filter(|edit| edit.description.as_deref() == wanted.as_str());
        assert!(
            refused.count() > 0,
            "no edit was refused as the same: {edits:?}"
        );
        let visible = case.then["visible"].as_array().expect("texts");
        let visible: Vec<String> = visible
            .iter()
            .map(|shown| format!("{LEAD}{}", text(shown)))
            .collect();
        assert_eq!(rig.texts_after(ANN, asked), visible);
        assert_eq!(
            calls(rig, "sendMessage").len(),
            case.then["sendMessage_calls"]
        );
    });
}

#[test]
fn c05_a_flood_error_takes_no_formatting_away() {
    let case = case!("C05");
    let markdown = text(&case.given["markdown"]).to_owned();
    let flood = refusal(&case.given["api"]["editMessageText"][0]);
    with_gateway_in(without_limits(), async |rig| {
        rig.telegram()
            .fault(FaultSpec::next("editMessageText", flood));
        // Long enough that there is an edit: the case's text stands at the end.
        let whole = format!("{LEAD}\n\n{markdown}");
        rig.model().script(Matcher::Any, slowly(&whole, 12.0));
        let asked = rig.says(ANN, "Format, please");
        rig.answer(ANN, asked, &whole, SOON).await;
        rig.quiet(SOON).await;
        let edits = calls(rig, "editMessageText");
        assert_eq!(edits[0].status, 429, "{edits:?}");
        let next = edits
            .iter()
            .find(|edit| edit.number > edits[0].number)
            .expect("a second edit");
        let waited = next.at_us - edits[0].at_us;
        assert!(
            waited >= 3_000_000,
            "the flood's time is not waited out: {waited} us"
        );
        let shown = rig.shown_after(ANN, asked);
        assert_eq!(shown.len(), 1);
        let kinds: Vec<String> = shown[0]
            .entities
            .iter()
            .map(|entity| serde_json::to_value(entity).expect("JSON")["type"].to_string())
            .collect();
        for kind in ["\"bold\"", "\"text_link\""] {
            assert!(
                kinds.iter().any(|known| known == kind),
                "{kind} is missing: {kinds:?}"
            );
        }
    });
}

/// The platform's answer to the create has no message id: nobody can edit that message.
#[test]
fn c11_no_cursor_where_nothing_can_be_edited() {
    let case = case!("C11");
    let whole = words(&case.given["deltas"]);
    let cursor = text(&case.given["cursor"]).to_owned();
    with_gateway_in(without_limits(), async |rig| {
        rig.telegram()
            .fault(FaultSpec::next("sendMessage", FaultKind::EmptyResult));
        rig.model().script(Matcher::Any, slowly(&whole, 4.0));
        let asked = rig.says(ANN, "Hello");
        rig.quiet(SOON).await;
        assert_eq!(calls(rig, "editMessageText").len(), case.then["edit_calls"]);
        let texts = rig.texts_after(ANN, asked);
        assert!(
            texts.iter().all(|text| !text.contains(&cursor)),
            "{texts:?}"
        );
        assert!(
            texts.last().is_some_and(|text| text.ends_with(&whole)),
            "{texts:?}"
        );
        assert!(texts.len() <= 2, "{texts:?}");
    });
}

/// The first create takes three seconds; the turn ends in the meantime.
#[test]
fn c13_a_turn_that_ends_while_the_first_message_is_on_its_way_leaves_no_ghost() {
    let case = case!("C13");
    let whole = words(&case.given["deltas"]);
    let latency = case.given["latency_ms"]["sendMessage"][0]
        .as_u64()
        .expect("a latency");
    with_gateway_in(without_limits(), async |rig| {
        rig.telegram().fault(FaultSpec::next(
            "sendMessage",
            FaultKind::DelayEffect { ms: latency },
        ));
        rig.model().script(Matcher::Any, slowly(&whole, 10.0));
        let asked = rig.says(ANN, "Quick");
        rig.log()
            .wait_for(SOON, "turn settled")
            .await
            .expect("the turn ends");
        rig.quiet(SOON).await;
        let visible: Vec<Value> = rig
            .texts_after(ANN, asked)
            .into_iter()
            .map(Value::from)
            .collect();
        assert_eq!(Value::Array(visible), case.then["visible"]);
        let all = rig.telegram().chat(ANN).expect("a chat");
        assert_eq!(
            all.messages
                .iter()
                .filter(|message| message.from_bot)
                .count(),
            1,
            "a ghost"
        );
    });
}

/// Formatting that the platform refuses: the same words without it.
#[test]
fn formatting_that_is_refused_is_left_out_and_the_words_stay() {
    with_gateway_in(without_limits(), async |rig| {
        let refused = FaultKind::Error {
            status: 400,
            description: "Bad Request: can't parse entities: Character '-' is reserved".to_owned(),
            retry_after: None,
        };
        rig.telegram()
            .fault(FaultSpec::next("sendMessage", refused));
        rig.model()
            .script(Matcher::Any, Message::text("With **bold** words."));
        let asked = rig.says(ANN, "Format, please");
        until(rig, "the words", |rig| {
            has_text(rig, ANN, "With bold words.")
        })
        .await;
        rig.quiet(SOON).await;
        assert_eq!(rig.shown_after(ANN, asked).len(), 1);
    });
}
