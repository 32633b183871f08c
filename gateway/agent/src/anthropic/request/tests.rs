use serde_json::{Value, json};
use talaria_types::model::{Block, Message, ModelRequest, ToolResult, ToolSpec, UserBlock};

use super::body;

fn user(text: &str) -> Message {
    Message::User {
        content: vec![UserBlock::Text {
            text: text.to_owned(),
        }],
    }
}

fn request(messages: Vec<Message>) -> ModelRequest {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "d".to_owned(),
        input_schema: json!({ "type": "object", "properties": { "b": {}, "a": {} } }),
    };
    ModelRequest {
        system: "You help.".to_owned(),
        tools: vec![tool("one"), tool("two")],
        messages,
        max_tokens: 4096,
    }
}

fn json_of(request: &ModelRequest) -> Value {
    serde_json::from_slice(&body("model-1", request).unwrap()).unwrap()
}

fn step() -> [Message; 2] {
    let call = |id: &str| Block::ToolUse {
        id: id.to_owned(),
        name: "one".to_owned(),
        input: json!({ "z": 1, "a": "ü" }),
    };
    let result = |id: &str, is_error| {
        UserBlock::ToolResult(ToolResult {
            tool_use_id: id.to_owned(),
            content: "r".to_owned(),
            is_error,
        })
    };
    [
        Message::Assistant {
            content: vec![
                Block::Thinking {
                    thinking: String::new(),
                    signature: "c2ln".to_owned(),
                },
                Block::RedactedThinking {
                    data: "xx".to_owned(),
                },
                Block::Text {
                    text: "Looking.".to_owned(),
                },
                call("t1"),
                call("t2"),
            ],
        },
        Message::User {
            content: vec![result("t1", false), result("t2", true)],
        },
    ]
}

#[test]
fn the_body_is_what_the_api_documents() {
    let [assistant, results] = step();
    let mark = json!({ "type": "ephemeral" });
    let schema = json!({ "type": "object", "properties": { "a": {}, "b": {} } });
    let input = json!({ "a": "ü", "z": 1 });
    assert_eq!(
        json_of(&request(vec![user("hi"), assistant, results])),
        json!({
            "model": "model-1",
            "max_tokens": 4096,
            "stream": true,
            "tools": [
                { "name": "one", "description": "d", "input_schema": schema },
                { "name": "two", "description": "d", "input_schema": schema, "cache_control": mark }
            ],
            "system": [{ "type": "text", "text": "You help.", "cache_control": mark }],
            "messages": [
                { "role": "user", "content": [{ "type": "text", "text": "hi" }] },
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "", "signature": "c2ln" },
                    { "type": "redacted_thinking", "data": "xx" },
                    { "type": "text", "text": "Looking." },
                    { "type": "tool_use", "id": "t1", "name": "one", "input": input },
                    { "type": "tool_use", "id": "t2", "name": "one", "input": input }
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "t1", "content": "r" },
                    { "type": "tool_result", "tool_use_id": "t2", "content": "r", "is_error": true,
                      "cache_control": mark }
                ] }
            ]
        })
    );
}

#[test]
fn what_is_empty_is_left_out() {
    let bare = ModelRequest {
        system: " ".to_owned(),
        tools: vec![],
        ..request(vec![user("hi")])
    };
    let body = json_of(&bare);
    assert!(body.get("system").is_none() && body.get("tools").is_none());
}

/// Without the mark on the last message, one step's body is the beginning of the next one's.
#[test]
fn the_prefix_is_byte_stable_between_steps() {
    let mark = r#","cache_control":{"type":"ephemeral"}"#;
    let text = |messages: Vec<Message>| {
        let text = String::from_utf8(body("model-1", &request(messages)).unwrap()).unwrap();
        let (before, after) = text.rsplit_once(mark).unwrap();
        format!("{before}{after}")
    };
    let [assistant, results] = step();
    let first = text(vec![user("hi")]);
    let second = text(vec![user("hi"), assistant, results]);
    let open = first.strip_suffix("]}").unwrap();
    assert!(second.starts_with(open), "{second}\n{open}");
    assert!(open.contains(r#""messages":[{"role":"user""#));
}

#[test]
fn at_most_four_marks() {
    let [assistant, results] = step();
    let text = String::from_utf8(
        body(
            "m",
            &request(vec![user("a"), assistant, results, user("b")]),
        )
        .unwrap(),
    );
    assert_eq!(text.unwrap().matches("cache_control").count(), 3);
}
