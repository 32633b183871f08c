//! Injected faults, each seen from the client and from the chat.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use talaria_emulators::{FaultKind, FaultSpec, TelegramControl};

use crate::rig::{ANN, Rig, SOON};

fn next(kind: FaultKind) -> FaultSpec {
    FaultSpec::next("sendMessage", kind)
}

#[tokio::test]
async fn errors_come_before_the_effect() {
    let rig = Rig::free().await;
    let error = |status, description: &str, retry_after| FaultKind::Error {
        status,
        description: description.to_owned(),
        retry_after,
    };
    rig.control.fault(next(error(429, "", Some(7))));
    let reply = rig.send("x").await;
    assert_eq!(reply.retry_after.as_deref(), Some("7"));
    reply.refused(429, "Too Many Requests: retry after 7");
    rig.control
        .fault(next(error(500, "Internal Server Error", None)));
    rig.send("x").await.refused(500, "Internal Server Error");
    rig.control.fault(next(FaultKind::Html {
        status: 502,
        body: String::new(),
        effect: false,
    }));
    let page = rig.send("x").await;
    assert_eq!(page.status, 502);
    assert!(page.body.as_str().unwrap().contains("<html>"));
    assert!(rig.screen().is_empty());
    rig.control.fault(next(FaultKind::Html {
        status: 504,
        body: String::new(),
        effect: true,
    }));
    assert_eq!(rig.send("seen").await.status, 504);
    assert_eq!(rig.screen(), ["seen"]);
    let calls = rig.control.calls();
    let effects: Vec<bool> = calls.iter().map(|call| call.effect).collect();
    assert_eq!(effects, [false, false, false, true]);
}

#[tokio::test]
async fn a_cut_connection_gives_no_answer() {
    let rig = Rig::free().await;
    rig.control.fault(next(FaultKind::CutBefore));
    let params = |text: &str| json!({"chat_id": ANN, "text": text});
    assert!(rig.try_call("sendMessage", params("no")).await.is_err());
    assert!(rig.screen().is_empty());
    rig.control.fault(next(FaultKind::CutAfter));
    assert!(rig.try_call("sendMessage", params("yes")).await.is_err());
    assert_eq!(rig.screen(), ["yes"]);
    let call = rig.control.calls().pop().unwrap();
    assert_eq!(
        (call.status, call.effect, call.fault.as_deref()),
        (0, true, Some("cut_after"))
    );
    rig.send("next").await.ok();
}

#[tokio::test]
async fn an_effect_can_come_late() {
    let rig = Rig::free().await;
    rig.control.fault(next(FaultKind::LateEffect { ms: 300 }));
    let params = json!({"chat_id": ANN, "text": "late"});
    assert!(rig.try_call("sendMessage", params).await.is_err());
    assert!(rig.screen().is_empty());
    let there = |control: &TelegramControl| control.chat(ANN).unwrap().from_bot().count() == 1;
    assert!(rig.control.wait_until(SOON, there).await);
}

#[tokio::test]
async fn answers_can_be_slow_or_useless() {
    let rig = Rig::free().await;
    rig.control.fault(next(FaultKind::DelayAnswer { ms: 300 }));
    let start = Instant::now();
    let send = async { rig.send("slow").await.ok() };
    let look = async {
        let there = |control: &TelegramControl| control.chat(ANN).unwrap().from_bot().count() == 1;
        assert!(rig.control.wait_until(SOON, there).await);
        start.elapsed()
    };
    let (_, seen) = tokio::join!(send, look);
    assert!(start.elapsed() >= Duration::from_millis(300) && seen < start.elapsed());
    rig.control.fault(next(FaultKind::DelayEffect { ms: 200 }));
    let start = Instant::now();
    rig.send("slower").await.ok();
    assert!(start.elapsed() >= Duration::from_millis(200));
    rig.control.fault(next(FaultKind::EmptyResult));
    assert_eq!(rig.send("empty").await.ok(), json!({}));
    assert_eq!(rig.screen(), ["slow", "slower", "empty"]);
}

