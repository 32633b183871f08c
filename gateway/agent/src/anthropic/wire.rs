//! The stream's JSON as it comes (Messages API, "Streaming messages"). One loose shape for all
//! events: fields that a kind does not have are absent, unknown fields are skipped.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct WireEvent<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Cow<'a, str>>,
    pub(super) index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) content_block: Option<WireBlock<'a>>,
    #[serde(borrow, default)]
    pub(super) delta: Option<WireDelta<'a>>,
    pub(super) message: Option<WireMessage>,
    pub(super) usage: Option<WireUsage>,
    pub(super) error: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct WireBlock<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) data: Option<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) input: Option<Value>,
}

/// The delta of a block, or of the message (then only `stop_reason` is set).
#[derive(Debug, Deserialize)]
pub(super) struct WireDelta<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) thinking: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) signature: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) partial_json: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) stop_reason: Option<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct WireMessage {
    pub(super) usage: Option<WireUsage>,
}

#[derive(Debug, Deserialize)]
pub(super) struct WireUsage {
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) cache_read_input_tokens: Option<u64>,
    pub(super) cache_creation_input_tokens: Option<u64>,
}

/// What an event that does not fit [`WireEvent`] is, so that a kind that we don't know is skipped
/// whatever it holds. None: it is not even JSON with a type.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Kinds {
    #[serde(default, rename = "type")]
    pub(super) event: String,
    #[serde(default)]
    content_block: Value,
    #[serde(default)]
    delta: Value,
}

impl Kinds {
    pub(super) fn of(data: &str) -> Option<Self> {
        serde_json::from_str(data).ok()
    }

    pub(super) fn block(&self) -> Option<&str> {
        self.content_block.get("type").and_then(Value::as_str)
    }

    pub(super) fn delta(&self) -> Option<&str> {
        self.delta.get("type").and_then(Value::as_str)
    }
}
