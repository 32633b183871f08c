//! The request's body. Messages API, "Create a message" and "Prompt caching". Pure.
//!
//! Field order is fixed and tools, system and messages stand in the order in which the provider's
//! cache reads them; so from step to step only the end of the body changes, and the marks that say
//! up to where to cache. Three of the four marks are used: the last tool, the system prompt, the
//! last message.

use serde::Serialize;
use serde_json::Value;
use talaria_types::model::{Block, Message, ModelRequest, ToolSpec, UserBlock};

use crate::history;

/// The body of a streaming request for `model`.
///
/// # Errors
/// None in practice: everything in a request is serialisable.
pub fn body(model: &str, request: &ModelRequest) -> Result<Vec<u8>, serde_json::Error> {
    let messages = history::repair(&request.messages);
    let last = messages.len().saturating_sub(1);
    let body = Body {
        model,
        max_tokens: request.max_tokens,
        stream: true,
        tools: tools(&request.tools),
        system: system(&request.system),
        messages: messages
            .iter()
            .enumerate()
            .map(|(i, m)| message(m, i == last))
            .collect(),
    };
    serde_json::to_vec(&body)
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<[Content<'a>; 1]>,
    messages: Vec<WireMessage<'a>>,
}

#[derive(Serialize)]
struct WireTool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: Vec<Content<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: &'a Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
}

/// The default kind, which the provider keeps for five minutes.
#[derive(Clone, Copy, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum CacheControl {
    Ephemeral,
}

fn tools(tools: &[ToolSpec]) -> Vec<WireTool<'_>> {
    let last = tools.len().saturating_sub(1);
    tools
        .iter()
        .enumerate()
        .map(|(i, tool)| WireTool {
            name: &tool.name,
            description: &tool.description,
            input_schema: &tool.input_schema,
            cache_control: (i == last).then_some(CacheControl::Ephemeral),
        })
        .collect()
}

fn system(text: &str) -> Option<[Content<'_>; 1]> {
    let cache_control = Some(CacheControl::Ephemeral);
    (!text.trim().is_empty()).then_some([Content::Text {
        text,
        cache_control,
    }])
}

fn message(message: &Message, marked: bool) -> WireMessage<'_> {
    let (role, mut content) = match message {
        Message::User { content } => ("user", content.iter().map(user_block).collect::<Vec<_>>()),
        Message::Assistant { content } => ("assistant", content.iter().map(block).collect()),
    };
    if marked {
        mark_last(&mut content);
    }
    WireMessage { role, content }
}

fn user_block(block: &UserBlock) -> Content<'_> {
    match block {
        UserBlock::Text { text } => Content::Text {
            text,
            cache_control: None,
        },
        UserBlock::ToolResult(result) => Content::ToolResult {
            tool_use_id: &result.tool_use_id,
            content: &result.content,
            is_error: result.is_error,
            cache_control: None,
        },
    }
}

fn block(block: &Block) -> Content<'_> {
    match block {
        Block::Text { text } => Content::Text {
            text,
            cache_control: None,
        },
        Block::Thinking {
            thinking,
            signature,
        } => Content::Thinking {
            thinking,
            signature,
        },
        Block::RedactedThinking { data } => Content::RedactedThinking { data },
        Block::ToolUse { id, name, input } => Content::ToolUse {
            id,
            name,
            input,
            cache_control: None,
        },
    }
}

/// Thinking can't carry a mark.
fn mark_last(content: &mut [Content<'_>]) {
    for block in content.iter_mut().rev() {
        match block {
            Content::Text { cache_control, .. }
            | Content::ToolUse { cache_control, .. }
            | Content::ToolResult { cache_control, .. } => {
                *cache_control = Some(CacheControl::Ephemeral);
                return;
            }
            Content::Thinking { .. } | Content::RedactedThinking { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests;
