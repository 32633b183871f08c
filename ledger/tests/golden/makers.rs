//! Records as the scene needs them.

use talaria_ledger::record::Unknown;
use talaria_ledger::records::*;
use talaria_types::model::{Block, StopReason, Usage};
use talaria_types::{
    AccountId, CallKind, ChatId, Content, ConversationId, Fence, Handle, Inbound, InboundKey,
    MessageId, Place, PlaceKind, PostId, Sender, Seq, ThreadId, TurnId, UserId, Wall,
};

use super::ACCOUNT;

/// When all of it happens.
pub(super) const AT: Wall = Wall(1_790_000_000_000);

pub(super) fn account() -> AccountId {
    AccountId::new(ACCOUNT)
}

pub(super) fn seq(epoch: u64, number: u64) -> Seq {
    Seq(epoch << 32 | number)
}

pub(super) fn direct() -> Place {
    Place {
        account: account(),
        kind: PlaceKind::Direct,
        chat: ChatId::new("7"),
        thread: None,
    }
}

pub(super) fn group() -> Place {
    Place {
        account: account(),
        kind: PlaceKind::Group,
        chat: ChatId::new("-100"),
        thread: Some(ThreadId::new("5")),
    }
}

pub(super) fn id_of(place: &Place) -> ConversationId {
    place.conversation(None)
}

pub(super) fn inbound(seq: Seq, place: Place, message: &str, content: Content) -> InboundRecord {
    InboundRecord {
        seq,
        conversation: id_of(&place),
        accepted: AT,
        inbound: Inbound {
            key: InboundKey::new(format!("new:{}:{message}", place.chat)),
            aliases: Vec::new(),
            place,
            sender: Sender {
                id: UserId::new("5001"),
                name: Some("Ada 🦀".to_owned()),
                is_bot: false,
            },
            content,
            message: Some(MessageId::new(message)),
            reply_to: None,
            sent: Some(Wall(AT.0 - 700)),
        },
        end: None,
        unknown: Unknown::new(),
    }
}

pub(super) fn text(text: &str) -> Content {
    Content::Text {
        text: text.to_owned(),
    }
}

pub(super) fn turn_of(record: &InboundRecord, reply: u64) -> TurnRecord {
    let Content::Text { text } = &record.inbound.content else {
        panic!("{record:?}")
    };
    TurnRecord {
        id: TurnId(record.seq),
        conversation: record.conversation.clone(),
        place: record.inbound.place.clone(),
        generation: 1,
        reply,
        inbounds: vec![FrozenInbound {
            seq: record.seq,
            key: record.inbound.key.clone(),
            sender: record.inbound.sender.id.clone(),
            message: record.inbound.message.clone(),
            text: text.clone(),
        }],
        started: AT,
        state: TurnState::Running,
        continuations: 0,
        usage: Usage::default(),
        unknown: Unknown::new(),
    }
}

pub(super) fn session(place: Place, entries: u64, replies: u64) -> SessionRecord {
    SessionRecord {
        place,
        generation: 1,
        entries,
        replies,
        updated: AT,
        unknown: Unknown::new(),
    }
}

pub(super) fn step_of(turn: TurnId, blocks: Vec<Block>, stop_reason: StopReason) -> StepRecord {
    StepRecord {
        turn,
        step: 0,
        blocks,
        stop_reason,
        usage: Usage {
            input_tokens: 120,
            output_tokens: 30,
            cache_read_tokens: 100,
            cache_write_tokens: 0,
        },
        at: AT,
        unknown: Unknown::new(),
    }
}

pub(super) fn post(turn: &TurnRecord, ordinal: u16) -> PostRecord {
    let id = PostId {
        origin: turn.id.0,
        ordinal,
    };
    let (conversation, place) = (turn.conversation.clone(), turn.place.clone());
    let kind = PostKind::Answer;
    let mut post = PostRecord::new(id, conversation, place, kind, turn.reply, Wanted::Live, AT);
    post.reply_to = turn.inbounds[0].message.clone();
    post
}

pub(super) fn attempt(number: u64, call: CallKind, rev: Rev) -> Attempt {
    Attempt {
        fence: Fence { epoch: 1, number },
        call,
        rev,
        lower_bound: Some(MessageId::new("42")),
        body_hash: Some("cbf29ce484222325".to_owned()),
        target: None,
        at: AT,
    }
}

pub(super) fn here(chat: &str, message: &str, rev: Rev) -> Known {
    Known::Here {
        handle: Handle {
            chat: ChatId::new(chat),
            message: MessageId::new(message),
        },
        phase: Phase::Closed,
        rev,
    }
}
