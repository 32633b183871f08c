use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use serde_json::{Value, json};
use talaria_types::model::{ToolClass, ToolResult, ToolSpec};
use tokio_util::sync::CancellationToken;

use super::{MAX_OUTPUT, Toolbox};
use crate::Error;
use crate::tools::{Tool, ToolContext, ToolOutput};

/// Does what its input's `do` says.
struct Puppet {
    name: &'static str,
    schema: Value,
}

impl Puppet {
    fn boxed() -> Toolbox {
        let schema = json!({
            "type": "object",
            "properties": { "do": { "type": "string" }, "n": { "type": "integer", "minimum": 1 } },
            "required": ["do"],
            "additionalProperties": false
        });
        let mut toolbox = Toolbox::new();
        toolbox
            .add(Arc::new(Self {
                name: "puppet",
                schema,
            }))
            .unwrap();
        toolbox
    }
}

impl Tool for Puppet {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_owned(),
            description: String::new(),
            input_schema: self.schema.clone(),
        }
    }

    fn run(&self, input: Value, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        match input["do"].as_str() {
            Some("panic at once") => panic!("no future"),
            Some("panic later") => async { panic!("in the future") }.boxed(),
            Some("hang") => future::pending().boxed(),
            Some("much") => {
                let size = usize::try_from(input["n"].as_u64().unwrap()).unwrap();
                future::ready(ToolOutput::ok("ä".repeat(size))).boxed()
            }
            Some("nothing") => future::ready(ToolOutput::ok(" \n")).boxed(),
            Some("key") => future::ready(ToolOutput::ok(context.key)).boxed(),
            _ => future::ready(ToolOutput::error("failed")).boxed(),
        }
    }
}

fn context() -> ToolContext {
    ToolContext {
        key: "turn/0/1".to_owned(),
        cancel: CancellationToken::new(),
    }
}

async fn run(toolbox: &Toolbox, name: &str, input: Value) -> ToolResult {
    toolbox
        .run("toolu_1".to_owned(), name, input, context())
        .await
}

#[tokio::test]
async fn a_call_has_one_result_with_its_id() {
    let result = run(&Puppet::boxed(), "puppet", json!({ "do": "key" })).await;
    let content = "turn/0/1".to_owned();
    assert_eq!(
        result,
        ToolResult {
            tool_use_id: "toolu_1".to_owned(),
            content,
            is_error: false
        }
    );
    let result = run(&Puppet::boxed(), "puppet", json!({ "do": "fail" })).await;
    assert!(result.is_error && result.content == "failed");
}

#[tokio::test]
async fn an_unknown_tool_names_the_known_ones() {
    let toolbox = Toolbox::with_pure_tools(|| SystemTime::UNIX_EPOCH).unwrap();
    let result = run(&toolbox, "calc", json!({})).await;
    assert!(result.is_error);
    assert!(
        result.content.contains("calculator, current_time"),
        "{}",
        result.content
    );
    assert!(
        run(&Toolbox::new(), "x", json!({}))
            .await
            .content
            .contains("none")
    );
    assert_eq!(toolbox.class("calc"), ToolClass::Pure);
}

#[tokio::test]
async fn an_input_that_does_not_fit_is_not_run() {
    for (input, place) in [
        (json!({}), "do"),
        (json!({ "do": 1 }), "/do"),
        (json!({ "do": "panic at once", "n": 0 }), "/n"),
        (json!({ "do": "panic at once", "other": 1 }), "other"),
        (json!([]), "array"),
    ] {
        let result = run(&Puppet::boxed(), "puppet", input.clone()).await;
        assert!(result.is_error, "{input}");
        assert!(
            result.content.contains("did not run"),
            "{input}: {}",
            result.content
        );
        assert!(
            result.content.contains(place) || place == "array",
            "{input}: {}",
            result.content
        );
    }
    let long = json!({ "do": ["x".repeat(100_000)] });
    assert!(run(&Puppet::boxed(), "puppet", long).await.content.len() < 2000);
}

