//! The platforms that the worlds have: every class of create, update and remove that the
//! transition table tells apart.

use std::time::Duration;

use talaria_types::{
    CallKind, Capabilities, CreateClass, Limit, RemoveClass, ScopePart, TextUnit, UpdateClass,
};

/// A world's platform, by number. The number is stored with a saved run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant(pub u8);

impl Variant {
    pub const COUNT: u8 = 8;

    /// Two of three seeds get the platform class that the gateway speaks to first: blind, replaceable.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        match seed % 12 {
            0..4 => Self(0),
            4 | 5 => Self(1),
            6 | 7 => Self(2),
            8 => Self(3),
            9 => Self(4),
            10 => Self(5),
            _ if seed.is_multiple_of(24) => Self(6),
            _ => Self(7),
        }
    }

    #[must_use]
    pub fn create(self) -> CreateClass {
        match self.0 {
            1 => CreateClass::Keyed,
            2 | 3 => CreateClass::Readable,
            _ => CreateClass::Blind,
        }
    }

    #[must_use]
    pub fn capabilities(self) -> Capabilities {
        let update = match self.0 {
            2 => UpdateClass::Append,
            5 => UpdateClass::None,
            _ => UpdateClass::Replace,
        };
        let remove = match self.0 {
            3 | 6 => RemoveClass::Within(Duration::from_secs(60)),
            4 | 5 => RemoveClass::No,
            _ => RemoveClass::Yes,
        };
        let limit = Limit {
            scope: vec![ScopePart::Chat],
            kinds: vec![
                CallKind::Create,
                CallKind::Complete,
                CallKind::Edit,
                CallKind::Append,
                CallKind::Close,
                CallKind::Delete,
            ],
            calls: LIMIT_CALLS,
            per: LIMIT_PER,
            burst: LIMIT_BURST,
            kept_for_sealed: 1,
        };
        Capabilities {
            create: self.create(),
            update,
            remove,
            text_limit: 200,
            text_unit: TextUnit::Utf16,
            life: (self.0 == 2).then_some(Duration::from_secs(90)),
            typing_ttl: (self.0 != 7).then_some(Duration::from_secs(5)),
            drafts: !matches!(self.0, 5 | 7),
            buttons: true,
            limits: vec![limit],
        }
    }

    /// Whether the platform shows keys with messages in passing.
    #[must_use]
    pub fn echoes(self) -> bool {
        self.0 != 5
    }
}

/// The world's limit: per chat, 20 calls in 10 s and 10 at once.
pub const LIMIT_CALLS: u32 = 20;
pub const LIMIT_PER: Duration = Duration::from_secs(10);
pub const LIMIT_BURST: u32 = 10;
