use talaria_types::{Command, Content, Inbound, Sender};

use super::*;

every! { ends: End {
    End::Answered { .. } => End::Answered { turn: turn_id() },
    End::Merged { .. } => End::Merged { turn: turn_id() },
    End::Command => End::Command,
    End::Cancelled { .. } => End::Cancelled { reason: CancelReason::New },
    End::Expired => End::Expired,
}}

every! { cancel_reasons: CancelReason {
    CancelReason::Edited => CancelReason::Edited,
    CancelReason::Deleted => CancelReason::Deleted,
    CancelReason::New => CancelReason::New,
    CancelReason::Access => CancelReason::Access,
    CancelReason::Empty => CancelReason::Empty,
}}

every! { commands: Command {
    Command::Start => Command::Start,
    Command::New => Command::New,
    Command::Stop => Command::Stop,
    Command::Status => Command::Status,
    Command::Help => Command::Help,
}}

every! { contents: Content {
    Content::Text { .. } => Content::Text { text: "Hello \"you\"\n🦀".to_owned() },
    Content::Command { .. } => Content::Command { command: Command::New, args: String::new() },
    Content::Edit { .. } => Content::Edit { of: key("new:-100:41"), text: "better".to_owned() },
    Content::Press { .. } => Content::Press {
        data: "approve:1".to_owned(),
        interaction: "4382bfdwdsb323b2d9".to_owned(),
    },
    Content::Unsupported { .. } => Content::Unsupported { what: "sticker".to_owned() },
}}

fn inbound(content: Content, end: Option<End>) -> InboundRecord {
    InboundRecord {
        seq: SEQ,
        conversation: conversation(),
        accepted: AT,
        inbound: Inbound {
            key: key("new:-100:42"),
            aliases: Vec::new(),
            place: place(PlaceKind::Direct),
            sender: Sender {
                id: UserId::new("5001"),
                name: None,
                is_bot: false,
            },
            content,
            message: None,
            reply_to: None,
            sent: None,
        },
        end,
        unknown: Unknown::new(),
    }
}

pub(super) fn all() -> Vec<Example> {
    let hello = Content::Text {
        text: "hi".to_owned(),
    };
    let mut full = inbound(hello.clone(), Some(End::Answered { turn: turn_id() }));
    full.inbound = Inbound {
        aliases: vec![key("event:Ev1"), key("client:c-1")],
        place: place(PlaceKind::Group),
        message: Some(MessageId::new("42")),
        reply_to: Some(MessageId::new("40")),
        sent: Some(Wall(AT.0 - 900)),
        ..full.inbound
    };
    full.inbound.sender.name = Some("Ada".to_owned());
    let mut examples = vec![
        example("full", &full),
        example("minimal", &inbound(hello.clone(), None)),
    ];
    examples.extend(
        ends()
            .into_iter()
            .map(|end| example("end", &inbound(hello.clone(), Some(end)))),
    );
    examples.extend(cancel_reasons().into_iter().map(|reason| {
        let end = End::Cancelled { reason };
        example("cancelled", &inbound(hello.clone(), Some(end)))
    }));
    examples.extend(
        contents()
            .into_iter()
            .map(|content| example("content", &inbound(content, None))),
    );
    examples.extend(commands().into_iter().map(|command| {
        let args = "and go".to_owned();
        example(
            "command",
            &inbound(Content::Command { command, args }, None),
        )
    }));
    examples
}
