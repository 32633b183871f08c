//! One turn: the journal of its steps and tool calls, the response that is being read, and what
//! comes next. It decides; the conversation writes and asks.

mod messages;

use std::collections::BTreeMap;

use talaria_ledger::records::{InboundRecord, StepRecord, ToolRecord, ToolState, TurnRecord};
use talaria_types::model::{
    Block, ModelError, ModelErrorKind, StopReason, StreamEvent, ToolResult, Usage,
};
use talaria_types::{Mono, Now, TurnId};

pub(crate) use messages::{context_of, transcript_of};

use crate::context::{Context, ToolTable};
use crate::wording;

/// A turn that runs.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) record: TurnRecord,
    /// The inbounds as they were accepted: their ends are written when the turn settles (P0).
    pub(crate) accepted: Vec<InboundRecord>,
    pub(crate) steps: Vec<StepRecord>,
    pub(crate) tools: BTreeMap<(u32, u32), ToolRecord>,
    pub(crate) phase: Phase,
    /// When it began in this process.
    pub(crate) since: Mono,
    /// Numbers the requests, so that a late event of an earlier one is known.
    asks: u32,
    /// Failed requests for the current step.
    failures: u32,
    /// Older messages that a too long prompt made us leave out.
    pub(crate) left_out: usize,
    response: Response,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Restored and not yet continued, or between two steps.
    Paused,
    Asking,
    /// A request failed; the next one goes out then.
    Backoff {
        until: Mono,
    },
    Tools,
}

/// The response that is being read: uncommitted.
#[derive(Debug, Default)]
struct Response {
    text: BTreeMap<usize, String>,
    closed: BTreeMap<usize, Block>,
}

/// What a turn wants after an event.
#[derive(Debug)]
pub(crate) enum Step {
    /// Nothing but that the visible text may have grown.
    Grew,
    /// The event was of an earlier request.
    Stale,
    /// Journal the step, then run its tools or ask again.
    Journal(Box<StepRecord>),
    /// Journal the step and settle, in one commit.
    Finish(Box<StepRecord>),
    /// Ask again at that time.
    Retry(ModelError, Mono),
    /// The prompt is too long: ask again with less of the transcript.
    Shrink(ModelError),
    Fail(ModelError),
}

impl Turn {
    pub(crate) fn new(record: TurnRecord, now: Now) -> Self {
        Self {
            record,
            accepted: Vec::new(),
            steps: Vec::new(),
            tools: BTreeMap::new(),
            phase: Phase::Paused,
            since: now.mono,
            asks: 0,
            failures: 0,
            left_out: 0,
            response: Response::default(),
        }
    }

    /// P5: a turn continues from its journal.
    pub(crate) fn restore(
        record: TurnRecord,
        steps: Vec<StepRecord>,
        tools: Vec<ToolRecord>,
        now: Now,
    ) -> Self {
        let mut turn = Self::new(record, now);
        turn.steps = steps;
        turn.tools = tools
            .into_iter()
            .map(|tool| ((tool.step, tool.call), tool))
            .collect();
        turn
    }

    pub(crate) fn id(&self) -> TurnId {
        self.record.id
    }

    /// The number of the next request. Whatever an earlier one still says is stale.
    pub(crate) fn ask(&mut self) -> u32 {
        self.asks += 1;
        self.response = Response::default();
        self.phase = Phase::Asking;
        self.asks
    }