#[tokio::test]
async fn a_panic_is_a_result() {
    for how in ["panic at once", "panic later"] {
        let result = run(&Puppet::boxed(), "puppet", json!({ "do": how })).await;
        assert!(
            result.is_error && result.content.contains("internal error"),
            "{how}"
        );
        assert!(
            !result.content.contains("future"),
            "the panic's text is not for the model"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_ends_a_call() {
    let before = tokio::time::Instant::now();
    let result = run(&Puppet::boxed(), "puppet", json!({ "do": "hang" })).await;
    assert!(
        result.is_error && result.content.contains("60 s"),
        "{}",
        result.content
    );
    assert!(before.elapsed() >= Duration::from_secs(60));
}

#[tokio::test]
async fn cancel_ends_a_call() {
    let toolbox = Puppet::boxed();
    let context = context();
    let cancel = context.cancel.clone();
    let call = toolbox.run(
        "toolu_1".to_owned(),
        "puppet",
        json!({ "do": "hang" }),
        context.clone(),
    );
    let (result, ()) = future::join(call, async { cancel.cancel() }).await;
    assert!(
        result.is_error && result.content.contains("Cancelled while"),
        "{}",
        result.content
    );
    let result = toolbox
        .run(
            "toolu_1".to_owned(),
            "puppet",
            json!({ "do": "key" }),
            context,
        )
        .await;
    assert!(
        result.is_error && result.content.contains("before"),
        "{}",
        result.content
    );
}

#[tokio::test]
async fn output_is_bounded_and_never_empty() {
    let full = run(
        &Puppet::boxed(),
        "puppet",
        json!({ "do": "much", "n": MAX_OUTPUT / 2 }),
    )
    .await;
    assert_eq!(full.content.len(), MAX_OUTPUT);
    let cut = run(
        &Puppet::boxed(),
        "puppet",
        json!({ "do": "much", "n": MAX_OUTPUT }),
    )
    .await;
    assert!(cut.content.len() < MAX_OUTPUT + 100);
    assert!(
        cut.content
            .ends_with("[output cut: 65536 of 131072 bytes shown]")
    );
    let empty = run(&Puppet::boxed(), "puppet", json!({ "do": "nothing" })).await;
    assert_eq!(empty.content, "(no output)");
}

#[test]
fn the_defaults_are_the_careful_ones() {
    let toolbox = Puppet::boxed();
    assert_eq!(toolbox.class("puppet"), ToolClass::Effect);
    assert!(!toolbox.concurrency_safe("puppet"));
}

#[test]
fn names_and_schemas_are_checked_at_the_start() {
    let add = |name, schema| Puppet::boxed().add(Arc::new(Puppet { name, schema }));
    assert!(matches!(
        add("puppet", json!({})),
        Err(Error::DuplicateTool(_))
    ));
    assert!(matches!(add("a b", json!({})), Err(Error::ToolName(_))));
    assert!(matches!(add("", json!({})), Err(Error::ToolName(_))));
    assert!(matches!(
        add("x", json!({ "type": "nonsense" })),
        Err(Error::ToolSchema { .. })
    ));
    let remote = json!({ "$ref": "https://schemas.example/x.json" });
    assert!(
        matches!(add("x", remote), Err(Error::ToolSchema { .. })),
        "nothing is fetched"
    );
}

#[tokio::test]
async fn the_pure_tools_work_through_the_toolbox() {
    let toolbox = Toolbox::with_pure_tools(|| SystemTime::UNIX_EPOCH).unwrap();
    let names: Vec<String> = toolbox.specs().into_iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["calculator", "current_time"]);
    for name in names {
        assert_eq!(toolbox.class(&name), ToolClass::Pure);
        assert!(toolbox.concurrency_safe(&name));
    }
    let result = run(&toolbox, "calculator", json!({ "expression": "0.1+0.2" })).await;
    assert_eq!((result.content.as_str(), result.is_error), ("0.3", false));
    let result = run(&toolbox, "calculator", json!({ "expression": "1/0" })).await;
    assert_eq!(result.content, "Can't compute it: division by zero.");
    assert!(result.is_error);
    let result = run(&toolbox, "current_time", json!({ "timezone": "+01:00" })).await;
    assert_eq!(
        result.content,
        "1970-01-01T01:00:00+01:00, Thursday (UTC offset)"
    );
    assert!(
        run(&toolbox, "current_time", json!({ "zone": "x" }))
            .await
            .is_error
    );
}
