use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::Playground;
use crate::{Error, Options};

/// A gateway that stays alive and does nothing else.
fn idle_gateway() -> Options {
    let mut options = Options::new("/bin/sh".into());
    options.port = 0;
    options.gateway_args = ["-c", "exec sleep 60", "sh"].map(OsString::from).to_vec();
    options
}

/// The page as a browser uses it.
struct Page {
    client: reqwest::Client,
    url: String,
    token: String,
}

impl Page {
    async fn open(playground: &Playground) -> Self {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut page = Self {
            client,
            url: playground.url(),
            token: String::new(),
        };
        let (_, html) = page.get("/").await;
        let after = html.split("playground-token\" content=\"").nth(1).unwrap();
        page.token = after.split('"').next().unwrap().to_owned();
        assert_eq!(page.token.len(), 48);
        page
    }

    #[expect(clippy::disallowed_methods, reason = "a test's own client")]
    async fn get(&self, path: &str) -> (u16, String) {
        let answer = self
            .client
            .get(format!("{}{path}", self.url))
            .send()
            .await
            .unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    async fn state(&self) -> Value {
        serde_json::from_str(&self.get("/api/state").await.1).unwrap()
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, String) {
        let headers = [
            ("x-playground-token", self.token.as_str()),
            ("origin", &self.url),
        ];
        self.post_as(path, body, &headers).await
    }

    #[expect(clippy::disallowed_methods, reason = "a test's own client")]
    async fn post_as(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> (u16, String) {
        let mut request = self.client.post(format!("{}{path}", self.url)).json(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }
}

fn alive(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

#[tokio::test]
async fn kill_and_start_are_seen_in_the_state_and_stop_leaves_nothing() {
    let playground = Playground::start(idle_gateway()).await.unwrap();
    let page = Page::open(&playground).await;
    let folder = playground.folder.path().to_owned();
    assert!(folder.join("talaria.toml").exists());
    let first = playground.gateway_pid().unwrap();
    let state = page.state().await;
    assert_eq!(
        state["gateway"]["state"], "starting",
        "its admin socket does not answer"
    );
    assert_eq!(state["gateway"]["pid"], first);

    assert_eq!(page.post("/api/gateway/start", &json!({})).await.0, 409);
    assert_eq!(page.post("/api/gateway/kill", &json!({})).await.0, 200);
    assert!(!alive(first));
    let state = page.state().await;
    assert_eq!(state["gateway"]["state"], "killed");
    assert_eq!(state["gateway"]["kills"], 1);
    assert_eq!(page.post("/api/gateway/kill", &json!({})).await.0, 409);

    // What is sent meanwhile waits in the chat, not taken by the bot.
    let sent = page
        .post(
            "/api/chats/telegram/send",
            &json!({ "text": "are you there?" }),
        )
        .await;
    assert_eq!(sent.0, 200);
    let state = page.state().await;
    let message = &state["chats"][0]["messages"][0];
    assert_eq!(message["text"], "are you there?");
    assert_eq!(
        (&message["mine"], &message["fetched"]),
        (&json!(true), &json!(false))
    );

    assert_eq!(page.post("/api/gateway/start", &json!({})).await.0, 200);
    let second = playground.gateway_pid().unwrap();
    playground.stop().await.unwrap();
    assert!(!alive(second));
    assert!(!folder.exists());
}

#[tokio::test]
async fn only_our_page_may_change_something() {
    let playground = Playground::start(idle_gateway()).await.unwrap();
    let page = Page::open(&playground).await;
    let kill = "/api/gateway/kill";
    let body = json!({});
    let token = ("x-playground-token", page.token.as_str());
    let own = ("origin", page.url.as_str());
    for (headers, why) in [
        (vec![own], "no token"),
        (vec![own, ("x-playground-token", "0")], "a wrong token"),
        (
            vec![token, ("origin", "http://evil.example")],
            "a foreign origin",
        ),
        (vec![token, ("origin", "null")], "an origin without a name"),
        (
            vec![token, own, ("sec-fetch-site", "cross-site")],
            "a foreign page",
        ),
        (vec![token, own, ("host", "evil.example")], "a foreign host"),
    ] {
        assert_eq!(page.post_as(kill, &body, &headers).await.0, 403, "{why}");
    }
    assert!(playground.gateway_pid().is_some(), "nothing was killed");
    assert_eq!(page.post_as(kill, &body, &[token, own]).await.0, 200);
    playground.stop().await.unwrap();
}

#[tokio::test]
async fn bad_requests_are_answered_with_a_reason() {
    let playground = Playground::start(idle_gateway()).await.unwrap();
    let page = Page::open(&playground).await;
    let send = "/api/chats/telegram/send";
    let (status, why) = page.post(send, &json!({ "text": " \n " })).await;
    assert_eq!((status, why.contains("empty")), (422, true), "{why}");
    let (status, why) = page.post(send, &json!({ "text": "😀".repeat(2049) })).await;
    assert_eq!((status, why.contains("4096")), (422, true), "{why}");
    assert_eq!(
        page.post("/api/chats/none/send", &json!({ "text": "x" }))
            .await
            .0,
        404
    );
    let press = json!({ "message": 1, "row": 0, "column": 9 });
    assert_eq!(page.post("/api/chats/telegram/press", &press).await.0, 422);
    assert_eq!(page.post(send, &json!({})).await.0, 422);
    assert_eq!(page.get("/app/../Cargo.toml").await.0, 404);
    assert_eq!(page.get("/app/none.js").await.0, 404);
    playground.stop().await.unwrap();
}

#[tokio::test]
async fn the_stream_greets_tells_everything_and_then_the_changes() {
    let playground = Playground::start(idle_gateway()).await.unwrap();
    let page = Page::open(&playground).await;
    let mut stream = Stream::open(&page).await;
    assert_eq!(
        stream.next_named("hello").await["instance"]
            .as_str()
            .unwrap()
            .len(),
        48
    );
    let all = stream.next_named("state").await;
    assert_eq!(all["reset"], true);
    assert_eq!(all["chats"][0]["head"]["skin"], "telegram");

    page.post("/api/chats/telegram/send", &json!({ "text": "hello" }))
        .await;
    let change = loop {
        let event = stream.next_named("state").await;
        if event["chats"][0]["messages"].is_array() {
            break event;
        }
    };
    assert_eq!(change["reset"], false);
    assert_eq!(change["chats"][0]["messages"][0]["text"], "hello");
    assert!(change["version"].as_u64() > all["version"].as_u64());
    playground.stop().await.unwrap();
}

/// An event stream, read event by event.
struct Stream {
    answer: reqwest::Response,
    read: String,
}

impl Stream {
    #[expect(clippy::disallowed_methods, reason = "a test's own client")]
    async fn open(page: &Page) -> Self {
        let answer = page
            .client
            .get(format!("{}/api/events", page.url))
            .send()
            .await
            .unwrap();
        Self {
            answer,
            read: String::new(),
        }
    }

    async fn next_named(&mut self, name: &str) -> Value {
        let wanted = format!("event: {name}\ndata: ");
        loop {
            while let Some((event, rest)) = self.read.split_once("\n\n") {
                let data = event.strip_prefix(&wanted).map(serde_json::from_str);
                self.read = rest.to_owned();
                if let Some(data) = data {
                    return data.unwrap();
                }
            }
            let chunk = tokio::time::timeout(Duration::from_secs(20), self.answer.chunk());
            let chunk = chunk
                .await
                .expect("an event in time")
                .unwrap()
                .expect("no end");
            self.read.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

#[tokio::test]
async fn a_busy_port_is_named_with_the_fix() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let mut options = idle_gateway();
    options.port = port;
    let Err(error) = Playground::start(options).await else {
        panic!("the port is taken")
    };
    assert!(matches!(error, Error::PortBusy { .. }));
    let text = error.to_string();
    assert!(
        text.contains(&port.to_string()) && text.contains("--port"),
        "{text}"
    );
}

#[tokio::test]
async fn a_given_data_folder_is_kept() {
    let top = tempfile::tempdir().unwrap();
    let mut options = idle_gateway();
    options.data_dir = Some(top.path().join("kept"));
    let playground = Playground::start(options).await.unwrap();
    assert_eq!(playground.data_dir(), top.path().join("kept"));
    playground.stop().await.unwrap();
    assert!(top.path().join("kept").is_dir());
}

#[tokio::test]
async fn a_gateway_that_is_not_there_is_shown_and_is_no_error() {
    let mut options = idle_gateway();
    options.gateway_exe = "/no/such/gateway".into();
    let playground = Playground::start(options).await.unwrap();
    let page = Page::open(&playground).await;
    let state = page.state().await;
    assert_eq!(state["gateway"]["state"], "exited");
    assert!(
        state["gateway"]["last_line"]
            .as_str()
            .unwrap()
            .contains("/no/such/gateway")
    );
    assert_eq!(page.post("/api/gateway/start", &json!({})).await.0, 500);
    playground.stop().await.unwrap();
}
