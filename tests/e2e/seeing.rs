//! What an operator sees: health, the ledger's listings, traces; and what nobody sees: secrets.

use serde_json::{Value, json};
use talaria_emulators::anthropic::{Matcher, Reply};
use talaria_emulators::{FaultKind, FaultSpec};
use talaria_harness::Rig;
use talaria_harness::setup::{ANN, API_KEY, TOKEN};

use crate::support::{SOON, case, setup, text, until, with, with_gateway, with_gateway_in};

async fn json_of(rig: &Rig, arguments: &[&str]) -> Value {
    let done = rig.on_config(arguments).await;
    assert_eq!(done.code, Some(0), "{arguments:?}: {done:?}");
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {done:?}"))
}

async fn asks_and_reads(rig: &Rig, words: &str) -> i64 {
    rig.model().script(Matcher::Any, Reply::text(words));
    let asked = rig.says(ANN, "A question");
    rig.answer(ANN, asked, words, SOON).await;
    rig.quiet(SOON).await;
    asked
}

#[test]
fn health_says_what_is_up_and_hosts_are_checked() {
    with_gateway(async |rig| {
        asks_and_reads(rig, "An answer.").await;
        for host in ["localhost", "127.0.0.1", "[::1]:8787", "LOCALHOST:1"] {
            assert_eq!(rig.get("/healthz", host).await.0, 200, "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "",
        ] {
            for path in ["/healthz", "/readyz", "/metrics"] {
                assert_eq!(rig.get(path, host).await.0, 403, "{host} {path}");
            }
        }
        assert_eq!(rig.get("/readyz", "localhost").await.0, 200);
        let (_, metrics) = rig.get("/metrics", "localhost").await;
        assert!(
            metrics.contains("talaria_inbounds_accepted_total 1"),
            "{metrics}"
        );
        assert!(
            metrics.contains("talaria_posts_delivered_total 1"),
            "{metrics}"
        );
        assert!(
            !metrics.contains(&ANN.to_string()),
            "a user's id is in the metrics"
        );
        assert_eq!(rig.get("/admin", "localhost").await.0, 404);
    });
}

#[test]
fn a_platform_that_is_away_is_seen_and_comes_back() {
    with_gateway(async |rig| {
        asks_and_reads(rig, "An answer.").await;
        rig.telegram().set_down(true);
        rig.telegram().cut_connections();
        rig.log()
            .wait_for(SOON, "not connected; trying again")
            .await
            .expect("it is said");
        let health = rig.health_says("degraded", SOON).await;
        assert!(
            health["links"].to_string().contains("platform_in"),
            "{health}"
        );
        rig.telegram().set_down(false);
        asks_and_reads(rig, "Back again.").await;
        rig.health_says("ok", SOON).await;
    });
}

/// Another program with the same token: said, and gone on from when it leaves.
#[test]
fn another_poller_of_the_same_bot_is_said() {
    with_gateway(async |rig| {
        let conflict = FaultKind::Error {
            status: 409,
            description:
                "Conflict: terminated by other getUpdates request; make sure that only one \
                          bot instance is running"
                    .to_owned(),
            retry_after: None,
        };
        asks_and_reads(rig, "Alone.").await;
        rig.telegram()
            .fault(FaultSpec::next("getUpdates", conflict));
        rig.telegram().cut_connections();
        let line = rig
            .log()
            .wait_for(SOON, "another program polls bot 4200000001")
            .await;
        assert!(line.is_some(), "{}", rig.log().text());
        asks_and_reads(rig, "Alone again.").await;
    });
}

#[test]
fn what_is_owed_is_listed_and_shown_and_traced() {
    with(setup(), async |rig| {
        rig.model()
            .script(Matcher::Any, Reply::text("An answer that has to wait."));
        rig.says(ANN, "A question");
        rig.launch_to_crash_at("call:create:before");
        rig.crashed("call:create:before").await;
        // Offline: the commands open the ledger themselves.
        let owed = json_of(rig, &["ledger", "list", "--json"]).await;
        assert_eq!(
            owed.as_array().map(Vec::len).unwrap_or(0),
            owed_rows(&owed),
            "{owed}"
        );
        let post = rows_of(&owed, "answer");
        assert_eq!(post.len(), 1, "{owed}");
        let id = text(&post[0]["id"]).to_owned();
        let shown = json_of(rig, &["ledger", "show", &id]).await;
        assert_eq!(shown["record"], "post", "{shown}");
        let trace = rig.on_config(&["trace", &id]).await;
        assert!(trace.out.contains("call in flight"), "{trace:?}");
        let unknown = rig.on_config(&["ledger", "show", "9.9/9"]).await;
        assert_eq!(unknown.code, Some(1), "{unknown:?}");
        assert!(unknown.err.contains("9.9/9"), "{unknown:?}");
        // Online: the same through the socket, and settled ones with --all.
        rig.start().await;
        rig.quiet(SOON).await;
        assert_eq!(json_of(rig, &["ledger", "list", "--json"]).await, json!([]));
        let list = rig.on_config(&["ledger", "list"]).await;
        assert!(list.out.contains("Nothing is owed"), "{list:?}");
        let all = json_of(rig, &["ledger", "list", "--all", "--json"]).await;
        assert_eq!(rows_of(&all, "answer")[0]["state"], "delivered", "{all}");
        let turn = id.split('/').next().expect("the turn");
        let trace = rig.on_config(&["trace", turn]).await;
        for seen in ["turn settled", "post settled", "delivered"] {
            assert!(trace.out.contains(seen), "{seen}: {trace:?}");
        }
    });
}

fn rows_of(list: &Value, kind: &str) -> Vec<Value> {
    let rows = list.as_array().expect("rows");
    rows.iter()
        .filter(|row| row["kind"] == kind)
        .cloned()
        .collect()
}

fn owed_rows(list: &Value) -> usize {
    ["inbound", "turn", "answer"]
        .iter()
        .map(|kind| rows_of(list, kind).len())
        .sum()
}

#[test]
fn there_is_no_ledger_before_the_first_start() {
    with(setup(), async |rig| {
        let list = rig.on_config(&["ledger", "list"]).await;
        assert_eq!(list.code, Some(1), "{list:?}");
        assert!(list.err.contains("there is no ledger"), "{list:?}");
        assert!(!rig.data_dir().exists(), "a look makes nothing");
    });
}

/// The secret parts of both secrets.
fn secrets() -> [&'static str; 2] {
    let (_, token) = TOKEN.split_once(':').expect("a token");
    [token, API_KEY]
}

/// I01. Errors name the host and never the token, in every place where text comes out.
#[test]
fn i01_no_secret_is_in_a_log_or_a_listing() {
    let case = case!("I01");
    let (_, token) = text(&case.given["log_line"])
        .split_once("/bot")
        .expect("a line with a token");
    let token = token.split('/').next().expect("a token").to_owned();
    let canary = text(&case.then["output_not_contains"]).to_owned();
    assert!(token.contains(&canary));
    let mut setup = setup();
    setup.token = token;
    setup.log = "trace".to_owned();
    with_gateway_in(setup, async |rig| {
        let hidden = |what: &str, text: &str| {
            for secret in [canary.as_str(), API_KEY] {
                assert!(!text.contains(secret), "{what} has a secret:\n{text}");
            }
        };
        let host = rig.telegram_url().replace("http://", "");
        asks_and_reads(rig, "An answer.").await;
        rig.telegram().set_down(true);
        rig.telegram().cut_connections();
        rig.log()
            .wait_for(SOON, "not connected; trying again")
            .await
            .expect("it is said");
        rig.telegram().set_down(false);
        asks_and_reads(rig, "Another answer.").await;
        rig.model().set_api_key(Some("another".to_owned()));
        let asked = rig.says(ANN, "And now?");
        rig.reads(ANN, asked, "my key", SOON).await;
        rig.quiet(SOON).await;
        let all = json_of(rig, &["ledger", "list", "--all", "--json"]).await;
        for row in all.as_array().expect("rows") {
            let id = text(&row["id"]);
            hidden(
                "show",
                &json_of(rig, &["ledger", "show", id]).await.to_string(),
            );
            hidden("trace", &rig.on_config(&["trace", id]).await.out);
        }
        hidden("list", &all.to_string());
        hidden("check", &rig.on_config(&["config", "check"]).await.out);
        hidden(
            "overview",
            &rig.overview().await.expect("an overview").to_string(),
        );
        for path in ["/healthz", "/metrics"] {
            hidden(path, &rig.get(path, "localhost").await.1);
        }
        let log = rig.log();
        hidden("the log", &log.text());
        assert!(log.has(&host), "the log does not name the host {host}");
    });
}

/// A secret that comes in from outside is not printed either: a message with the bot's token.
#[test]
fn a_token_in_a_message_is_not_logged() {
    let mut setup = setup();
    setup.log = "debug".to_owned();
    with_gateway_in(setup, async |rig| {
        rig.model()
            .script(Matcher::Any, Reply::text("Do not show it to anybody."));
        let asked = rig.says(ANN, &format!("Is {TOKEN} a good token? And {API_KEY}?"));
        until(rig, "the model is asked", |rig| {
            rig.model().request_count() == 1
        })
        .await;
        rig.answer(ANN, asked, "Do not show it to anybody.", SOON)
            .await;
        for secret in secrets() {
            assert!(!rig.log().has(secret), "{secret} is in the log");
        }
    });
}
