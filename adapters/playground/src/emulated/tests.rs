use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{Emulated, bot_token};

#[test]
fn every_start_has_a_bot_of_its_own() {
    let (one, two) = (bot_token().unwrap(), bot_token().unwrap());
    let id = |token: &str| token.split(':').next().unwrap().parse::<u64>().unwrap();
    assert!(id(&one) >= 7_000_000_000);
    assert_ne!(id(&one), id(&two));
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test's own client")]
async fn what_the_model_says_is_known_even_if_its_stream_is_dropped() {
    let emulated = Emulated::start().await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(emulated.keep_answers());
    let body = json!({
        "model": "demo", "max_tokens": 1000, "stream": true,
        "messages": [{ "role": "user", "content": "good morning" }],
    });
    let streamed = emulated
        .client
        .post(format!("{}/v1/messages", emulated.model_url()))
        .header("anthropic-version", "2023-06-01")
        .json(&body)
        .send()
        .await
        .unwrap();
    assert_eq!(streamed.status(), 200);
    drop(streamed);

    let answers = emulated.model_answers();
    let known = async {
        loop {
            let now = answers();
            if now[0]["text"].is_string() {
                return now;
            }
            tokio::task::yield_now().await;
        }
    };
    let known: Value = tokio::time::timeout(Duration::from_secs(20), known)
        .await
        .unwrap();
    assert!(known[0]["text"].as_str().unwrap().contains("good morning"));
    assert_eq!(
        known.as_array().unwrap().len(),
        1,
        "the twin's requests are not among them"
    );
}
