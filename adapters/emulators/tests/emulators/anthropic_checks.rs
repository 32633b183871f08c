//! What the Messages API refuses.

use serde_json::{Value, json};

use crate::rig::{KEY, Model, says};

async fn refused(model: &Model, body: &Value, message: &str) {
    let (status, answer) = model.ask(body).await;
    assert_eq!(answer["error"]["message"], message, "{body}");
    assert_eq!(answer["error"]["type"], "invalid_request_error");
    assert_eq!((status, &answer["type"]), (400, &json!("error")));
    assert!(answer["request_id"].as_str().unwrap().starts_with("req_"));
}

#[tokio::test]
async fn headers_are_checked() {
    let model = Model::start().await;
    let url = format!("{}/v1/messages", model.emulator.base_url());
    let ask = async |key: Option<&str>, version: Option<&str>| {
        let mut request = model.http.post(&url).json(&says("x"));
        if let Some(key) = key {
            request = request.header("x-api-key", key);
        }
        if let Some(version) = version {
            request = request.header("anthropic-version", version);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let body: Value = response.json().await.unwrap();
        (
            status,
            body["error"]["type"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    let wrong = (401, "authentication_error".to_owned());
    assert_eq!(ask(None, Some("2023-06-01")).await, wrong);
    assert_eq!(ask(Some("other"), Some("2023-06-01")).await, wrong);
    let invalid = (400, "invalid_request_error".to_owned());
    assert_eq!(ask(Some(KEY), None).await, invalid);
    assert_eq!(ask(Some(KEY), Some("1999-01-01")).await, invalid);
    assert_eq!(ask(Some(KEY), Some("2023-06-01")).await.0, 200);
    model.control.set_api_key(None);
    assert_eq!(ask(None, Some("2023-06-01")).await.0, 200);
}

#[tokio::test]
async fn fields_are_checked() {
    let model = Model::start().await;
    let with = |key: &str, value: Value| {
        let mut body = says("x");
        body[key] = value;
        body
    };
    for key in ["model", "max_tokens", "messages"] {
        let mut body = says("x");
        body.as_object_mut().unwrap().remove(key);
        refused(&model, &body, &format!("{key}: Field required")).await;
    }
    refused(
        &model,
        &with("surprise", json!(1)),
        "surprise: Extra inputs are not permitted",
    )
    .await;
    let few = "max_tokens: must be greater than or equal to 1";
    refused(&model, &with("max_tokens", json!(0)), few).await;
    let tool = |name: &str| json!({"name": name, "input_schema": {"type": "object"}});
    let twice = json!([tool("a"), tool("a")]);
    refused(
        &model,
        &with("tools", twice),
        "tools: Tool names must be unique.",
    )
    .await;
    let pattern = "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";
    refused(&model, &with("tools", json!([tool("a b")])), pattern).await;
    let budget = json!({"type": "enabled", "budget_tokens": 9000});
    let more = "`max_tokens` must be greater than `thinking.budget_tokens`.";
    refused(&model, &with("thinking", budget), more).await;
    let marked = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
    let system = json!([marked, marked, marked, marked, marked]);
    let marks = "A maximum of 4 blocks with cache_control may be provided. Found 5.";
    refused(&model, &with("system", system), marks).await;
    let (status, body) = model.ask(&says(&"word ".repeat(200_000))).await;
    assert_eq!(status, 400);
    let message = body["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("prompt is too long: "), "{message}");
}

fn history(messages: Value) -> Value {
    json!({"model": "demo", "max_tokens": 100, "messages": messages})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "t", "input": {}})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "ok"})
}

#[tokio::test]
async fn roles_and_contents_are_checked() {
    let model = Model::start().await;
    let user = json!({"role": "user", "content": "x"});
    let assistant = json!({"role": "assistant", "content": "y"});
    let none = "messages: at least one message is required";
    refused(&model, &history(json!([])), none).await;
    let first = "messages: first message must use the \"user\" role";
    refused(&model, &history(json!([assistant])), first).await;
    let row = "messages: roles must alternate between \"user\" and \"assistant\", but found \
               multiple \"user\" roles in a row";
    refused(&model, &history(json!([user, user])), row).await;
    let empty = json!([{"role": "user", "content": [{"type": "text", "text": ""}]}]);
    refused(
        &model,
        &history(empty),
        "messages: text content blocks must be non-empty",
    )
    .await;
    let bare = json!([{"role": "user", "content": []}]);
    let bare_message = "messages.0: all messages must have non-empty content except for the \
                        optional final assistant message";
    refused(&model, &history(bare), bare_message).await;
    let trailing = json!([user, {"role": "assistant", "content": "so "}]);
    let white = "messages: final assistant content cannot end with trailing whitespace";
    refused(&model, &history(trailing), white).await;
    assert_eq!(
        model.ask(&history(json!([user, assistant, user]))).await.0,
        200
    );
}

#[tokio::test]
async fn every_tool_call_has_one_result_right_behind_it() {
    let model = Model::start().await;
    let asked = |content: Value, answer: Value| {
        history(json!([
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": content},
            {"role": "user", "content": answer},
        ]))
    };
    let missing = |ids: &str| {
        format!(
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: \
             {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the \
             next message."
        )
    };
    let both = json!([call("a"), call("b")]);
    let body = asked(both.clone(), json!([result("a")]));
    refused(&model, &body, &missing("b")).await;
    refused(
        &model,
        &asked(both.clone(), json!("text")),
        &missing("a, b"),
    )
    .await;
    let text = json!({"type": "text", "text": "first"});
    refused(
        &model,
        &asked(json!([call("a")]), json!([text, result("a")])),
        &missing("a"),
    )
    .await;
    let unexpected = "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: \
                      c. Each `tool_result` block must have a corresponding `tool_use` block in \
                      the previous message.";
    refused(
        &model,
        &asked(json!([call("a")]), json!([result("c"), result("a")])),
        unexpected,
    )
    .await;
    let double = "messages.2.content.1: each tool_use must have a single result. Found multiple \
                  `tool_result` blocks with id: a";
    refused(
        &model,
        &asked(json!([call("a")]), json!([result("a"), result("a")])),
        double,
    )
    .await;
    let unique = "messages.1.content.1: `tool_use` ids must be unique";
    refused(
        &model,
        &asked(json!([call("a"), call("a")]), json!([result("a")])),
        unique,
    )
    .await;
    let open = history(json!([
        {"role": "user", "content": "x"}, {"role": "assistant", "content": [call("a")]},
    ]));
    refused(&model, &open, &missing("a")).await;
    let fine = asked(both, json!([result("b"), result("a"), text]));
    assert_eq!(model.ask(&fine).await.0, 200);
}

#[tokio::test]
async fn thinking_comes_back_untouched() {
    use talaria_emulators::anthropic::{Block, Matcher, Message};
    let model = Model::start().await;
    let blocks = vec![Block::thinking("hm"), Block::tool("a", "t", json!({}))];
    model.control.script(Matcher::Any, Message::blocks(blocks));
    let (_, first) = model.ask(&says("x")).await;
    let mut body = history(json!([
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": first["content"]},
        {"role": "user", "content": [result("a")]},
    ]));
    body["max_tokens"] = json!(4000);
    body["thinking"] = json!({"type": "enabled", "budget_tokens": 2000});
    assert_eq!(model.ask(&body).await.0, 200);
    let mut touched = body.clone();
    touched["messages"][1]["content"][0]["thinking"] = json!("hm!");
    let invalid = "messages.1.content.0: Invalid `signature` in `thinking` block";
    refused(&model, &touched, invalid).await;
    let mut unsigned = body.clone();
    unsigned["messages"][1]["content"][0]
        .as_object_mut()
        .unwrap()
        .remove("signature");
    let required = "messages.1.content.0.thinking.signature: Field required";
    refused(&model, &unsigned, required).await;
    body["messages"][1]["content"]
        .as_array_mut()
        .unwrap()
        .remove(0);
    let (status, answer) = model.ask(&body).await;
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        status == 400 && message.contains("Expected `thinking`"),
        "{message}"
    );
}
