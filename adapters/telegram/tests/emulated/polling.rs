//! What the suite can't ask of every platform: offsets, conflicts, strange answers.

use std::sync::Arc;

use talaria_contract::conformance::{Rig, TestIntake, within_deadline};
use talaria_contract::{Exit, LinkState};
use talaria_emulators::{FaultKind, FaultSpec};

use crate::rig::{Bench, TOKEN};

fn error(status: u16, description: &str) -> FaultKind {
    FaultKind::Error {
        status,
        description: description.to_owned(),
        retry_after: None,
    }
}

fn page(body: &str) -> FaultKind {
    FaultKind::Html {
        status: 200,
        body: body.to_owned(),
        effect: false,
    }
}

/// Ann writes; the polls go wrong first; then her message arrives, once.
async fn arrives_after(bench: &Bench, intake: &Arc<TestIntake>) {
    let message = bench.say("hello");
    intake
        .receiving(&*bench.adapter(), async {
            intake.until(|intake| !intake.texts().is_empty()).await;
            intake.until(|_| bench.acknowledged(&message)).await;
        })
        .await;
    assert_eq!(intake.texts(), ["hello"]);
}

fn trouble(intake: &TestIntake) -> Vec<String> {
    let reason = |link| match link {
        LinkState::Alive => None,
        LinkState::Down { reason } => Some(format!("down: {reason}")),
        LinkState::Conflict { reason } => Some(format!("conflict: {reason}")),
    };
    intake.links().into_iter().filter_map(reason).collect()
}

#[tokio::test]
async fn another_poller_is_named_and_polling_goes_on() {
    within_deadline(async {
        let bench = Bench::start().await;
        let text = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
        bench.poll_fault(2, error(409, text));
        let intake = TestIntake::new(None);
        arrives_after(&bench, &intake).await;
        let trouble = trouble(&intake);
        assert_eq!(trouble.len(), 2, "{trouble:?}");
        assert!(trouble[0].starts_with("conflict: another program polls bot 900100"), "{trouble:?}");
    })
    .await;
}

