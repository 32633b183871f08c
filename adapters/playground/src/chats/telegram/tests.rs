use serde_json::{Value, json};
use talaria_emulators::{TelegramEmulator, TelegramOptions, telegram::UserSpec};

use super::TelegramChat;
use crate::chats::{Chat, ChatError};

const TOKEN: &str = "70001:secret";

async fn start() -> (TelegramEmulator, TelegramChat) {
    let user = UserSpec {
        id: 5001,
        first_name: "You".to_owned(),
        username: None,
    };
    let options = TelegramOptions {
        users: vec![user],
        ..TelegramOptions::with_bot(TOKEN, "demo_bot")
    };
    let emulator = TelegramEmulator::start(options).await.unwrap();
    let chat = TelegramChat::new(emulator.control(), 5001, "Talaria");
    (emulator, chat)
}

/// A call of the bot.
#[expect(clippy::disallowed_methods, reason = "a test's own client")]
async fn call(emulator: &TelegramEmulator, method: &str, body: Value) -> Value {
    let url = format!("{}/bot{TOKEN}/{method}", emulator.api_url());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client.post(url).json(&body).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["ok"], true, "{answer}");
    answer["result"].clone()
}

#[tokio::test]
async fn the_second_tick_comes_when_the_bot_has_confirmed() {
    let (emulator, chat) = start().await;
    chat.send("  hello\n").unwrap();
    assert_eq!(chat.view().messages[0].body.text, "hello");
    let updates = call(&emulator, "getUpdates", json!({})).await;
    assert!(
        !chat.view().messages[0].fetched,
        "delivered is not confirmed"
    );
    let next = updates[0]["update_id"].as_i64().unwrap() + 1;
    call(&emulator, "getUpdates", json!({ "offset": next })).await;
    assert!(chat.view().messages[0].fetched);
}

#[tokio::test]
async fn edits_entities_and_typing_are_seen() {
    let (emulator, chat) = start().await;
    let entity = json!([{ "type": "bold", "offset": 0, "length": 3 }]);
    let body = json!({ "chat_id": 5001, "text": "one", "entities": entity });
    let sent = call(&emulator, "sendMessage", body).await;
    let view = chat.view().messages[0].clone();
    assert_eq!((view.mine, view.edited), (false, false));
    assert_eq!(
        (
            view.body.entities[0].kind.as_str(),
            view.body.entities[0].length
        ),
        ("bold", 3)
    );
    let edit = json!({ "chat_id": 5001, "message_id": sent["message_id"], "text": "one two" });
    call(&emulator, "editMessageText", edit).await;
    let view = chat.view().messages[0].clone();
    assert_eq!((view.edited, view.body.text.as_str()), (true, "one two"));
    assert!(!chat.view().head.typing);
    call(
        &emulator,
        "sendChatAction",
        json!({ "chat_id": 5001, "action": "typing" }),
    )
    .await;
    assert!(chat.view().head.typing);
}

#[tokio::test]
async fn the_commands_of_the_narrowest_scope_count() {
    let (emulator, chat) = start().await;
    assert!(chat.view().head.commands.is_empty());
    let commands = |name: &str| json!([{ "command": name, "description": "about" }]);
    call(
        &emulator,
        "setMyCommands",
        json!({ "commands": commands("help") }),
    )
    .await;
    assert_eq!(chat.view().head.commands[0].command, "help");
    let scope = json!({ "type": "all_private_chats" });
    let narrow = json!({ "commands": commands("stop"), "scope": scope });
    call(&emulator, "setMyCommands", narrow).await;
    assert_eq!(chat.view().head.commands[0].command, "stop");
}

#[tokio::test]
async fn a_pressed_button_is_answered_with_a_toast() {
    let (emulator, chat) = start().await;
    let keyboard = json!({ "inline_keyboard": [[{ "text": "Yes", "callback_data": "y" }]] });
    let body = json!({ "chat_id": 5001, "text": "Sure?", "reply_markup": keyboard });
    let sent = call(&emulator, "sendMessage", body).await["message_id"]
        .as_i64()
        .unwrap();
    assert!(chat.view().messages[0].buttons[0][0].press);
    assert_eq!(chat.press(sent, 0, 1), Err(ChatError::NoButton));
    assert_eq!(chat.press(sent + 1, 0, 0), Err(ChatError::NoButton));
    chat.press(sent, 0, 0).unwrap();
    assert_eq!(chat.view().head.toast, None, "no answer yet");
    let updates = call(&emulator, "getUpdates", json!({})).await;
    let id = &updates[0]["callback_query"]["id"];
    let answer = json!({ "callback_query_id": id, "text": "Done", "show_alert": true });
    call(&emulator, "answerCallbackQuery", answer).await;
    let toast = chat.view().head.toast.unwrap();
    assert_eq!((toast.text.as_str(), toast.alert), ("Done", true));
}
