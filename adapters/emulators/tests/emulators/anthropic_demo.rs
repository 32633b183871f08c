//! The demo model, seen through the API.

use serde_json::{Value, json};

use crate::rig::{Model, says, streams};

async fn answer(model: &Model, text: &str) -> String {
    let (status, body) = model.ask(&says(text)).await;
    assert_eq!(status, 200, "{body}");
    body["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn it_says_what_it_is() {
    let model = Model::start().await;
    for text in ["help", "Hello!", "What is the capital of France?", "time"] {
        assert!(answer(&model, text).await.contains("demo model"), "{text}");
    }
    assert!(answer(&model, "hi").await.contains("`markdown`"));
    let echo = answer(
        &model,
        &format!("My cat is called Tom. {}", "x ".repeat(300)),
    )
    .await;
    assert!(
        echo.contains("> My cat is called Tom. x x") && echo.contains('…'),
        "{echo}"
    );
}

#[tokio::test]
async fn long_is_long_and_varied_and_markdown_is_whole() {
    let model = Model::start().await;
    let long = answer(&model, "long").await;
    assert!(long.chars().count() > 9000);
    for mark in ["\n## ", "```", "\n- ", "\n1. ", "\n> ", "\n| "] {
        assert!(long.contains(mark), "{mark:?}");
    }
    let markdown = answer(&model, "markdown please").await;
    for mark in [
        "# ",
        "**bold**",
        "*italic*",
        "~~",
        "`inline",
        "```rust",
        "](https://",
        "\n  - ",
        "\n1. ",
        "\n> ",
        "\n|",
        "\n---\n",
        "- [x]",
    ] {
        assert!(markdown.contains(mark), "{mark:?}");
    }
}

#[tokio::test]
async fn it_asks_the_tools_that_are_offered_and_uses_the_results() {
    let model = Model::start().await;
    let tool = |name: &str| json!({"name": name, "input_schema": {"type": "object"}});
    let mut body = says("calc 2 + 3 * 4");
    body["tools"] = json!([tool("current_time"), tool("calculator")]);
    let (_, first) = model.ask(&body).await;
    assert_eq!(first["stop_reason"], "tool_use");
    let call = &first["content"][1];
    assert_eq!(
        (&call["name"], &call["input"]),
        (&json!("calculator"), &json!({"expression": "2 + 3 * 4"}))
    );
    let id = &call["id"];
    body["messages"].as_array_mut().unwrap().extend([
        json!({"role": "assistant", "content": first["content"]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": "14"},
        ]}),
    ]);
    let (_, second) = model.ask(&body).await;
    let text = second["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("**calculator** of `2 + 3 * 4` says: 14"),
        "{text}"
    );

    let mut both = says("tool");
    both["tools"] = body["tools"].clone();
    let (_, both) = model.ask(&both).await;
    let names: Vec<&Value> = both["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| &block["name"])
        .collect();
    assert_eq!(
        names,
        [&Value::Null, &json!("current_time"), &json!("calculator")]
    );
    assert!(
        answer(&model, "what time is it?")
            .await
            .contains("offers neither")
    );
}

#[tokio::test]
async fn it_can_be_overloaded_and_slow() {
    let model = Model::start().await;
    let (status, body) = model.ask(&says("error")).await;
    assert_eq!(
        (status, &body["error"]["type"]),
        (529, &json!("overloaded_error"))
    );
    let mut response = model.request(&streams("slow")).send().await.unwrap();
    response.chunk().await.unwrap().unwrap();
    drop(response);
    // Whole, it would take twenty seconds.
    let quick = std::time::Duration::from_secs(2);
    let gone = |control: &talaria_emulators::AnthropicControl| {
        let outcome = control.requests()[1].outcome;
        outcome == talaria_emulators::anthropic::Outcome::ClientGone
    };
    assert!(model.control.wait_until(quick, gone).await);
}
