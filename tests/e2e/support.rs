//! What every scenario here uses.

use std::time::Duration;

use serde_json::Value;
use talaria_emulators::telegram::CallLog;
use talaria_harness::{Rig, Setup, within};

/// One user's ordinary wait for an answer, on a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(60);
/// Every test's end, unless it says another.
const LIMIT: Duration = Duration::from_secs(180);

/// The gateway of this build, in the usual setup.
pub(crate) fn setup() -> Setup {
    Setup::new(env!("CARGO_BIN_EXE_talaria"))
}

/// Runs a test with a gateway that is up.
pub(crate) fn with_gateway(test: impl AsyncFnOnce(&mut Rig)) {
    with_gateway_in(setup(), test);
}

/// Runs a test with a gateway that is up in this setup.
pub(crate) fn with_gateway_in(setup: Setup, test: impl AsyncFnOnce(&mut Rig)) {
    with(setup, async |rig: &mut Rig| {
        rig.start().await;
        test(rig).await;
    });
}

/// Runs a test in this setup; the gateway is not started.
pub(crate) fn with(setup: Setup, test: impl AsyncFnOnce(&mut Rig)) {
    within(LIMIT, |deadline| async move {
        let mut rig = Rig::new(setup, &deadline).await;
        test(&mut rig).await;
    });
}

/// A case: what is given and what is expected, from its data file.
pub(crate) struct Case {
    pub(crate) given: Value,
    pub(crate) then: Value,
}

impl Case {
    pub(crate) fn read(text: &str) -> Self {
        let mut case: Value = serde_json::from_str(text).expect("a case");
        Self {
            given: case["given"].take(),
            then: case["then"].take(),
        }
    }
}

/// The case with this id.
macro_rules! case {
    ($id:literal) => {
        crate::support::Case::read(include_str!(concat!("cases/", $id, ".json")))
    };
}
pub(crate) use case;

/// A text of a case.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The platform calls of a method, in order.
pub(crate) fn calls(rig: &Rig, method: &str) -> Vec<CallLog> {
    let mut calls = rig.telegram().calls();
    calls.retain(|call| call.method == method);
    calls
}

/// Waits until the condition holds, looking again whenever the platform or the model changed.
pub(crate) async fn until(rig: &Rig, what: &str, mut holds: impl FnMut(&Rig) -> bool) {
    let found = rig.telegram().wait_until(SOON, |_| holds(rig)).await;
    assert!(found, "not within {SOON:?}: {what}\n{}", rig.log().text());
}

/// Every message text that a model request carries, with its role.
pub(crate) fn dialogue(request: &Value) -> Vec<(String, String)> {
    let mut said = Vec::new();
    for message in request["messages"].as_array().expect("messages") {
        let role = text(&message["role"]).to_owned();
        match &message["content"] {
            Value::String(content) => said.push((role, content.clone())),
            Value::Array(blocks) => {
                let texts = blocks.iter().filter_map(|block| block["text"].as_str());
                said.extend(texts.map(|content| (role.clone(), content.to_owned())));
            }
            other => panic!("no content: {other}"),
        }
    }
    said
}
