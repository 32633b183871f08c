//! The rate limits over HTTP; what 95 and 105 per cent do is tested at the bucket.

use serde_json::json;
use talaria_emulators::Rate;
use talaria_emulators::telegram::Limits;

use crate::rig::{ANN, Rig};

#[tokio::test]
async fn a_chat_takes_three_at_once_and_says_when_to_come_back() {
    let rig = Rig::with(Limits::default()).await;
    let id = rig.sent("one").await;
    let edit = json!({"chat_id": ANN, "message_id": id, "text": "two"});
    rig.call("editMessageText", edit.clone()).await.ok();
    let draft = json!({"chat_id": ANN, "draft_id": 1, "text": "x"});
    rig.call("sendMessageDraft", draft).await.ok();
    // Sends, edits and drafts share the limit.
    let refused = rig.call("editMessageText", edit).await;
    assert_eq!(refused.retry_after.as_deref(), Some("1"));
    let body = refused.refused(429, "Too Many Requests: retry after 1");
    assert_eq!(
        body,
        json!({
            "ok": false, "error_code": 429, "description": "Too Many Requests: retry after 1",
            "parameters": {"retry_after": 1},
        })
    );
    // Others have their own.
    rig.call(
        "sendChatAction",
        json!({"chat_id": ANN, "action": "typing"}),
    )
    .await
    .ok();
    rig.call("getMe", json!({})).await.ok();
    // Another chat is not concerned.
    rig.control.add_user(5002, "Bob", None);
    rig.call("sendMessage", json!({"chat_id": 5002, "text": "x"}))
        .await
        .ok();
    rig.control.advance(std::time::Duration::from_secs(1));
    rig.send("later").await.ok();
    rig.control.set_limits(Limits {
        private_chat: Rate::new(0.1, 1),
        ..Limits::default()
    });
    assert_eq!(rig.send("slower").await.status, 429);
    rig.control.set_limits(Limits::off());
    for _ in 0..5 {
        rig.send("free").await.ok();
    }
}

#[tokio::test]
async fn a_bot_takes_thirty_over_all_chats() {
    let rig = Rig::with(Limits::default()).await;
    let mut refused = 0;
    // Faster than the allowance could grow back, even on a busy machine.
    for user in 6000..6200 {
        rig.control.add_user(user, "U", None);
        let reply = rig
            .call("sendMessage", json!({"chat_id": user, "text": "x"}))
            .await;
        refused += u32::from(reply.status == 429);
    }
    assert!((1..=170).contains(&refused), "{refused}");
}

#[tokio::test]
async fn light_calls_have_a_mild_limit() {
    let rig = Rig::with(Limits::default()).await;
    let typing = json!({"chat_id": ANN, "action": "typing"});
    // Far more than the burst, faster than any allowance could grow back.
    let calls = (0..300).map(|_| rig.call("sendChatAction", typing.clone()));
    let replies = futures::future::join_all(calls).await;
    let refused = replies.iter().filter(|reply| reply.status == 429).count();
    assert!((1..=240).contains(&refused), "{refused}");
}
