//! The text of a message: trimming, length, parse modes, entities.

use serde_json::{Value, json};
use talaria_emulators::telegram::utf16_len;

use crate::rig::{ANN, Rig};

#[tokio::test]
async fn a_message_is_trimmed_measured_and_returned() {
    let rig = Rig::free().await;
    let entity = json!([{"type": "bold", "offset": 2, "length": 2}]);
    let params = json!({"chat_id": ANN, "text": " \n😀 hi \n", "entities": entity});
    let message = rig.call("sendMessage", params).await.ok();
    assert_eq!(message["text"], "😀 hi");
    assert_eq!(
        message["entities"],
        json!([{"type": "bold", "offset": 0, "length": 2}])
    );
    assert_eq!(
        message["chat"],
        json!({"id": ANN, "type": "private", "first_name": "Ann", "username": "ann"})
    );
    assert_eq!(message["from"]["is_bot"], true);

    rig.send("")
        .await
        .refused(400, "Bad Request: message text is empty");
    rig.send(" \n ")
        .await
        .refused(400, "Bad Request: message text is empty");
    // 4096 in UTF-16, after trimming.
    let full = "😀".repeat(2048);
    assert_eq!(utf16_len(&full), 4096);
    rig.send(&format!(" {full} ")).await.ok();
    rig.send(&format!("{full}x"))
        .await
        .refused(400, "Bad Request: message is too long");
    let id = rig.sent("short").await;
    let edit = json!({"chat_id": ANN, "message_id": id, "text": format!("{full}x")});
    rig.call("editMessageText", edit)
        .await
        .refused(400, "Bad Request: MESSAGE_TOO_LONG");
    rig.send(&"x".repeat(32_769))
        .await
        .refused(400, "Bad Request: text is too long");
    // 4096 is counted after parsing.
    let html = format!("<b>{full}</b>");
    let params = json!({"chat_id": ANN, "text": html, "parse_mode": "HTML"});
    assert_eq!(
        rig.call("sendMessage", params).await.ok()["entities"][0]["length"],
        4096
    );
}

#[tokio::test]
async fn formatting_is_parsed_or_refused() {
    let rig = Rig::free().await;
    let send = async |mode: &str, text: &str| {
        rig.call(
            "sendMessage",
            json!({"chat_id": ANN, "text": text, "parse_mode": mode}),
        )
        .await
    };
    let message = send("MarkdownV2", "*bold* _it_ `c` [l](http://x.y/)")
        .await
        .ok();
    assert_eq!(message["text"], "bold it c l");
    assert_eq!(
        message["entities"][3],
        json!({"type": "text_link", "offset": 10, "length": 1, "url": "http://x.y/"})
    );
    send("MarkdownV2", "Hello.").await.refused(
        400,
        "Bad Request: can't parse entities: Character '.' is reserved and must be escaped with the \
         preceding '\\'",
    );
    send("HTML", "<b>x").await.refused(
        400,
        "Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\"",
    );
    send("HTML", "a<br>").await.refused(
        400,
        "Bad Request: can't parse entities: Unsupported start tag \"br\" at byte offset 1",
    );
    send("Other", "x")
        .await
        .refused(400, "Bad Request: unsupported parse_mode");
}

#[tokio::test]
async fn entities_that_do_not_fit_are_cut_dropped_or_refused() {
    let rig = Rig::free().await;
    let send = async |text: &str, entities: Value| {
        rig.call(
            "sendMessage",
            json!({"chat_id": ANN, "text": text, "entities": entities}),
        )
        .await
    };
    let out = json!([{"type": "bold", "offset": 9, "length": 2}, {"type": "bold", "offset": 1, "length": 9}]);
    let message = send("abc", out).await.ok();
    assert_eq!(
        message["entities"],
        json!([{"type": "bold", "offset": 1, "length": 2}])
    );
    assert_eq!(rig.control.warnings().len(), 2);
    let half = json!([{"type": "bold", "offset": 1, "length": 1}]);
    let half = send("😀", half).await;
    assert_eq!(half.status, 400, "{}", half.body);
    // Formatting is split around code.
    let around = json!([{"type": "bold", "offset": 0, "length": 9}, {"type": "code", "offset": 3, "length": 3}]);
    let message = send("aaabbbccc", around).await.ok();
    assert_eq!(
        message["entities"],
        json!([
            {"type": "bold", "offset": 0, "length": 3},
            {"type": "code", "offset": 3, "length": 3},
            {"type": "bold", "offset": 6, "length": 3},
        ])
    );
}