#[tokio::test]
async fn a_second_poller_of_the_same_bot_is_noticed() {
    within_deadline(async {
        let bench = Bench::start().await;
        let (first, second) = (TestIntake::new(None), TestIntake::new(None));
        let conflict = |intake: &TestIntake| {
            intake
                .links()
                .iter()
                .any(|link| matches!(link, LinkState::Conflict { .. }))
        };
        first
            .receiving(&*bench.adapter(), async {
                second
                    .receiving(&*bench.adapter(), async {
                        first
                            .until(|first| conflict(first) || conflict(&second))
                            .await;
                    })
                    .await;
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_webhook_is_named_by_its_host_and_left_alone() {
    within_deadline(async {
        let bench = Bench::start().await;
        let text = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
        bench.poll_fault(1, error(409, text));
        let info = r#"{"ok":true,"result":{"url":"https://hook.example.test/secret-path","pending_update_count":1}}"#;
        bench.control.fault(FaultSpec::next("getWebhookInfo", page(info)));
        let intake = TestIntake::new(None);
        arrives_after(&bench, &intake).await;
        let trouble = trouble(&intake).join("\n");
        assert!(trouble.contains("a webhook to hook.example.test receives"), "{trouble}");
        assert!(trouble.contains("deleteWebhook"), "{trouble}");
        assert!(!trouble.contains("secret-path") && !trouble.contains(TOKEN), "{trouble}");
        assert!(bench.control.calls().iter().all(|call| !call.method.eq_ignore_ascii_case("deleteWebhook")));
    })
    .await;
}

#[tokio::test]
async fn server_errors_floods_and_strange_pages_end_nothing() {
    within_deadline(async {
        let flood = FaultKind::Error {
            status: 429,
            description: String::new(),
            retry_after: Some(1),
        };
        for fault in [
            error(500, "Internal Server Error"),
            flood,
            FaultKind::Html {
                status: 502,
                body: String::new(),
                effect: false,
            },
            FaultKind::Html {
                status: 404,
                body: String::new(),
                effect: false,
            },
            page("<html>hotel wifi</html>"),
            page(r#"{"ok":true,"result":"no list"}"#),
            page(r#"{"ok":true,"result":[{"message":{}}]}"#),
            FaultKind::CutBefore,
            FaultKind::CutAfter,
        ] {
            let bench = Bench::start().await;
            // An answer that can't be read is asked for again, smaller, before it counts as one.
            bench.poll_fault(2, fault.clone());
            let intake = TestIntake::new(None);
            arrives_after(&bench, &intake).await;
            assert!(!trouble(&intake).is_empty(), "{fault:?}");
            assert_eq!(intake.links().last(), Some(&LinkState::Alive), "{fault:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_token_that_is_revoked_while_running_ends_receiving() {
    within_deadline(async {
        let bench = Bench::start().await;
        bench.say("hello");
        let intake = TestIntake::new(None);
        let adapter = bench.adapter();
        let revoke = async {
            intake.until(|intake| !intake.texts().is_empty()).await;
            bench.poll_fault(1, error(401, "Unauthorized"));
            bench.control.cut_connections();
        };
        let (exit, ()) = futures::future::join(intake.received(&*adapter), revoke).await;
        let Exit::Unauthorized { detail } = exit else {
            panic!("{exit:?}")
        };
        assert!(
            detail.contains("BotFather") && !detail.contains("AAtest"),
            "{detail}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_server_that_knows_another_bot_ends_receiving() {
    within_deadline(async {
        let bench = Bench::start().await;
        let other = r#"{"ok":true,"result":{"id":42,"is_bot":true,"first_name":"Other","username":"other_bot"}}"#;
        bench.control.fault(FaultSpec::next("getMe", page(other)));
        let exit = TestIntake::new(None).received(&*bench.adapter()).await;
        let Exit::Unauthorized { detail } = exit else { panic!("{exit:?}") };
        assert!(detail.contains("900100") && detail.contains("42"), "{detail}");
    })
    .await;
}

#[tokio::test]
async fn the_identity_is_confirmed() {
    within_deadline(async {
        let bench = Bench::start().await;
        let adapter = talaria_telegram::TelegramAdapter::new(bench.settings()).unwrap();
        let identity = adapter.identify().await.unwrap();
        assert_eq!(&identity.account, adapter.account());
        assert_eq!(identity.account.as_str(), "telegram:900100");
        assert_eq!(identity.username.as_deref(), Some("demo_bot"));
    })
    .await;
}

#[tokio::test]
async fn the_cursor_carries_the_offset_and_its_date() {
    within_deadline(async {
        let bench = Bench::start().await;
        let first = TestIntake::new(None);
        arrives_after(&bench, &first).await;
        let cursor = first.durable_cursor().unwrap();
        let (offset, date) = cursor.split_once('@').unwrap();
        assert_eq!(
            offset.parse::<i64>().unwrap(),
            bench.control.confirmed_offset().unwrap()
        );
        assert!(date.parse::<u64>().unwrap() > 1_700_000_000);
        let polls = bench.arguments("getUpdates");
        assert_eq!(polls[0].get("offset"), None);
        let allowed = [
            "message",
            "edited_message",
            "callback_query",
            "my_chat_member",
        ];
        assert_eq!(polls[0]["allowed_updates"], serde_json::json!(allowed));

        let second = TestIntake::new(Some(cursor.clone()));
        second
            .receiving(
                &*bench.adapter(),
                second.until(|_| bench.arguments("getUpdates").len() > polls.len()),
            )
            .await;
        assert_eq!(
            bench.arguments("getUpdates")[polls.len()]["offset"].to_string(),
            offset
        );
    })
    .await;
}

#[tokio::test]
async fn an_old_offset_is_not_used() {
    within_deadline(async {
        let bench = Bench::start().await;
        // Far above what the server's numbers are now: they began anew after a quiet week.
        let intake = TestIntake::new(Some("999999999@1700000000".to_owned()));
        arrives_after(&bench, &intake).await;
        assert_eq!(bench.arguments("getUpdates")[0].get("offset"), None);
        let offset = bench.control.confirmed_offset().unwrap();
        assert!(
            intake
                .durable_cursor()
                .unwrap()
                .starts_with(&format!("{offset}@"))
        );
    })
    .await;
}

#[tokio::test]
async fn an_update_that_is_too_large_is_set_aside_alone() {
    within_deadline(async {
        let bench = Bench::start().await;
        bench.say("hidden behind the page");
        let update = bench.control.pending_updates().unwrap()[0]["update_id"]
            .as_i64()
            .unwrap();
        bench.say("after");
        let large = format!(
            r#"{{"ok":true,"result":[{{"update_id":{update},"message":{{"text":"{}"}}}}]}}"#,
            "x".repeat(33 << 20)
        );
        bench.poll_fault(2, page(&large));
        let intake = TestIntake::new(None);
        intake
            .receiving(
                &*bench.adapter(),
                intake.until(|intake| intake.texts() == ["after"]),
            )
            .await;
        let quarantined = intake.quarantined();
        assert_eq!(quarantined.len(), 1);
        assert!(quarantined[0].len() <= 8 << 10);
        let limits: Vec<_> = bench
            .arguments("getUpdates")
            .iter()
            .map(|poll| poll["limit"].to_string())
            .collect();
        assert_eq!(limits[..3], ["100", "1", "1"]);
    })
    .await;
}
