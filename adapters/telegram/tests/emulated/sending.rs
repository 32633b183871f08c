//! What the suite can't ask of every platform: the fields of the requests, and refusals by text.

use std::time::Duration;

use serde_json::json;
use talaria_contract::Adapter;
use talaria_contract::conformance::{Rig, within_deadline};
use talaria_emulators::{FaultKind, FaultSpec};
use talaria_types::{
    Action, Body, CallOutcome, Certainty, Command, Entity, EntityKind, FailureKind, FailureScope,
    Fence, PlatformCall, PostId, Seq, WireKey,
};

use crate::rig::{ANN, Bench, adapter};

async fn call(bench: &Bench, adapter: &dyn Adapter, action: Action) -> CallOutcome {
    let fence = Fence {
        epoch: 1,
        number: 1,
    };
    adapter
        .call(PlatformCall {
            place: bench.place(),
            fence,
            action,
        })
        .await
}

fn create(body: Body) -> Action {
    let key = WireKey::new(
        [0; 4],
        PostId {
            origin: Seq(1),
            ordinal: 0,
        },
        0,
    );
    Action::Create {
        key,
        body,
        reply_to: None,
    }
}

#[tokio::test]
async fn entities_are_shown_where_they_belong() {
    within_deadline(async {
        let bench = Bench::start().await;
        let entity = |kind, offset, length| Entity { kind, offset, length };
        let body = Body {
            text: "🙂ab bold link".into(),
            entities: vec![
                entity(EntityKind::Bold, 5, 4),
                entity(EntityKind::TextLink { url: "https://a.example.test/x?y=1".into() }, 10, 4),
            ],
            buttons: vec![],
        };
        call(&bench, &*bench.adapter(), create(body)).await.unwrap();
        let chat = bench.control.chat(ANN).unwrap();
        let shown = serde_json::to_value(&chat.messages[0].entities).unwrap();
        assert_eq!(
            shown,
            json!([
                {"type": "bold", "offset": 5, "length": 4},
                {"type": "text_link", "offset": 10, "length": 4, "url": "https://a.example.test/x?y=1"},
            ])
        );
        assert!(bench.control.warnings().is_empty());
    })
    .await;
}

#[tokio::test]
async fn the_command_menu_is_set_for_private_chats() {
    within_deadline(async {
        let bench = Bench::start().await;
        let setup = Action::Setup {
            commands: Command::ALL.to_vec(),
        };
        call(&bench, &*bench.adapter(), setup).await.unwrap();
        let scope = json!({"type": "all_private_chats"});
        let set = bench.control.commands(&scope, "").unwrap().unwrap();
        assert_eq!(set.as_array().unwrap().len(), Command::ALL.len());
    })
    .await;
}

#[tokio::test]
async fn a_person_who_blocked_the_bot_is_gone_for_the_chat_only() {
    within_deadline(async {
        let bench = Bench::start().await;
        bench.control.user_block(ANN).unwrap();
        let failure = call(&bench, &*bench.adapter(), create(Body::plain("hi")))
            .await
            .unwrap_err();
        assert_eq!(
            (failure.kind, failure.scope),
            (FailureKind::TargetGone, FailureScope::Chat)
        );
    })
    .await;
}

#[tokio::test]
async fn only_a_format_error_asks_for_a_plainer_text() {
    within_deadline(async {
        let bench = Bench::start().await;
        let text = "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 4";
        let fault = FaultKind::Error { status: 400, description: text.into(), retry_after: None };
        bench.control.fault(FaultSpec::next("sendMessage", fault));
        let failure = call(&bench, &*bench.adapter(), create(Body::plain("x"))).await.unwrap_err();
        assert_eq!((failure.kind, failure.certainty), (FailureKind::Format, Certainty::NotSent));
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_never_comes_ends_with_the_calls_own_time() {
    within_deadline(async {
        let bench = Bench::start().await;
        bench.control.fault(FaultSpec::next(
            "sendMessage",
            FaultKind::HalfOpen { effect: true },
        ));
        let settings = talaria_telegram::TelegramSettings {
            call_timeout: Duration::from_millis(300),
            connect_timeout: Duration::from_millis(100),
            ..bench.settings()
        };
        let failure = call(&bench, &*adapter(settings), create(Body::plain("x")))
            .await
            .unwrap_err();
        assert_eq!(
            (failure.kind, failure.certainty),
            (FailureKind::Network, Certainty::MaybeSent)
        );
        assert_eq!(bench.seen().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn no_failure_shows_the_token() {
    within_deadline(async {
        let bench = Bench::start().await;
        let mut shown = Vec::new();
        for fault in [
            FaultKind::CutBefore,
            FaultKind::Html {
                status: 502,
                body: String::new(),
                effect: false,
            },
            FaultKind::Error {
                status: 400,
                description: format!("Bad Request: /bot{}/sendMessage", crate::rig::TOKEN),
                retry_after: None,
            },
        ] {
            bench.control.fault(FaultSpec::next("sendMessage", fault));
            shown.push(
                call(&bench, &*bench.adapter(), create(Body::plain("x")))
                    .await
                    .unwrap_err(),
            );
        }
        shown.push(
            call(&bench, &*bench.unreachable(), create(Body::plain("x")))
                .await
                .unwrap_err(),
        );
        for failure in shown {
            for text in [failure.to_string(), format!("{failure:?}")] {
                assert!(
                    !text.contains("AAtest") && !text.contains("test-token"),
                    "{text}"
                );
            }
        }
    })
    .await;
}
