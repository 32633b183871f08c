//! Step 5 of the path: what the turn machine asks of models and tools, carried out.

use std::sync::Arc;

use futures::StreamExt;
use talaria_agent::{Model, ToolContext, Toolbox};
use talaria_core::context::{ToolTable, ToolTraits};
use talaria_core::io::Input;
use talaria_types::TurnId;
use talaria_types::model::{ModelError, ModelErrorKind, ModelRequest, StreamEvent, ToolResult};
use tokio_util::sync::CancellationToken;

use crate::mailbox::Mailbox;
use crate::supervise::{self, Ended};

/// The model and the tools of one agent.
#[derive(Clone)]
pub struct Agent {
    pub model: Arc<dyn Model>,
    pub toolbox: Arc<Toolbox>,
}

impl ToolTable for Agent {
    fn traits_of(&self, name: &str) -> ToolTraits {
        ToolTraits {
            class: self.toolbox.class(name),
            concurrent: self.toolbox.concurrency_safe(name),
        }
    }
}

impl Agent {
    /// Asks the model. Every event goes to the mailbox with the request's number; exactly one end
    /// does, whatever happens.
    pub fn ask(
        &self,
        turn: TurnId,
        ask: u32,
        request: ModelRequest,
        mailbox: Mailbox,
        cancel: CancellationToken,
    ) {
        let model = Arc::clone(&self.model);
        let reader = mailbox.clone();
        let reading = supervise::spawn("model", async move {
            let mut stream = model.ask(request);
            loop {
                let event = tokio::select! {
                    biased;
                    () = cancel.cancelled() => return true,
                    event = stream.next() => event,
                };
                let Some(event) = event else { return false };
                let last = matches!(event, StreamEvent::End { .. } | StreamEvent::Failed(_));
                if reader
                    .send(Input::Model { turn, ask, event })
                    .await
                    .is_err()
                    || last
                {
                    return true;
                }
            }
        });
        supervise::spawn("model end", async move {
            if matches!(reading.await, Ok(Ended::Done(true))) {
                return;
            }
            let error = ModelError {
                kind: ModelErrorKind::Protocol,
                retry_after: None,
                detail: "the model stream stopped without an end".to_owned(),
            };
            let event = StreamEvent::Failed(error);
            let _closed = mailbox.send(Input::Model { turn, ask, event }).await;
        });
    }

    /// Runs a tool call. Its result goes to the mailbox, whatever the tool does.
    pub fn run_tool(&self, call: ToolCall, mailbox: Mailbox, cancel: CancellationToken) {
        let toolbox = Arc::clone(&self.toolbox);
        let ToolCall {
            turn,
            step,
            call,
            tool_use_id,
            name,
            input,
        } = call;
        let id = tool_use_id.clone();
        let running = supervise::spawn("tool", async move {
            let context = ToolContext {
                key: format!("{turn}/{step}/{call}"),
                cancel,
            };
            toolbox.run(tool_use_id, &name, input, context).await
        });
        supervise::spawn("tool end", async move {
            let result = match running.await {
                Ok(Ended::Done(result)) => result,
                Ok(Ended::Panicked) | Err(_) => ToolResult {
                    tool_use_id: id,
                    content: "The tool failed with an internal error. Its effect is unknown."
                        .to_owned(),
                    is_error: true,
                },
            };
            let _closed = mailbox
                .send(Input::ToolDone {
                    turn,
                    step,
                    call,
                    result,
                })
                .await;
        });
    }
}

/// One tool call of a turn.
#[derive(Debug)]
pub struct ToolCall {
    pub turn: TurnId,
    pub step: u32,
    pub call: u32,
    pub tool_use_id: String,
    pub name: String,
    pub input: serde_json::Value,
}
