use talaria_types::model::{
    Block, Message, ModelErrorKind, StopReason, ToolClass, ToolResult, Usage, UserBlock,
};

use super::*;

every! { blocks: Block {
    Block::Text { .. } => Block::Text { text: "Let me look.".to_owned() },
    Block::Thinking { .. } => Block::Thinking {
        thinking: "hm".to_owned(),
        signature: "EqQB".to_owned(),
    },
    Block::RedactedThinking { .. } => Block::RedactedThinking { data: "EmwK".to_owned() },
    Block::ToolUse { .. } => Block::ToolUse {
        id: "toolu_01".to_owned(),
        name: "current_time".to_owned(),
        input: serde_json::json!({ "zone": "UTC", "v": 1, "at": [0.1, -3, null] }),
    },
}}

fn result() -> ToolResult {
    ToolResult {
        tool_use_id: "toolu_01".to_owned(),
        content: "12:00".to_owned(),
        is_error: false,
    }
}

every! { user_blocks: UserBlock {
    UserBlock::Text { .. } => UserBlock::Text { text: "hi".to_owned() },
    UserBlock::ToolResult(_) => UserBlock::ToolResult(result()),
}}

every! { messages: Message {
    Message::User { .. } => Message::User { content: user_blocks() },
    Message::Assistant { .. } => Message::Assistant { content: blocks() },
}}

fn entries() -> Vec<Example> {
    let entry = |message| EntryRecord {
        turn: turn_id(),
        at: AT,
        message,
        unknown: Unknown::new(),
    };
    let mut examples: Vec<Example> = messages()
        .into_iter()
        .map(|message| example("full", &entry(message)))
        .collect();
    examples.push(example(
        "minimal",
        &entry(Message::User { content: vec![] }),
    ));
    examples
}

every! { model_errors: ModelErrorKind {
    ModelErrorKind::Network => ModelErrorKind::Network,
    ModelErrorKind::Overloaded => ModelErrorKind::Overloaded,
    ModelErrorKind::RateLimited => ModelErrorKind::RateLimited,
    ModelErrorKind::Server => ModelErrorKind::Server,
    ModelErrorKind::Auth => ModelErrorKind::Auth,
    ModelErrorKind::Billing => ModelErrorKind::Billing,
    ModelErrorKind::TooLong => ModelErrorKind::TooLong,
    ModelErrorKind::Invalid => ModelErrorKind::Invalid,
    ModelErrorKind::Protocol => ModelErrorKind::Protocol,
}}

every! { outcomes: Outcome {
    Outcome::Finished => Outcome::Finished,
    Outcome::Stopped => Outcome::Stopped,
    Outcome::Failed { .. } => Outcome::Failed { error: ModelErrorKind::Overloaded },
    Outcome::GivenUp => Outcome::GivenUp,
    Outcome::Superseded => Outcome::Superseded,
}}

every! { turn_states: TurnState {
    TurnState::Running => TurnState::Running,
    TurnState::Settled { .. } => TurnState::Settled { outcome: Outcome::Finished, at: AT },
}}

fn usage() -> Usage {
    Usage {
        input_tokens: 100,
        output_tokens: 20,
        cache_read_tokens: 3,
        cache_write_tokens: 4,
    }
}

fn turns() -> Vec<Example> {
    let frozen = |message: Option<&str>| FrozenInbound {
        seq: SEQ,
        key: key("new:-100:42"),
        sender: UserId::new("5001"),
        message: message.map(MessageId::new),
        text: "hi".to_owned(),
    };
    let minimal = TurnRecord {
        id: turn_id(),
        conversation: conversation(),
        place: place(PlaceKind::Direct),
        generation: 0,
        reply: 1,
        inbounds: vec![frozen(None)],
        started: AT,
        state: TurnState::Running,
        continuations: 0,
        usage: Usage::default(),
        unknown: Unknown::new(),
    };
    let full = TurnRecord {
        place: place(PlaceKind::Group),
        generation: 2,
        reply: 9,
        inbounds: vec![frozen(Some("42")), frozen(Some("43"))],
        continuations: 2,
        usage: usage(),
        ..minimal.clone()
    };
    let mut examples = vec![example("full", &full), example("minimal", &minimal)];
    let mut states = turn_states();
    let settled = |outcome| TurnState::Settled { outcome, at: AT };
    states.extend(outcomes().into_iter().map(settled));
    let failed = |error| settled(Outcome::Failed { error });
    states.extend(model_errors().into_iter().map(failed));
    examples.extend(states.into_iter().map(|state| {
        let record = TurnRecord {
            state,
            ..minimal.clone()
        };
        example("state", &record)
    }));
    examples
}

every! { stop_reasons: StopReason {
    StopReason::EndTurn => StopReason::EndTurn,
    StopReason::ToolUse => StopReason::ToolUse,
    StopReason::MaxTokens => StopReason::MaxTokens,
    StopReason::StopSequence => StopReason::StopSequence,
    StopReason::PauseTurn => StopReason::PauseTurn,
    StopReason::Refusal => StopReason::Refusal,
    StopReason::Cut => StopReason::Cut,
    StopReason::Other(_) => StopReason::Other("model_context_window_exceeded".to_owned()),
}}

fn steps() -> Vec<Example> {
    let step = |blocks, stop_reason, usage| StepRecord {
        turn: turn_id(),
        step: 1,
        blocks,
        stop_reason,
        usage,
        at: AT,
        unknown: Unknown::new(),
    };
    let full = step(blocks(), StopReason::ToolUse, usage());
    let mut examples = vec![example("full", &full)];
    examples.extend(
        stop_reasons()
            .into_iter()
            .map(|reason| example("minimal", &step(Vec::new(), reason, Usage::default()))),
    );
    examples
}

every! { tool_classes: ToolClass {
    ToolClass::Pure => ToolClass::Pure,
    ToolClass::Keyed => ToolClass::Keyed,
    ToolClass::Effect => ToolClass::Effect,
}}

every! { tool_states: ToolState {
    ToolState::Started { .. } => ToolState::Started { at: AT },
    ToolState::Finished { .. } => ToolState::Finished { at: AT, result: result() },
}}

fn tools() -> Vec<Example> {
    let mut examples = Vec::new();
    for class in tool_classes() {
        for (state, name) in tool_states().into_iter().zip(["minimal", "full"]) {
            let record = ToolRecord {
                turn: turn_id(),
                step: 1,
                call: 2,
                tool_use_id: "toolu_01".to_owned(),
                name: "current_time".to_owned(),
                class,
                state,
                unknown: Unknown::new(),
            };
            examples.push(example(name, &record));
        }
    }
    examples
}

pub(super) fn all() -> Vec<Example> {
    [entries(), turns(), steps(), tools()].concat()
}
