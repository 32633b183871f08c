//! What the model is asked and what tools are started.

use talaria_core::context::ToolTable;
use talaria_core::snapshot::scan_all;
use talaria_ledger::keys;
use talaria_ledger::records::{StepRecord, ToolRecord, ToolState, TurnRecord, TurnState};
use talaria_types::TurnId;
use talaria_types::model::{Block, Message, ModelRequest, ToolClass, UserBlock};

use super::super::model::Table;
use super::super::{Flow, World};
use super::{CRASHES, Said};
use crate::violation::{Promise, Violation};

impl World {
    /// A request to the model.
    pub(crate) fn check_ask(&mut self, turn: TurnId, number: u64, request: &ModelRequest) -> Flow {
        let Some(record): Option<TurnRecord> = self.get(&keys::turn(&self.account, turn))? else {
            return Err(self
                .fail(Promise::P5, format!("turn {turn} is not in the ledger"))
                .into());
        };
        if record.state != TurnState::Running {
            return Err(self
                .fail(Promise::P5, format!("turn {turn} is settled and asks"))
                .into());
        }
        let beside = self.process.as_ref().is_some_and(|process| {
            process
                .streams
                .iter()
                .any(|stream| stream.conversation == record.conversation)
        });
        if beside {
            return Err(self
                .fail(Promise::P2, "two requests of one conversation at once")
                .into());
        }
        for inbound in &record.inbounds {
            let token = inbound.text.clone();
            if token.trim().is_empty() {
                continue;
            }
            let known = *self.books.turn_of.entry(token.clone()).or_insert(turn);
            if known != turn {
                let detail = format!("{token:?} is asked by turn {known} and by turn {turn}");
                return Err(self.fail(Promise::P2, detail).into());
            }
        }
        history(request)?;
        self.journal_is_told(&record, request)?;
        self.tried(turn)?;
        self.books.current.insert(turn, number);
        self.books.asks.insert(number, Said::default());
        Ok(())
    }

    /// P5: whatever of the turn is journalled stands in the request, so it is not asked for again.
    fn journal_is_told(&self, turn: &TurnRecord, request: &ModelRequest) -> Flow {
        let steps = scan_all(&self.store, &keys::steps(&self.account, turn.id))
            .map_err(|error| self.fail(Promise::Ledger, error.to_string()))?;
        for (_, bytes) in steps {
            let step: StepRecord = self.read(&bytes)?;
            for block in &step.blocks {
                let known = matches!(block, Block::Text { text } if text.trim().is_empty())
                    || request.messages.iter().any(|message| match message {
                        Message::Assistant { content } => content.contains(block),
                        Message::User { .. } => false,
                    });
                if !known {
                    let detail = format!("turn {} asks without its step {}", turn.id, step.step);
                    return Err(self.fail(Promise::P5, detail).into());
                }
            }
        }
        Ok(())
    }

    /// P13: so many processes and no further.
    fn tried(&mut self, turn: TurnId) -> Flow {
        let count = |prefix: Vec<u8>| {
            scan_all(&self.store, &prefix)
                .map_err(|error| self.fail(Promise::Ledger, error.to_string()))
        };
        let steps = count(keys::steps(&self.account, turn))?.len();
        let tools = count(keys::tools(&self.account, turn))?;
        let mut finished = 0;
        for (_, bytes) in &tools {
            let tool: ToolRecord = self.read(bytes)?;
            finished += usize::from(matches!(tool.state, ToolState::Finished { .. }));
        }
        let (epoch, after_crash) = (self.books.epoch, self.books.after_crash);
        let tries = self
            .books
            .tries
            .entry((turn, steps + finished))
            .or_default();
        // A process that was asked to stop before is no crash.
        if tries.is_empty() || after_crash {
            tries.insert(epoch);
        }
        if tries.len() > CRASHES {
            let detail = format!("turn {turn}: {} processes tried the same", tries.len());
            return Err(self.fail(Promise::P13, detail).into());
        }
        Ok(())
    }

    /// A tool starts.
    pub(crate) fn check_tool(&mut self, turn: TurnId, step: u32, call: u32, name: &str) -> Flow {
        let key = keys::tool(&self.account, turn, step, call);
        let record: Option<ToolRecord> = self.get(&key)?;
        let Some(record) = record.filter(|r| matches!(r.state, ToolState::Started { .. })) else {
            let detail = format!("{name} of turn {turn} starts and is not journalled as started");
            return Err(self.fail(Promise::P5, detail).into());
        };
        if record.class != ToolClass::Pure && !self.books.started.insert((turn, step, call)) {
            let detail = format!("{name} of turn {turn} starts twice");
            return Err(self.fail(Promise::P5, detail).into());
        }
        let alone = self.process.as_ref().is_some_and(|process| {
            let concurrent = Table.traits_of(name).concurrent;
            process
                .tools
                .iter()
                .any(|tool| tool.turn == turn && !(tool.concurrent && concurrent))
        });
        if alone {
            let detail = format!("{name} of turn {turn} runs beside another");
            return Err(self.fail(Promise::P5, detail).into());
        }
        self.tried(turn)
    }
}

/// What a model server takes: it begins with a person's text, speakers take turns, and every tool
/// call has exactly one result, in the next message.
fn history(request: &ModelRequest) -> Result<(), Violation> {
    let broken = |what: &str| Err(Violation::new(Promise::History, what));
    let mut open: Vec<&str> = Vec::new();
    let mut last_user = false;
    for (index, message) in request.messages.iter().enumerate() {
        match message {
            Message::User { content } => {
                if last_user {
                    return broken("two user messages in a row");
                }
                if content.is_empty() {
                    return broken("an empty user message");
                }
                let mut results: Vec<&str> = content
                    .iter()
                    .filter_map(|block| match block {
                        UserBlock::ToolResult(result) => Some(result.tool_use_id.as_str()),
                        UserBlock::Text { .. } => None,
                    })
                    .collect();
                results.sort_unstable();
                open.sort_unstable();
                if results != open {
                    return broken("tool calls and results do not fit");
                }
                open.clear();
                last_user = true;
            }
            Message::Assistant { content } => {
                if index == 0 || !last_user {
                    return broken("an answer without a question");
                }
                if content.is_empty() {
                    return broken("an empty answer");
                }
                open = content
                    .iter()
                    .filter_map(|block| match block {
                        Block::ToolUse { id, .. } => Some(id.as_str()),
                        _ => None,
                    })
                    .collect();
                last_user = false;
            }
        }
    }
    if last_user {
        Ok(())
    } else {
        broken("it does not end with the user")
    }
}
