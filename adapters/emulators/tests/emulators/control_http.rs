//! The control API over HTTP.

use serde_json::{Value, json};
use talaria_emulators::control::ControlServer;

use crate::rig::{ANN, Model, Rig, says};

struct Remote {
    url: String,
    http: reqwest::Client,
    _server: ControlServer,
}

impl Remote {
    async fn start(rig: &Rig, model: &Model) -> Self {
        let bind = "127.0.0.1:0".parse().unwrap();
        let server = ControlServer::start(bind, rig.control.clone(), model.control.clone());
        let server = server.await.unwrap();
        Self {
            url: server.url(),
            http: reqwest::Client::new(),
            _server: server,
        }
    }

    async fn raw(&self, action: &str, body: Value) -> (u16, Value) {
        let url = format!("{}/control/{action}", self.url);
        let response = self.http.post(url).json(&body).send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    async fn act(&self, action: &str, body: Value) -> Value {
        let (status, answer) = self.raw(action, body).await;
        assert_eq!(status, 200, "{action}: {answer}");
        answer["result"].clone()
    }
}

#[tokio::test]
async fn another_language_can_do_the_same() {
    let (rig, model) = (Rig::free().await, Model::start().await);
    let remote = Remote::start(&rig, &model).await;
    remote
        .act(
            "telegram/add_user",
            json!({"id": 6001, "first_name": "Bob"}),
        )
        .await;
    let id = remote
        .act("telegram/user_text", json!({"user": 6001, "text": "hi"}))
        .await;
    assert_eq!(id, 1);
    assert_eq!(rig.updates(json!({})).await[0]["message"]["text"], "hi");
    let fault = json!({"method": "sendMessage", "kind": {"fault": "error", "status": 500, "description": "x"}});
    remote.act("telegram/fault", fault).await;
    assert_eq!(rig.send("x").await.status, 500);
    rig.sent("shown").await;
    let wait = json!({"user": ANN, "messages": 1, "contains": "shown", "ms": 5000});
    assert_eq!(remote.act("telegram/wait_chat", wait).await, true);
    let chat = remote.act("telegram/chat", json!({"user": ANN})).await;
    assert_eq!(chat["messages"][0]["text"], "shown");
    let calls = remote.act("telegram/calls", json!({})).await;
    assert_eq!(calls.as_array().unwrap().len(), 3);
    remote
        .act("telegram/update_fault", json!({"fault": "duplicate"}))
        .await;
    remote
        .act(
            "telegram/set_limits",
            json!({"enabled": true, "private_chat": {"per_second": 1.0, "burst": 1}}),
        )
        .await;
    rig.send("one").await.ok();
    assert_eq!(rig.send("two").await.status, 429);

    let reply = json!({"reply": "message", "blocks": [{"type": "text", "text": "scripted"}]});
    let script = json!({"matcher": {"last_user_contains": "x"}, "reply": reply});
    remote.act("anthropic/script", script).await;
    assert_eq!(
        model.ask(&says("x")).await.1["content"][0]["text"],
        "scripted"
    );
    let finished = json!({"count": 1, "ms": 5000});
    assert_eq!(remote.act("anthropic/wait_finished", finished).await, true);
    let requests = remote.act("anthropic/requests", json!({})).await;
    assert_eq!(requests[0]["outcome"], "finished");
}

#[tokio::test]
async fn mistakes_are_told() {
    let (rig, model) = (Rig::free().await, Model::start().await);
    let remote = Remote::start(&rig, &model).await;
    for (action, body) in [
        ("telegram/fly", json!({})),
        ("telegram/user_text", json!({"user": ANN})),
        ("telegram/user_text", json!({"user": 1, "text": "x"})),
        ("telegram/chat", json!({"user": ANN, "bot": "1:none"})),
        ("anthropic/script", json!([])),
    ] {
        let (status, answer) = remote.raw(action, body).await;
        assert_eq!((status, &answer["ok"]), (400, &json!(false)), "{action}");
        assert!(!answer["error"].as_str().unwrap().is_empty());
    }
}
