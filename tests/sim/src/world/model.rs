//! The model and the tools, as scripts.

use serde_json::json;
use talaria_core::context::{ToolTable, ToolTraits};
use talaria_types::model::{
    Block, ModelError, ModelErrorKind, StopReason, StreamEvent, ToolClass, Usage,
};
use talaria_types::{ConversationId, TurnId};

use crate::step::ModelAct;

/// The world's tools, by name.
pub(crate) const TOOLS: [&str; 4] = ["look", "look_beside", "send", "pay"];

pub(crate) struct Table;

impl ToolTable for Table {
    fn traits_of(&self, name: &str) -> ToolTraits {
        match name {
            "look" => ToolTraits {
                class: ToolClass::Pure,
                concurrent: false,
            },
            "look_beside" => ToolTraits {
                class: ToolClass::Pure,
                concurrent: true,
            },
            "send" => ToolTraits {
                class: ToolClass::Keyed,
                concurrent: true,
            },
            _ => ToolTraits::CAREFUL,
        }
    }
}

/// A response that is being streamed.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) conversation: ConversationId,
    pub(crate) turn: TurnId,
    pub(crate) ask: u32,
    /// Unique in the world: the words of its text begin with it.
    pub(crate) number: u64,
    pub(crate) closed: Vec<Block>,
    text: Option<String>,
    words: u32,
    calls: u32,
    pub(crate) over: bool,
}

impl Stream {
    pub(crate) fn new(conversation: ConversationId, turn: TurnId, ask: u32, number: u64) -> Self {
        Self {
            conversation,
            turn,
            ask,
            number,
            closed: Vec::new(),
            text: None,
            words: 0,
            calls: 0,
            over: false,
        }
    }

    /// What the stream says for an act.
    pub(crate) fn act(&mut self, act: ModelAct) -> Vec<StreamEvent> {
        match act {
            ModelAct::Words { count } => vec![self.say(count)],
            ModelAct::Thinking => {
                let mut events = self.close_text();
                let block = Block::Thinking {
                    thinking: "hm".to_owned(),
                    signature: format!("s{}", self.number),
                };
                events.push(self.close(block));
                events
            }
            ModelAct::Tool { tool } => {
                let mut events = self.close_text();
                let name = TOOLS
                    .get(usize::from(tool) % TOOLS.len())
                    .copied()
                    .unwrap_or("pay");
                let block = Block::ToolUse {
                    id: format!("c{}.{}", self.number, self.calls),
                    name: name.to_owned(),
                    input: json!({ "of": self.number }),
                };
                self.calls += 1;
                events.push(self.close(block));
                events
            }
            ModelAct::End => self.end(StopReason::EndTurn),
            ModelAct::MaxTokens => self.end(StopReason::MaxTokens),
            ModelAct::Cut => self.fail(ModelErrorKind::Network),
            ModelAct::Overloaded => self.fail(ModelErrorKind::Overloaded),
            ModelAct::Invalid => self.fail(ModelErrorKind::Invalid),
            ModelAct::TooLong => self.fail(ModelErrorKind::TooLong),
        }
    }

    fn say(&mut self, count: u8) -> StreamEvent {
        let mut more = String::new();
        for _ in 0..count.max(1) {
            more.push_str(&format!("a{}w{} ", self.number, self.words));
            self.words += 1;
        }
        self.text.get_or_insert_default().push_str(&more);
        StreamEvent::TextDelta {
            index: self.closed.len(),
            text: more,
        }
    }

    fn close_text(&mut self) -> Vec<StreamEvent> {
        match self.text.take() {
            Some(text) => vec![self.close(Block::Text { text })],
            None => Vec::new(),
        }
    }

    fn close(&mut self, block: Block) -> StreamEvent {
        let index = self.closed.len();
        self.closed.push(block.clone());
        StreamEvent::BlockStop { index, block }
    }

    fn end(&mut self, stop: StopReason) -> Vec<StreamEvent> {
        let mut events = self.close_text();
        let stop_reason = if self.calls > 0 && stop == StopReason::EndTurn {
            StopReason::ToolUse
        } else {
            stop
        };
        events.push(StreamEvent::End {
            stop_reason,
            usage: Usage::default(),
        });
        self.over = true;
        events
    }

    fn fail(&mut self, kind: ModelErrorKind) -> Vec<StreamEvent> {
        self.over = true;
        vec![StreamEvent::Failed(ModelError {
            kind,
            retry_after: None,
            detail: "scripted".to_owned(),
        })]
    }
}

/// The visible text of blocks, without white space.
pub(crate) fn bare_text(blocks: &[Block]) -> String {
    let mut bare = String::new();
    for block in blocks {
        if let Block::Text { text } = block {
            bare.extend(text.split_whitespace());
        }
    }
    bare
}

/// A tool call that runs.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    pub(crate) conversation: ConversationId,
    pub(crate) turn: TurnId,
    pub(crate) step: u32,
    pub(crate) call: u32,
    pub(crate) tool_use_id: String,
    pub(crate) concurrent: bool,
}
