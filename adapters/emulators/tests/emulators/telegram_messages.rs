//! sendMessage, edits, deletes, typing, drafts, commands, callbacks.

use std::time::Duration;

use serde_json::{Value, json};

use crate::rig::{ANN, Rig, TOKEN, read};

const NOT_MODIFIED: &str = "Bad Request: message is not modified: specified new message content \
     and reply markup are exactly the same as a current content and reply markup of the message";

#[tokio::test]
async fn tokens_and_methods_are_checked() {
    let rig = Rig::free().await;
    let get = async |path: &str| {
        let url = format!("{}{path}", rig.emulator.api_url());
        read(rig.http.get(url).send().await.unwrap()).await.unwrap()
    };
    get("/bot4000001:other/getMe")
        .await
        .refused(401, "Unauthorized");
    get("/botnonsense/getMe").await.refused(404, "Not Found");
    get("/other").await.refused(404, "Not Found");
    get(&format!("/bot{TOKEN}/getNothing"))
        .await
        .refused(404, "Not Found: method not found");
    let me = get(&format!("/bot{TOKEN}/GetMe")).await.ok();
    assert_eq!(me["id"], 4_000_001);
    assert_eq!(me["username"], "demo_bot");
    assert_eq!(rig.control.calls().len(), 5);
}

