//! The binary.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

#[tokio::test]
async fn it_prints_its_addresses_serves_and_ends_with_its_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_talaria-emulators"))
        .args([
            "--bot",
            "7:secret@seven_bot",
            "--user",
            "5001:Ann",
            "--until-stdin-closes",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let urls: Value = serde_json::from_str(&line).unwrap();
    let http = reqwest::Client::new();
    let get = format!("{}/bot7:secret/getMe", urls["telegram"].as_str().unwrap());
    let me: Value = http.get(get).send().await.unwrap().json().await.unwrap();
    assert_eq!(me["result"]["username"], "seven_bot");
    let say = format!(
        "{}/control/telegram/user_text",
        urls["control"].as_str().unwrap()
    );
    let said = http
        .post(say)
        .json(&json!({"user": 5001, "text": "hi"}))
        .send()
        .await
        .unwrap();
    assert_eq!(
        said.json::<Value>().await.unwrap(),
        json!({"ok": true, "result": 1})
    );
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}
