//! The stream's events, from server-sent events to [`StreamEvent`]s. Pure.
//!
//! Rules: blocks are tracked by the provider's index while they are open, and counted in the order
//! of their start; kinds of events, blocks and deltas that are not known here are left out; a tool
//! call is finished when its block closed, its input parsed to an object, and the response was not
//! cut off at it. The last is known only later, so a closed tool call waits until the model goes on
//! or the response ends.

mod block;
mod names;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use talaria_types::model::{Block, ModelErrorKind, StopReason, StreamEvent, Usage};

use super::classify;
use super::wire::{WireDelta, WireEvent, WireUsage};
use crate::sse::{SseEvent, SseParser};
pub use block::Partial;
use names::{cuts_off, is_foreign, stop_reason};

/// The most blocks of one response.
pub const MAX_BLOCKS: usize = 1024;

/// The most content of one response, in bytes.
pub const MAX_CONTENT: usize = 16 * 1024 * 1024;

/// Bytes in, stream events out: parser and decoder together.
#[derive(Debug, Default)]
pub struct StreamDecoder {
    parser: SseParser,
    decoder: Decoder,
    scratch: Vec<SseEvent>,
}

impl StreamDecoder {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the response's body.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<StreamEvent>) {
        if self.decoder.is_done() {
            return;
        }
        let fed = self.parser.feed(bytes, &mut self.scratch);
        for event in self.scratch.drain(..) {
            self.decoder.event(&event, out);
        }
        if let Err(error) = fed {
            self.decoder.fail(
                "protocol_error",
                ModelErrorKind::Protocol,
                &error.to_string(),
                out,
            );
        }
    }

    /// The body is over, or broke off for the reason `broke`.
    pub fn end(&mut self, broke: Option<&str>, out: &mut Vec<StreamEvent>) {
        if let Some(last) = std::mem::take(&mut self.parser).finish() {
            // A last event that is not whole JSON is the place of the cut, not a fault.
            if serde_json::from_str::<serde::de::IgnoredAny>(&last.data).is_ok() {
                self.decoder.event(&last, out);
            }
        }
        let detail = broke.unwrap_or("the stream ended early, without message_stop");
        self.decoder
            .fail("stream_incomplete", ModelErrorKind::Network, detail, out);
    }

    /// Whether `End` or `Failed` was given.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.decoder.is_done()
    }

    /// What there is to say beyond the events.
    #[must_use]
    pub fn into_summary(self) -> Summary {
        self.decoder.into_summary()
    }
}

/// What a stream was, beyond its events.
#[derive(Debug)]
pub struct Summary {
    /// The provider's end-of-message event came.
    pub ended: bool,
    pub stop_reason: Option<StopReason>,
    pub usage: Option<Usage>,
    /// Type (the provider's, or ours) and scrubbed message of the failure.
    pub error: Option<(String, String)>,
    /// The blocks that were started and not given as closed.
    pub unfinished: BTreeMap<usize, Partial>,
}

/// The decoder of one response.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The provider's index of each open block; no place for a block that is left out.
    open: BTreeMap<u64, Option<usize>>,
    /// Blocks not yet given as closed, by our index.
    partial: BTreeMap<usize, Partial>,
    /// Finished tool calls that wait for a sign that the response was not cut off at them.
    held: BTreeMap<usize, (Partial, Block)>,
    count: usize,
    content: usize,
    tool_ids: BTreeSet<String>,
    /// Why a closed tool call is no finished one.
    broken: Option<&'static str>,
    stop_reason: Option<StopReason>,
    usage: Option<Usage>,
    ended: bool,
    done: bool,
    error: Option<(String, String)>,
}