#[tokio::test]
async fn arguments_come_as_query_form_json_or_multipart() {
    let rig = Rig::free().await;
    let url = rig.url("sendMessage");
    let fields = [
        ("chat_id", "5001"),
        ("text", "a b"),
        ("reply_markup", r#"{"force_reply":true}"#),
    ];
    let query = rig.http.get(&url).query(&fields).send().await.unwrap();
    let body = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish();
    let form = rig
        .http
        .post(&url)
        .header("content-type", "application/x-www-form-urlencoded");
    let form = form.body(body).send().await.unwrap();
    let parts = reqwest::multipart::Form::new()
        .text("chat_id", "5001")
        .text("text", "a b");
    let multipart = rig.http.post(&url).multipart(parts).send().await.unwrap();
    let json = json!({"chat_id": "5001", "text": "a b", "entities": null});
    let json = rig
        .http
        .post(rig.url("SENDMESSAGE"))
        .json(&json)
        .send()
        .await
        .unwrap();
    for response in [query, form, multipart, json] {
        assert_eq!(read(response).await.unwrap().ok()["text"], "a b");
    }
    assert_eq!(rig.screen().len(), 4);
    let broken = rig
        .http
        .post(&url)
        .header("content-type", "application/json")
        .body("{");
    let broken = read(broken.send().await.unwrap()).await.unwrap();
    broken.refused(
        400,
        "Bad Request: can't parse request: Can't parse JSON object",
    );
}

#[tokio::test]
async fn chats_exist_and_blocks_hold() {
    let rig = Rig::free().await;
    let to = async |chat: Value| {
        rig.call("sendMessage", json!({"chat_id": chat, "text": "x"}))
            .await
    };
    to(json!(77))
        .await
        .refused(400, "Bad Request: chat not found");
    to(json!("@nobody"))
        .await
        .refused(400, "Bad Request: chat not found");
    to(json!(""))
        .await
        .refused(400, "Bad Request: chat_id is empty");
    let threaded = json!({"chat_id": ANN, "text": "x", "message_thread_id": 7});
    let threaded = rig.call("sendMessage", threaded).await;
    threaded.refused(400, "Bad Request: message thread not found");
    let id = rig.sent("x").await;
    rig.control.user_block(ANN).unwrap();
    to(json!(ANN))
        .await
        .refused(403, "Forbidden: bot was blocked by the user");
    let edit = json!({"chat_id": ANN, "message_id": id, "text": "y"});
    rig.call("editMessageText", edit)
        .await
        .refused(403, "Forbidden: bot was blocked by the user");
    assert!(rig.control.user_text(ANN, "hi").is_err());
    rig.control.user_unblock(ANN).unwrap();
    to(json!(ANN)).await.ok();
    let updates = rig.updates(json!({})).await;
    let states: Vec<&Value> = updates
        .iter()
        .map(|u| &u["my_chat_member"]["new_chat_member"]["status"])
        .collect();
    assert_eq!(states, ["kicked", "member"]);
}

#[tokio::test]
async fn edits_are_refused_as_the_server_refuses_them() {
    let rig = Rig::free().await;
    let id = rig.sent("one").await;
    let edit = async |id: i64, text: &str| {
        let params = json!({"chat_id": ANN, "message_id": id, "text": text});
        rig.call("editMessageText", params).await
    };
    edit(id, "one").await.refused(400, NOT_MODIFIED);
    edit(id, " one ").await.refused(400, NOT_MODIFIED);
    let edited = edit(id, "two").await.ok();
    assert_eq!(edited["text"], "two");
    assert!(edited["edit_date"].is_i64());
    edit(id + 1, "x")
        .await
        .refused(400, "Bad Request: message to edit not found");
    edit(id, "")
        .await
        .refused(400, "Bad Request: message text is empty");
    let users = rig.control.user_text(ANN, "mine").unwrap();
    edit(users, "x")
        .await
        .refused(400, "Bad Request: message can't be edited");
    let view = rig.control.chat(ANN).unwrap();
    let message = view.from_bot().next().unwrap();
    assert_eq!((message.text.as_str(), message.edits.len()), ("two", 1));
    // The keyboard is part of what is compared, and goes when it is omitted.
    let keyboard = json!({"inline_keyboard": [[{"text": "Go", "callback_data": "go"}]]});
    let params = json!({"chat_id": ANN, "message_id": id, "reply_markup": keyboard});
    rig.call("editMessageReplyMarkup", params.clone())
        .await
        .ok();
    rig.call("editMessageReplyMarkup", params)
        .await
        .refused(400, NOT_MODIFIED);
    assert_eq!(
        rig.control.chat(ANN).unwrap().messages[0].buttons[0][0]
            .data
            .as_deref(),
        Some("go")
    );
    let plain = edit(id, "two").await.ok();
    assert!(plain.get("reply_markup").is_none());
    let delete = json!({"chat_id": ANN, "message_id": id});
    rig.call("deleteMessage", delete).await.ok();
    edit(id, "three")
        .await
        .refused(400, "Bad Request: message to edit not found");
}

#[tokio::test]
async fn replies_need_their_target_unless_told_otherwise() {
    let rig = Rig::free().await;
    let target = rig.control.user_text(ANN, "question").unwrap();
    let reply = async |to: i64, anyway: bool| {
        let reply = json!({"message_id": to, "allow_sending_without_reply": anyway});
        let params = json!({"chat_id": ANN, "text": "answer", "reply_parameters": reply});
        rig.call("sendMessage", params).await
    };
    let message = reply(target, false).await.ok();
    assert_eq!(message["reply_to_message"]["text"], "question");
    reply(999, false)
        .await
        .refused(400, "Bad Request: message to be replied not found");
    assert!(
        reply(999, true)
            .await
            .ok()
            .get("reply_to_message")
            .is_none()
    );
    let view = rig.control.chat(ANN).unwrap();
    let targets: Vec<Option<i64>> = view.from_bot().map(|message| message.reply_to).collect();
    assert_eq!(targets, [Some(target), None]);
}

#[tokio::test]
async fn buttons_are_checked_pressed_and_answered_in_time() {
    let rig = Rig::free().await;
    let send = async |data: &str| {
        let keyboard = json!({"inline_keyboard": [[{"text": "Go", "callback_data": data}]]});
        rig.call(
            "sendMessage",
            json!({"chat_id": ANN, "text": "x", "reply_markup": keyboard}),
        )
        .await
    };
    send(&"ä".repeat(33))
        .await
        .refused(400, "Bad Request: BUTTON_DATA_INVALID");
    let message = send(&"ä".repeat(32)).await.ok();
    let id = message["message_id"].as_i64().unwrap();
    assert!(rig.control.user_press(ANN, id, "other").is_err());
    let query = rig.control.user_press(ANN, id, &"ä".repeat(32)).unwrap();
    let update = rig.updates(json!({})).await.pop().unwrap();
    assert_eq!(update["callback_query"]["id"], query.as_str());
    assert_eq!(update["callback_query"]["message"]["message_id"], id);
    let answer = async |id: &str| {
        rig.call(
            "answerCallbackQuery",
            json!({"callback_query_id": id, "text": "ok"}),
        )
        .await
    };
    answer(&query).await.ok();
    let old = "Bad Request: query is too old and response timeout expired or query ID is invalid";
    answer(&query).await.refused(400, old);
    answer("1").await.refused(400, old);
    let view = rig.control.chat(ANN).unwrap();
    assert_eq!(
        view.callbacks[0].answer.as_ref().unwrap().text.as_deref(),
        Some("ok")
    );
    let late = rig.control.user_press(ANN, id, &"ä".repeat(32)).unwrap();
    rig.control.advance(Duration::from_secs(151));
    answer(&late).await.refused(400, old);
    assert!(
        rig.updates(json!({}))
            .await
            .iter()
            .all(|u| u["callback_query"]["id"] != late.as_str())
    );
}

#[tokio::test]
async fn deletes_work_on_both_sides_for_two_days() {
    let rig = Rig::free().await;
    let mine = rig.sent("mine").await;
    let theirs = rig.control.user_text(ANN, "theirs").unwrap();
    let delete = async |id: i64| {
        rig.call("deleteMessage", json!({"chat_id": ANN, "message_id": id}))
            .await
    };
    delete(theirs).await.ok();
    delete(theirs)
        .await
        .refused(400, "Bad Request: message to delete not found");
    let many = json!({"chat_id": ANN, "message_ids": [mine, theirs, 999]});
    rig.call("deleteMessages", many).await.ok();
    assert!(rig.screen().is_empty());
    let none = json!({"chat_id": ANN, "message_ids": []});
    let none = rig.call("deleteMessages", none).await;
    none.refused(400, "Bad Request: message identifiers are not specified");
    let old = rig.sent("old").await;
    rig.control.advance(Duration::from_secs(48 * 3600 + 1));
    delete(old)
        .await
        .refused(400, "Bad Request: message can't be deleted");
}

#[tokio::test]
async fn typing_and_drafts_pass() {
    let rig = Rig::free().await;
    let typing = json!({"chat_id": ANN, "action": "typing"});
    let chat = || rig.control.chat(ANN).unwrap();
    rig.call("sendChatAction", typing.clone()).await.ok();
    assert!(chat().typing);
    rig.control.advance(Duration::from_secs(6));
    assert!(!chat().typing);
    rig.call("sendChatAction", typing).await.ok();
    let draft = async |id: i64, text: &str| {
        rig.call(
            "sendMessageDraft",
            json!({"chat_id": ANN, "draft_id": id, "text": text}),
        )
        .await
    };
    draft(0, "x")
        .await
        .refused(400, "Bad Request: draft_id must be non-zero");
    draft(7, "growing").await.ok();
    assert_eq!(chat().draft.unwrap().text, "growing");
    assert!(chat().messages.is_empty());
    rig.control.advance(Duration::from_secs(31));
    assert!(chat().draft.is_none());
    draft(7, "growing more").await.ok();
    rig.sent("done").await;
    assert!(!chat().typing);
    assert!(chat().draft.is_none());
    assert_eq!(chat().drafts.len(), 2);
    let wrong = json!({"chat_id": ANN, "action": "sleeping"});
    let wrong = rig.call("sendChatAction", wrong).await;
    wrong.refused(400, "Bad Request: wrong parameter action in request");
}

#[tokio::test]
async fn commands_are_kept_by_scope() {
    let rig = Rig::free().await;
    let commands = json!([{"command": "stop", "description": "Stop"}]);
    rig.call("setMyCommands", json!({"commands": commands}))
        .await
        .ok();
    assert_eq!(rig.call("getMyCommands", json!({})).await.ok(), commands);
    let scope = json!({"type": "all_private_chats"});
    assert_eq!(
        rig.call("getMyCommands", json!({"scope": scope}))
            .await
            .ok(),
        json!([])
    );
    rig.call("deleteMyCommands", json!({})).await.ok();
    assert_eq!(rig.call("getMyCommands", json!({})).await.ok(), json!([]));
    let bad = json!([{"command": "Stop!", "description": "Stop"}]);
    let bad = rig.call("setMyCommands", json!({"commands": bad})).await;
    bad.refused(400, "Bad Request: BOT_COMMAND_INVALID");
}