    pub(crate) fn next_step(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    /// A model event of the request `ask`.
    pub(crate) fn on_model(&mut self, ask: u32, event: StreamEvent, cx: &Context) -> Step {
        if ask != self.asks || self.phase != Phase::Asking {
            return Step::Stale;
        }
        match event {
            StreamEvent::TextDelta { index, text } => {
                self.response.text.entry(index).or_default().push_str(&text);
                Step::Grew
            }
            StreamEvent::BlockStop { index, block } => {
                if let Block::Text { text } = &block {
                    self.response.text.insert(index, text.clone());
                }
                self.response.closed.insert(index, block);
                Step::Grew
            }
            StreamEvent::End { stop_reason, usage } => self.ended(stop_reason, usage, cx),
            StreamEvent::Failed(error) => self.failed(error, cx),
        }
    }

    fn ended(&mut self, stop_reason: StopReason, usage: Usage, cx: &Context) -> Step {
        self.failures = 0;
        let more = self.calls_tools() || stop_reason == StopReason::PauseTurn;
        let step = Box::new(self.take_step(stop_reason, usage, cx));
        if more {
            Step::Journal(step)
        } else {
            Step::Finish(step)
        }
    }

    /// A stream that breaks after a tool call closed commits the closed blocks;
    /// one that breaks before is asked again.
    fn failed(&mut self, error: ModelError, cx: &Context) -> Step {
        if self.calls_tools() {
            return Step::Journal(Box::new(self.take_step(
                StopReason::Cut,
                Usage::default(),
                cx,
            )));
        }
        if error.kind == ModelErrorKind::TooLong {
            return Step::Shrink(error);
        }
        if !error.kind.is_transient() || self.failures >= cx.settings.max_retries {
            return Step::Fail(error);
        }
        self.failures += 1;
        let until = cx.now.mono + backoff(self.failures, error.retry_after, self.record.id.0.0);
        self.phase = Phase::Backoff { until };
        self.response = Response::default();
        Step::Retry(error, until)
    }

    fn calls_tools(&self) -> bool {
        self.response
            .closed
            .values()
            .any(|block| matches!(block, Block::ToolUse { .. }))
    }

    fn take_step(&mut self, stop_reason: StopReason, usage: Usage, cx: &Context) -> StepRecord {
        let response = std::mem::take(&mut self.response);
        self.phase = Phase::Paused;
        StepRecord {
            turn: self.record.id,
            step: self.next_step(),
            blocks: response.closed.into_values().collect(),
            stop_reason,
            usage,
            at: cx.now.wall,
            unknown: Default::default(),
        }
    }

    /// Takes a journalled step into the turn. The commit that makes it so also resets P13's count.
    pub(crate) fn journalled(&mut self, step: StepRecord) {
        let usage = &mut self.record.usage;
        usage.input_tokens += step.usage.input_tokens;
        usage.output_tokens += step.usage.output_tokens;
        usage.cache_read_tokens += step.usage.cache_read_tokens;
        usage.cache_write_tokens += step.usage.cache_write_tokens;
        self.record.continuations = 0;
        self.steps.push(step);
    }

    /// The tool calls of the last step, in order, with their numbers.
    pub(crate) fn calls(&self) -> Vec<(u32, &str, &str, &serde_json::Value)> {
        let blocks = self
            .steps
            .last()
            .map(|step| step.blocks.as_slice())
            .unwrap_or_default();
        (0u32..)
            .zip(blocks.iter().filter_map(|block| match block {
                Block::ToolUse { id, name, input } => Some((id.as_str(), name.as_str(), input)),
                Block::Text { .. } | Block::Thinking { .. } | Block::RedactedThinking { .. } => {
                    None
                }
            }))
            .map(|(call, (id, name, input))| (call, id, name, input))
            .collect()
    }

    /// The step whose tool calls are being made.
    pub(crate) fn current_step(&self) -> u32 {
        self.next_step().saturating_sub(1)
    }

    /// Which calls of the last step run next: several at once only where each may run beside
    /// others; none while any is running.
    pub(crate) fn next_calls(&self, table: &dyn ToolTable) -> Vec<u32> {
        let step = self.current_step();
        let mut batch = Vec::new();
        for (call, _, name, _) in self.calls() {
            match self.tools.get(&(step, call)).map(|tool| &tool.state) {
                Some(ToolState::Finished { .. }) => {}
                Some(ToolState::Started { .. }) => return Vec::new(),
                None if table.traits_of(name).concurrent => batch.push(call),
                None if batch.is_empty() => return vec![call],
                None => return batch,
            }
        }
        batch
    }

    /// Whether every call of the last step has its result.
    pub(crate) fn tools_done(&self) -> bool {
        let step = self.current_step();
        self.calls().iter().all(|(call, ..)| {
            self.tools
                .get(&(step, *call))
                .is_some_and(|tool| matches!(tool.state, ToolState::Finished { .. }))
        })
    }

    /// Calls that a crash left started: pure ones may run again, the outcome of the others is
    /// unknown for good (P5). Returns the records that change.
    pub(crate) fn settle_interrupted(&mut self, now: Now) -> Vec<ToolRecord> {
        use talaria_types::model::ToolClass;
        let mut changed = Vec::new();
        let mut again = Vec::new();
        for (key, tool) in &mut self.tools {
            if !matches!(tool.state, ToolState::Started { .. }) {
                continue;
            }
            match tool.class {
                ToolClass::Pure => again.push(*key),
                ToolClass::Keyed | ToolClass::Effect => {
                    tool.state = ToolState::Finished {
                        at: now.wall,
                        result: ToolResult {
                            tool_use_id: tool.tool_use_id.clone(),
                            content: wording::TOOL_UNKNOWN.to_owned(),
                            is_error: true,
                        },
                    };
                    changed.push(tool.clone());
                }
            }
        }
        for key in again {
            self.tools.remove(&key);
        }
        changed
    }

    /// Whether the last step still has work for tools.
    pub(crate) fn has_open_calls(&self) -> bool {
        !self.steps.is_empty() && !self.calls().is_empty() && !self.tools_done()
    }

    /// The text that people see: of the journalled steps, and of the response that is being read.
    /// Also returns how much of it is journalled.
    pub(crate) fn visible_text(&self) -> (String, usize) {
        let mut text = String::new();
        for step in &self.steps {
            let mut gap = true;
            for block in &step.blocks {
                match block {
                    Block::Text { text: more } => push_text(&mut text, more, gap),
                    Block::Thinking { .. } | Block::RedactedThinking { .. } => {}
                    Block::ToolUse { .. } => {}
                }
                gap = !matches!(block, Block::Text { .. });
            }
        }
        let journalled = text.len();
        let mut last = None;
        for (index, more) in &self.response.text {
            let gap = last.is_none_or(|last| last + 1 != *index);
            push_text(&mut text, more, gap);
            last = Some(*index);
        }
        (text, journalled)
    }
}

/// Appends `more`; with a blank line before it where another block or step stood between.
fn push_text(text: &mut String, more: &str, gap: bool) {
    if more.trim().is_empty() && text.is_empty() {
        return;
    }
    if gap && !text.is_empty() && !more.is_empty() {
        let end = text.trim_end().len();
        text.truncate(end);
        text.push_str("\n\n");
        text.push_str(more.trim_start_matches('\n'));
    } else {
        text.push_str(more);
    }
}

/// 1, 2, 4 ... 30 s, or what the provider asked for (at most 2 minutes), spread by up to a
/// quarter so that many turns don't ask again at once.
fn backoff(failures: u32, asked: Option<std::time::Duration>, seed: u64) -> std::time::Duration {
    use std::time::Duration;
    let base =
        Duration::from_secs(1 << failures.saturating_sub(1).min(5)).min(Duration::from_secs(30));
    let base = asked.map_or(base, |asked| {
        asked.clamp(Duration::from_millis(200), Duration::from_secs(120))
    });
    let spread = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let quarter = u64::try_from(base.as_millis()).unwrap_or(u64::MAX) / 4;
    base + Duration::from_millis(quarter.saturating_mul(spread) >> 24)
}

#[cfg(test)]
mod tests;
