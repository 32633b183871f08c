//! The end of a gateway: asked for, it ends with 0 and keeps what is owed.

use rustix::process::Signal;
use talaria_emulators::anthropic::{Matcher, Message, Reply};
use talaria_emulators::{FaultKind, FaultSpec};
use talaria_harness::setup::ANN;

use crate::support::{SOON, setup, until, with, with_gateway};

#[test]
fn what_is_owed_at_the_end_is_delivered_after_the_next_start() {
    with_gateway(async |rig| {
        let away = FaultKind::Error {
            status: 500,
            description: "Internal Server Error".to_owned(),
            retry_after: None,
        };
        rig.telegram()
            .fault(FaultSpec::next("sendMessage", away).times(1000));
        rig.model()
            .script(Matcher::Any, Reply::text("Kept for later."));
        let asked = rig.says(ANN, "A question");
        rig.log()
            .wait_for(SOON, "turn settled")
            .await
            .expect("the turn is settled");
        rig.terminate().await.assert(0, &["asked to stop"]);
        assert!(rig.texts_after(ANN, asked).is_empty());
        rig.telegram().clear_faults();
        rig.start().await;
        rig.quiet(SOON).await;
        assert_eq!(
            rig.model().request_count(),
            1,
            "the model is not asked again"
        );
        let texts = rig.texts_after(ANN, asked);
        assert_eq!(texts.len(), 1, "{texts:?}");
        assert!(texts[0].ends_with("Kept for later."), "{texts:?}");
    });
}

#[test]
fn a_turn_that_runs_at_the_end_goes_on_after_the_next_start() {
    with_gateway(async |rig| {
        let words = "A long answer that takes a while to be told, word after word after word.";
        rig.model()
            .script(Matcher::Any, Message::text(words).at(8.0));
        rig.model().script(Matcher::Any, Reply::text(words));
        let asked = rig.says(ANN, "A question");
        rig.reads(ANN, asked, "A long", SOON).await;
        rig.terminate().await.assert(0, &[]);
        rig.start().await;
        rig.quiet(SOON).await;
        assert_eq!(rig.texts_after(ANN, asked), [words]);
    });
}

/// A shutdown is no crash: it may come as often as it likes without using up the turn's tries.
#[test]
fn many_orderly_ends_do_not_give_a_turn_up() {
    with(setup(), async |rig| {
        rig.model().script_times(
            Matcher::Any,
            6,
            Message {
                first_byte_ms: 600_000,
                ..Message::text("x")
            },
        );
        rig.model().script(Matcher::Any, Reply::text("Finally."));
        let asked = rig.says(ANN, "A question");
        for round in 1..=6 {
            rig.start().await;
            until(rig, "the model is asked", |rig| {
                rig.model().request_count() == round
            })
            .await;
            rig.terminate().await.assert(0, &[]);
        }
        rig.start().await;
        rig.quiet(SOON).await;
        assert_eq!(rig.texts_after(ANN, asked), ["Finally."]);
    });
}

#[test]
fn ctrl_c_is_an_orderly_end_and_the_socket_is_gone() {
    with_gateway(async |rig| {
        rig.quiet(SOON).await;
        rig.gateway().signal(Signal::INT);
        rig.exited().await.assert(0, &["asked to stop"]);
        assert!(!rig.data_dir().join("admin.sock").exists());
        // And a restart after SIGKILL copes with the socket that is left.
        rig.start().await;
        rig.kill().await;
        assert!(rig.data_dir().join("admin.sock").exists());
        rig.start().await;
        rig.quiet(SOON).await;
    });
}
