//! What the unit tests of the machines share: surroundings, records, a renderer.

use std::time::Duration;

use talaria_ledger::records::{InboundRecord, PostRecord, TurnRecord, TurnState};
use talaria_types::model::ToolClass;
use talaria_types::{
    AccountId, Body, Capabilities, ChatId, Content, CreateClass, Inbound, InboundKey, MessageId,
    Mono, Now, Part, Place, PlaceKind, RemoveClass, RenderStage, Renderer, Sender, Seq, TextUnit,
    TurnId, UpdateClass, UserId, Wall,
};

use crate::context::{Access, Context, Settings, ToolTable, ToolTraits};
use crate::io::Effect;

pub(crate) const BEGIN: u64 = 1_800_000_000_000;

/// Ten bytes a part; a label of `!`.
pub(crate) struct Tens;

impl Renderer for Tens {
    fn render(&self, markdown: &str, _: RenderStage, frozen: &[usize]) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut start = 0;
        let mut ends: Vec<usize> = frozen.to_vec();
        let mut end = ends.last().copied().unwrap_or(0);
        while end < markdown.len() {
            end = (end + 10).min(markdown.len());
            ends.push(end);
        }
        for source_end in ends {
            let body = Body::plain(markdown.get(start..source_end).unwrap_or_default());
            parts.push(Part { body, source_end });
            start = source_end;
        }
        parts.retain(|part| !part.body.text.trim().is_empty());
        parts
    }
    fn plainer(&self, body: &Body) -> Body {
        Body::plain(format!("plain {}", body.text))
    }
    fn labelled(&self, body: &Body) -> Body {
        Body::plain(format!("! {}", body.text))
    }
}

pub(crate) struct Everybody;

impl Access for Everybody {
    fn allowed(&self, _: &Place, user: &UserId) -> bool {
        user.as_str() != "stranger"
    }
}

/// `look*` is pure, `*_beside` runs beside others; the rest is as careful as can be.
pub(crate) struct Names;

impl ToolTable for Names {
    fn traits_of(&self, name: &str) -> ToolTraits {
        ToolTraits {
            class: if name.starts_with("look") {
                ToolClass::Pure
            } else {
                ToolClass::Effect
            },
            concurrent: name.ends_with("_beside"),
        }
    }
}

/// Surroundings that a test changes as it goes.
pub(crate) struct Around {
    pub(crate) now: Mono,
    pub(crate) capabilities: Capabilities,
    pub(crate) settings: Settings,
}

impl Around {
    pub(crate) fn new() -> Self {
        Self {
            now: Mono(0),
            capabilities: Capabilities {
                create: CreateClass::Blind,
                update: UpdateClass::Replace,
                remove: RemoveClass::Yes,
                text_limit: 100,
                text_unit: TextUnit::Utf16,
                life: None,
                typing_ttl: None,
                drafts: true,
                buttons: false,
                limits: Vec::new(),
            },
            settings: Settings {
                max_retries: 1,
                ..Settings::default()
            },
        }
    }

    pub(crate) fn later(&mut self, seconds: u64) {
        self.now = self.now + Duration::from_secs(seconds);
    }

    pub(crate) fn cx(&self) -> Context<'_> {
        Context {
            now: Now {
                mono: self.now,
                wall: Wall(BEGIN + self.now.0 / 1000),
            },
            capabilities: &self.capabilities,
            renderer: &Tens,
            access: &Everybody,
            tools: &Names,
            settings: &self.settings,
        }
    }
}

pub(crate) fn account() -> AccountId {
    AccountId::new("test:1")
}

pub(crate) fn place() -> Place {
    Place {
        account: account(),
        kind: PlaceKind::Direct,
        chat: ChatId::new("c"),
        thread: None,
    }
}

pub(crate) fn inbound(number: u64, content: Content) -> Inbound {
    Inbound {
        key: InboundKey::new(format!("new:{number}")),
        aliases: vec![InboundKey::new(format!("alias:{number}"))],
        place: place(),
        sender: Sender {
            id: UserId::new("u"),
            name: None,
            is_bot: false,
        },
        content,
        message: Some(MessageId::new(number.to_string())),
        reply_to: None,
        sent: None,
    }
}

pub(crate) fn text(number: u64, text: &str) -> Inbound {
    let content = Content::Text {
        text: text.to_owned(),
    };
    inbound(number, content)
}

pub(crate) fn accepted(number: u64, inbound: Inbound) -> InboundRecord {
    InboundRecord {
        seq: Seq(number),
        conversation: inbound.place.conversation(None),
        accepted: Wall(BEGIN),
        inbound,
        end: None,
        unknown: Default::default(),
    }
}

pub(crate) fn turn_record(number: u64) -> TurnRecord {
    TurnRecord {
        id: TurnId(Seq(number)),
        conversation: place().conversation(None),
        place: place(),
        generation: 0,
        reply: 1,
        inbounds: vec![crate::session::freeze(&accepted(
            number,
            text(number, "hello"),
        ))],
        started: Wall(BEGIN),
        state: TurnState::Running,
        continuations: 0,
        usage: Default::default(),
        unknown: Default::default(),
    }
}

/// The posts that a list of effects writes, in order.
pub(crate) fn written(effects: &[Effect]) -> Vec<PostRecord> {
    let puts = effects.iter().filter_map(|effect| match effect {
        Effect::Commit { changes, .. } => Some(&changes.puts),
        _ => None,
    });
    puts.flatten()
        .filter_map(|(_, value)| talaria_ledger::record::decode(value).ok())
        .collect()
}
