//! The model can't answer: one plain sentence in the chat, the rest in the log.

use talaria_emulators::anthropic::{Matcher, Reply};
use talaria_harness::Rig;
use talaria_harness::setup::{ANN, API_KEY};

use crate::support::{SOON, with_gateway};

/// Asks, and expects exactly one message, which has no detail in it; the log has.
async fn one_sentence(rig: &Rig, wanted: &str, in_log: &[&str]) {
    let asked = rig.says(ANN, "Hello");
    rig.reads(ANN, asked, wanted, SOON).await;
    rig.quiet(SOON).await;
    let texts = rig.texts_after(ANN, asked);
    assert_eq!(texts.len(), 1, "{texts:?}");
    for detail in [
        "HTTP", "401", "400", "529", "error", "{", "api_key", API_KEY,
    ] {
        assert!(!texts[0].contains(detail), "{detail:?} is in {texts:?}");
    }
    let log = rig.log();
    for text in in_log {
        assert!(log.has(text), "{text:?} is not in the log:\n{}", log.text());
    }
    assert!(!log.has(API_KEY), "the key is in the log");
}

#[test]
fn a_wrong_key_is_one_sentence() {
    with_gateway(async |rig| {
        rig.model().set_api_key(Some("another key".to_owned()));
        one_sentence(
            rig,
            "doesn't accept my key",
            &["HTTP 401", "authentication_error"],
        )
        .await;
        assert_eq!(
            rig.model().request_count(),
            1,
            "a wrong key is not tried again"
        );
        // The operator repairs it: the conversation goes on.
        rig.model().set_api_key(Some(API_KEY.to_owned()));
        rig.model().script(Matcher::Any, Reply::text("Here I am."));
        let asked = rig.says(ANN, "And now?");
        rig.reads(ANN, asked, "Here I am.", SOON).await;
    });
}

#[test]
fn no_credit_is_one_sentence() {
    with_gateway(async |rig| {
        let refusal = Reply::error(
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API.",
        );
        rig.model().script(Matcher::Any, refusal);
        one_sentence(rig, "no credit left", &["credit balance"]).await;
        assert_eq!(rig.model().request_count(), 1);
    });
}

#[test]
fn an_overloaded_model_is_tried_again_and_then_one_sentence() {
    with_gateway(async |rig| {
        rig.model()
            .script_times(Matcher::Any, 100, Reply::overloaded());
        one_sentence(
            rig,
            "overloaded right now",
            &["HTTP 529", "overloaded_error"],
        )
        .await;
        let tries = rig.model().request_count();
        assert_eq!(tries, 4, "the first request and three more");
    });
}

#[test]
fn an_overload_that_passes_is_not_seen() {
    with_gateway(async |rig| {
        rig.model().script(Matcher::Any, Reply::overloaded());
        rig.model().script(Matcher::Any, Reply::text("Here it is."));
        let asked = rig.says(ANN, "Hello");
        rig.answer(ANN, asked, "Here it is.", SOON).await;
        rig.quiet(SOON).await;
        assert_eq!(rig.texts_after(ANN, asked), ["Here it is."]);
    });
}

#[test]
fn a_model_that_is_away_is_one_sentence() {
    with_gateway(async |rig| {
        rig.model().set_down(true);
        one_sentence(
            rig,
            "couldn't reach the AI service",
            &["the model request failed"],
        )
        .await;
    });
}
