//! Who is let in, and how.

use serde_json::Value;
use talaria_emulators::anthropic::{Matcher, Reply};
use talaria_harness::crash::assert_crash;
use talaria_harness::setup::{ANN, BOB};
use talaria_harness::{Gateway, Rig, Setup};

use crate::support::{SOON, setup, with, with_gateway_in};

/// Only Ann is let in by the file; others by pairing.
fn pairing() -> Setup {
    let mut setup = setup();
    setup.allow = vec![ANN];
    setup.access = "pair".to_owned();
    setup
}

/// The stranger writes, and reads a code.
async fn asks_for_access(rig: &Rig, user: i64) -> (i64, String) {
    let asked = rig.says(user, "Let me in");
    let told = rig.reads(user, asked, "talaria pair approve ", SOON).await;
    let (_, code) = told.text.rsplit_once(' ').expect("a code");
    (asked, code.to_owned())
}

async fn is_answered(rig: &Rig, user: i64) {
    rig.model().script(Matcher::Any, Reply::text("Welcome."));
    let asked = rig.says(user, "And now?");
    rig.reads(user, asked, "Welcome.", SOON).await;
    rig.quiet(SOON).await;
}

/// Nothing comes back, though a message of somebody else is answered after it.
async fn is_ignored(rig: &Rig, user: i64) {
    let asked = rig.says(user, "Anybody?");
    let before = rig.model().request_count();
    is_answered(rig, ANN).await;
    assert_eq!(rig.texts_after(user, asked), Vec::<String>::new());
    assert_eq!(rig.model().request_count(), before + 1);
}

#[test]
fn a_stranger_is_let_in_by_code_while_the_gateway_runs() {
    with_gateway_in(pairing(), async |rig| {
        let (asked, code) = asks_for_access(rig, BOB).await;
        assert_eq!(
            rig.model().request_count(),
            0,
            "a stranger does not reach the model"
        );
        let list = rig.on_config(&["pair", "list", "--json"]).await;
        let list: Value = serde_json::from_str(&list.out).expect("a list");
        assert_eq!(list[0]["user"], BOB.to_string());
        assert_eq!(list[0]["code"], code.as_str());
        assert_eq!(list[0]["state"], "requested");
        // A second message brings no second code.
        rig.says(BOB, "Hello?");
        is_answered(rig, ANN).await;
        assert_eq!(rig.texts_after(BOB, asked).len(), 1);
        let done = rig
            .on_config(&["pair", "approve", &code.to_lowercase()])
            .await;
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.out.contains("approved"), "{done:?}");
        is_answered(rig, BOB).await;
        let done = rig.on_config(&["pair", "revoke", &BOB.to_string()]).await;
        assert_eq!(done.code, Some(0), "{done:?}");
        let asked = rig.says(BOB, "Still there?");
        is_answered(rig, ANN).await;
        assert!(
            !rig.texts_after(BOB, asked)
                .iter()
                .any(|text| text.contains("Welcome"))
        );
    });
}

#[test]
fn a_stranger_is_let_in_while_no_gateway_runs() {
    with_gateway_in(pairing(), async |rig| {
        let (_, code) = asks_for_access(rig, BOB).await;
        rig.quiet(SOON).await;
        rig.terminate().await.assert(0, &[]);
        let list = rig.on_config(&["pair", "list"]).await;
        assert!(
            list.out.contains(&code) && list.out.contains("requested"),
            "{list:?}"
        );
        let wrong = rig.on_config(&["pair", "approve", "AAAAAAAA"]).await;
        assert_eq!(wrong.code, Some(1), "{wrong:?}");
        assert!(wrong.err.contains("AAAAAAAA"), "{wrong:?}");
        let done = rig.on_config(&["pair", "approve", &code]).await;
        assert_eq!(done.code, Some(0), "{done:?}");
        rig.start().await;
        is_answered(rig, BOB).await;
    });
}

/// Neither half an approval nor one that is forgotten.
#[test]
fn an_approval_survives_a_kill_at_its_commit() {
    with_gateway_in(pairing(), async |rig| {
        let (_, code) = asks_for_access(rig, BOB).await;
        rig.quiet(SOON).await;
        for (point, kept) in [
            ("commit:pairing:before", false),
            ("commit:pairing:after", true),
        ] {
            rig.kill().await;
            rig.launch_to_crash_at(point);
            rig.log()
                .wait_for(SOON, "talaria runs")
                .await
                .expect("it runs");
            rig.on_config(&["pair", "approve", &code]).await;
            rig.crashed(point).await;
            rig.start().await;
            let list = rig.on_config(&["pair", "list", "--json"]).await;
            let list: Value = serde_json::from_str(&list.out).expect("a list");
            let state = if kept { "approved" } else { "requested" };
            assert_eq!(list[0]["state"], state, "{point}");
        }
        is_answered(rig, BOB).await;
    });
}

/// The same where the command opens the ledger itself.
#[test]
fn an_approval_without_a_gateway_survives_a_kill_too() {
    with_gateway_in(pairing(), async |rig| {
        let (_, code) = asks_for_access(rig, BOB).await;
        rig.quiet(SOON).await;
        rig.kill().await;
        let point = "commit:pairing:after";
        let config = rig.config_file().display().to_string();
        let mut environment = rig.environment();
        environment.push(("TALARIA_CRASH_AT".to_owned(), point.to_owned()));
        let arguments = ["pair", "approve", &code, "--config", &config];
        let mut command =
            Gateway::spawn(&rig.setup.binary, &arguments, &environment, &rig.deadline);
        assert_crash(&command.exit(SOON).await, point);
        rig.start().await;
        is_answered(rig, BOB).await;
    });
}

#[test]
fn who_is_denied_hears_nothing() {
    let mut setup = setup();
    setup.allow = vec![ANN];
    with_gateway_in(setup, async |rig| {
        is_ignored(rig, BOB).await;
        let asked = rig.says(BOB, "/help");
        is_answered(rig, ANN).await;
        assert!(
            rig.texts_after(BOB, asked).is_empty(),
            "commands are not for strangers"
        );
    });
}

#[test]
fn everybody_is_let_in_where_the_file_says_so() {
    let mut setup = setup();
    setup.allow.clear();
    setup.access = "open".to_owned();
    with_gateway_in(setup, async |rig| {
        is_answered(rig, BOB).await;
    });
}

/// What was accepted before access was taken away is not answered after it (P12).
#[test]
fn access_is_asked_again_when_the_turn_starts() {
    with(setup(), async |rig| {
        rig.says(BOB, "Accepted, not yet answered");
        rig.launch_to_crash_at("commit:start:before");
        rig.crashed("commit:start:before").await;
        rig.setup.allow = vec![ANN];
        rig.write_config(&rig.config());
        rig.start().await;
        rig.quiet(SOON).await;
        is_ignored(rig, BOB).await;
        assert_eq!(rig.model().requests().len(), 1);
        assert_eq!(rig.texts_after(BOB, 0), Vec::<String>::new());
    });
}