#[tokio::test]
async fn a_half_open_call_is_never_answered() {
    let rig = Rig::free().await;
    rig.control
        .fault(next(FaultKind::HalfOpen { effect: true }));
    let request = rig
        .http
        .post(rig.url("sendMessage"))
        .json(&json!({"chat_id": ANN, "text": "x"}));
    let error = request
        .timeout(Duration::from_millis(500))
        .send()
        .await
        .unwrap_err();
    assert!(error.is_timeout());
    assert_eq!(rig.screen(), ["x"]);
}

#[tokio::test]
async fn a_slow_effect_comes_even_if_the_client_gave_up() {
    let rig = Rig::free().await;
    rig.control.fault(next(FaultKind::DelayEffect { ms: 400 }));
    let request = rig
        .http
        .post(rig.url("sendMessage"))
        .json(&json!({"chat_id": ANN, "text": "x"}));
    let error = request
        .timeout(Duration::from_millis(100))
        .send()
        .await
        .unwrap_err();
    assert!(error.is_timeout() && rig.screen().is_empty());
    let there = |control: &TelegramControl| control.chat(ANN).unwrap().from_bot().count() == 1;
    assert!(rig.control.wait_until(SOON, there).await);
}

#[tokio::test]
async fn faults_choose_method_chat_skip_and_count() {
    let rig = Rig::free().await;
    rig.control.add_user(5002, "Bob", None);
    let kind = || FaultKind::Error {
        status: 500,
        description: "x".to_owned(),
        retry_after: None,
    };
    rig.control.fault(
        FaultSpec::next("SENDMESSAGE", kind())
            .in_chat(5002)
            .after(1)
            .times(2),
    );
    let mut statuses = Vec::new();
    for chat in [ANN, 5002, 5002, ANN, 5002, 5002] {
        let params = json!({"chat_id": chat, "text": "x"});
        statuses.push(rig.call("sendMessage", params).await.status);
    }
    assert_eq!(statuses, [200, 200, 500, 200, 500, 200]);
    assert!(rig.control.faults().is_empty());
    // Any method means any but the poll.
    rig.control.fault(FaultSpec::any(1, kind()));
    rig.updates(json!({})).await;
    assert_eq!(rig.call("getMe", json!({})).await.status, 500);
    rig.control.fault(FaultSpec::next("getUpdates", kind()));
    assert_eq!(rig.call("getUpdates", json!({})).await.status, 500);
    rig.control.fault(FaultSpec::any(1, kind()));
    rig.control.clear_faults();
    rig.send("fine").await.ok();
}

#[tokio::test]
async fn an_emulator_that_is_down_accepts_nobody() {
    let rig = Rig::free().await;
    rig.sent("before").await;
    rig.control.set_down(true);
    assert!(rig.try_call("getMe", json!({})).await.is_err());
    rig.control.set_down(false);
    rig.call("getMe", json!({})).await.ok();
    let poll = rig.try_call("getUpdates", json!({"timeout": 50}));
    let cut = async {
        let waiting = |control: &TelegramControl| control.is_polling().unwrap();
        assert!(rig.control.wait_until(SOON, waiting).await);
        rig.control.cut_connections();
        assert!(
            rig.control
                .wait_until(SOON, |control| !waiting(control))
                .await
        );
    };
    let (answer, ()) = tokio::join!(poll, cut);
    assert!(answer.is_err());
}

#[tokio::test]
async fn two_bots_have_separate_chats() {
    let rig = Rig::free().await;
    rig.control.add_bot("4000002:OTHER", "other_bot").unwrap();
    assert!(rig.control.add_bot("nonsense", "x").is_err());
    let other = rig.control.for_bot("4000002:OTHER");
    other.user_text(ANN, "to the other").unwrap();
    assert!(rig.control.pending_updates().unwrap().is_empty());
    assert_eq!(other.pending_updates().unwrap().len(), 1);
    let calls: Vec<Value> = rig
        .control
        .calls()
        .iter()
        .map(|call| call.params.clone())
        .collect();
    assert!(calls.is_empty());
}