impl Decoder {
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Takes one event. Nothing comes out after `End` or `Failed`.
    pub fn event(&mut self, event: &SseEvent, out: &mut Vec<StreamEvent>) {
        if self.done || event.data == "[DONE]" {
            return;
        }
        match serde_json::from_str::<WireEvent<'_>>(&event.data) {
            Ok(wire) => {
                let kind = wire
                    .kind
                    .clone()
                    .unwrap_or_else(|| event.name.as_str().into());
                self.wire(&kind, wire, out);
            }
            Err(_) if event.name == "error" => {
                let error = Value::from_iter([("message", event.data.as_str())]);
                self.error_event(&error, out);
            }
            Err(_) if is_foreign(event) => {}
            // The error's own text may quote the content.
            Err(error) => {
                let detail = format!(
                    "an event of the stream is malformed (column {})",
                    error.column()
                );
                self.fail("protocol_error", ModelErrorKind::Protocol, &detail, out);
            }
        }
    }

    fn wire(&mut self, kind: &str, wire: WireEvent<'_>, out: &mut Vec<StreamEvent>) {
        match kind {
            "message_start" => self.add_usage(wire.message.and_then(|message| message.usage)),
            "content_block_start" => match (wire.index, wire.content_block) {
                (Some(index), Some(block)) => self.start(index, Partial::new(block), out),
                _ => self.incomplete_event(out),
            },
            "content_block_delta" => match (wire.index, wire.delta) {
                (Some(index), Some(delta)) => self.delta(index, &delta, out),
                _ => self.incomplete_event(out),
            },
            "content_block_stop" => match wire.index {
                Some(index) => self.stop(index, out),
                None => self.incomplete_event(out),
            },
            "message_delta" => {
                if let Some(reason) = wire.delta.and_then(|delta| delta.stop_reason) {
                    self.stop_reason = Some(stop_reason(&reason));
                }
                self.add_usage(wire.usage);
            }
            "message_stop" => self.message_stop(out),
            "error" => self.error_event(&wire.error.unwrap_or_default(), out),
            // Servers that stand between may send an error without its frame.
            "" if wire.error.is_some() => {
                self.error_event(&wire.error.unwrap_or_default(), out);
            }
            // `ping`, and kinds that came after this was written: the API says to skip them.
            _ => {}
        }
    }

    fn start(&mut self, index: u64, block: Option<Partial>, out: &mut Vec<StreamEvent>) {
        if self.open.contains_key(&index) {
            return self.protocol("a block was started twice", out);
        }
        self.release(out);
        let Some(block) = block else {
            self.open.insert(index, None);
            return;
        };
        if self.count >= MAX_BLOCKS {
            return self.protocol("the response has too many blocks", out);
        }
        let place = self.count;
        self.count += 1;
        self.open.insert(index, Some(place));
        if let Partial::Text(text) = &block
            && !text.is_empty()
        {
            out.push(StreamEvent::TextDelta {
                index: place,
                text: text.clone(),
            });
        }
        let len = block.len();
        self.partial.insert(place, block);
        self.grow(len, out);
    }

    fn delta(&mut self, index: u64, delta: &WireDelta<'_>, out: &mut Vec<StreamEvent>) {
        self.release(out);
        let kind = delta.kind.as_deref().unwrap_or_default();
        if !self.open.contains_key(&index) {
            // Text whose start got lost is still the answer; any other piece alone is worth nothing.
            if kind != "text_delta" {
                return;
            }
            self.start(index, Some(Partial::Text(String::new())), out);
        }
        let Some(place) = self.open.get(&index).copied().flatten() else {
            return;
        };
        let Some(block) = self.partial.get_mut(&place) else {
            return;
        };
        let added = block.push(kind, delta);
        if let (Partial::Text(_), Some(text)) = (&*block, &delta.text)
            && added > 0
        {
            out.push(StreamEvent::TextDelta {
                index: place,
                text: text.clone().into_owned(),
            });
        }
        self.grow(added, out);
    }

    fn stop(&mut self, index: u64, out: &mut Vec<StreamEvent>) {
        let Some(place) = self.open.remove(&index).flatten() else {
            return;
        };
        self.close(place, out);
    }

    fn close(&mut self, place: usize, out: &mut Vec<StreamEvent>) {
        let Some(partial) = self.partial.remove(&place) else {
            return;
        };
        match partial.finish() {
            Ok(block @ Block::ToolUse { .. }) => {
                if let Block::ToolUse { id, .. } = &block
                    && !self.tool_ids.insert(id.clone())
                {
                    self.broken = Some("two tool calls of the response have the same id");
                    self.partial.insert(place, partial);
                    return;
                }
                self.held.insert(place, (partial, block));
            }
            Ok(block) => out.push(StreamEvent::BlockStop {
                index: place,
                block,
            }),
            Err(why) => {
                self.broken = Some(why);
                self.partial.insert(place, partial);
            }
        }
    }

    fn message_stop(&mut self, out: &mut Vec<StreamEvent>) {
        self.ended = true;
        for place in std::mem::take(&mut self.open).into_values().flatten() {
            match self.partial.get(&place) {
                // Its end got lost; the text itself is all there.
                Some(Partial::Text(_)) => self.close(place, out),
                Some(Partial::Tool { .. }) => self.broken = Some("a tool call was never closed"),
                Some(Partial::Thinking { .. } | Partial::Redacted(_)) | None => {}
            }
        }
        let inferred = if self.tool_ids.is_empty() {
            StopReason::EndTurn
        } else {
            StopReason::ToolUse
        };
        let stop_reason = self.stop_reason.clone().unwrap_or(inferred);
        if !cuts_off(&stop_reason)
            && let Some(why) = self.broken
        {
            return self.fail("tool_input_invalid", ModelErrorKind::Protocol, why, out);
        }
        self.settle_held(out);
        self.done = true;
        out.push(StreamEvent::End {
            stop_reason,
            usage: self.usage.unwrap_or_default(),
        });
    }

    /// The model went on after the held calls: they are whole.
    fn release(&mut self, out: &mut Vec<StreamEvent>) {
        for (index, (_, block)) in std::mem::take(&mut self.held) {
            out.push(StreamEvent::BlockStop { index, block });
        }
    }

    /// The response is over: held calls are whole unless the stop reason says it was cut off.
    fn settle_held(&mut self, out: &mut Vec<StreamEvent>) {
        if self.stop_reason.as_ref().is_some_and(cuts_off) {
            let held = std::mem::take(&mut self.held);
            self.partial.extend(
                held.into_iter()
                    .map(|(place, (partial, _))| (place, partial)),
            );
        } else {
            self.release(out);
        }
    }

    fn add_usage(&mut self, wire: Option<WireUsage>) {
        let Some(wire) = wire else { return };
        let usage = self.usage.get_or_insert_default();
        // The counts are cumulative; some servers repeat a known one as 0.
        for (known, new) in [
            (&mut usage.input_tokens, wire.input_tokens),
            (&mut usage.output_tokens, wire.output_tokens),
            (&mut usage.cache_read_tokens, wire.cache_read_input_tokens),
            (
                &mut usage.cache_write_tokens,
                wire.cache_creation_input_tokens,
            ),
        ] {
            *known = (*known).max(new.unwrap_or(0));
        }
    }

    fn grow(&mut self, bytes: usize, out: &mut Vec<StreamEvent>) {
        self.content += bytes;
        if self.content > MAX_CONTENT {
            self.protocol("the response is too long", out);
        }
    }

    fn error_event(&mut self, error: &Value, out: &mut Vec<StreamEvent>) {
        let failure = classify::stream_error(error);
        let name = error.get("type").and_then(Value::as_str).unwrap_or("error");
        self.give_up(name, failure, out);
    }

    fn incomplete_event(&mut self, out: &mut Vec<StreamEvent>) {
        self.protocol("an event of the stream lacks its index or content", out);
    }

    fn protocol(&mut self, detail: &str, out: &mut Vec<StreamEvent>) {
        self.fail("protocol_error", ModelErrorKind::Protocol, detail, out);
    }

    fn fail(&mut self, name: &str, kind: ModelErrorKind, detail: &str, out: &mut Vec<StreamEvent>) {
        self.give_up(name, classify::failure(kind, detail), out);
    }

    fn give_up(
        &mut self,
        name: &str,
        failure: talaria_types::model::ModelError,
        out: &mut Vec<StreamEvent>,
    ) {
        if self.done {
            return;
        }
        self.settle_held(out);
        self.done = true;
        self.error = Some((talaria_types::secret::scrub(name), failure.detail.clone()));
        out.push(StreamEvent::Failed(failure));
    }

    fn into_summary(self) -> Summary {
        Summary {
            ended: self.ended,
            stop_reason: self.stop_reason,
            usage: self.usage,
            error: self.error,
            unfinished: self.partial,
        }
    }
}

#[cfg(test)]
mod tests;
