//! Questions and answers, and the commands, without trouble.

use talaria_emulators::anthropic::{Matcher, Message, Reply};
use talaria_harness::setup::{ANN, BOB};

use crate::support::{SOON, dialogue, until, with_gateway};

#[test]
fn a_question_gets_one_whole_answer() {
    with_gateway(async |rig| {
        let markdown = "# An answer\n\nWith **bold** text and a list:\n\n- one\n- two\n";
        rig.model().script(Matcher::Any, Reply::text(markdown));
        let asked = rig.says(ANN, "Hello there");
        rig.quiet(SOON).await;
        let shown = rig.answer(ANN, asked, markdown, SOON).await;
        assert_eq!(shown.len(), 1, "{shown:?}");
        assert_eq!(rig.model().request_count(), 1);
        rig.terminate().await.assert(0, &[]);
    });
}

#[test]
fn what_was_said_before_is_known_and_others_do_not_hear_it() {
    with_gateway(async |rig| {
        for (user, text) in [
            (ANN, "My cat is Tom"),
            (ANN, "Who is my cat?"),
            (BOB, "Good day"),
        ] {
            rig.model()
                .script(Matcher::Any, Reply::text(&format!("You said: {text}")));
            let asked = rig.says(user, text);
            rig.answer(user, asked, &format!("You said: {text}"), SOON)
                .await;
            rig.quiet(SOON).await;
        }
        let requests = rig.model().requests();
        let said = |index: usize| -> Vec<String> {
            dialogue(&requests[index].body)
                .into_iter()
                .map(|(_, text)| text)
                .collect()
        };
        assert_eq!(
            said(1),
            ["My cat is Tom", "You said: My cat is Tom", "Who is my cat?"]
        );
        assert_eq!(said(2), ["Good day"]);
    });
}

#[test]
fn messages_during_a_turn_wait_and_are_answered_in_order() {
    with_gateway(async |rig| {
        let slow = Message::text("The first answer takes its time to be said.").at(20.0);
        rig.model()
            .script(Matcher::LastUserContains("first".to_owned()), slow);
        rig.model().script(
            Matcher::LastUserContains("second".to_owned()),
            Reply::text("The second answer."),
        );
        let asked = rig.says(ANN, "the first question");
        until(rig, "the model is asked", |rig| {
            rig.model().request_count() == 1
        })
        .await;
        rig.says(ANN, "the second question");
        rig.reads(ANN, asked, "The second answer.", SOON).await;
        rig.quiet(SOON).await;
        let texts = rig.texts_after(ANN, asked);
        assert_eq!(
            texts,
            [
                "The first answer takes its time to be said.",
                "The second answer."
            ]
        );
    });
}

#[test]
fn the_commands_answer() {
    with_gateway(async |rig| {
        for (command, wanted) in [
            ("/start", "Hello!"),
            ("/help", "/status"),
            ("/status", "I am idle."),
            ("/stop", "Nothing is running"),
            ("/new", "new conversation"),
        ] {
            let asked = rig.says(ANN, command);
            rig.reads(ANN, asked, wanted, SOON).await;
            rig.quiet(SOON).await;
            assert_eq!(rig.shown_after(ANN, asked).len(), 1, "{command}");
        }
        assert_eq!(
            rig.model().request_count(),
            0,
            "commands are not for the model"
        );
    });
}

#[test]
fn stop_ends_the_answer_and_says_so_once() {
    with_gateway(async |rig| {
        let words = "one two three four five six seven eight nine ten ".repeat(20);
        rig.model()
            .script(Matcher::Any, Message::text(&words).at(10.0));
        let asked = rig.says(ANN, "Count for long");
        rig.reads(ANN, asked, "one", SOON).await;
        let status = rig.says(ANN, "/status");
        rig.reads(ANN, status, "I have been working", SOON).await;
        rig.says(ANN, "/stop");
        rig.quiet(SOON).await;
        let texts = rig.texts_after(ANN, asked);
        assert!(
            texts[0].starts_with("one") && texts[0].ends_with("(Stopped.)"),
            "{texts:?}"
        );
        assert_eq!(
            texts.iter().filter(|text| *text == "Stopped.").count(),
            1,
            "{texts:?}"
        );
        assert_eq!(texts.len(), 3, "{texts:?}");
        let again = rig.says(ANN, "Hello again");
        rig.model().script(Matcher::Any, Reply::text("Here I am."));
        rig.reads(ANN, again, "Here I am.", SOON).await;
    });
}

#[test]
fn typing_is_shown_until_the_answer_is_there() {
    with_gateway(async |rig| {
        let late = Message {
            first_byte_ms: 1500,
            ..Message::text("Late, but here.")
        };
        rig.model().script(Matcher::Any, late);
        let asked = rig.says(ANN, "Are you there?");
        until(rig, "typing", |rig| {
            rig.telegram().chat(ANN).expect("a chat").typing
        })
        .await;
        rig.answer(ANN, asked, "Late, but here.", SOON).await;
    });
}
