//! One full and one minimal example of every record, and one of every variant in it. The matches
//! in [`every`] are exhaustive: a new variant without an example does not compile.

use talaria_types::{
    AccountId, ChatId, ConversationId, Handle, InboundKey, MessageId, Place, PlaceKind, Seq,
    ThreadId, TurnId, UserId, Wall,
};

use crate::record::{Record, Unknown, encode};
use crate::records::*;

/// One value for each variant, in their order.
macro_rules! every {
    ($name:ident: $type:ty { $($pattern:pat => $value:expr),+ $(,)? }) => {
        pub(super) fn $name() -> Vec<$type> {
            // Never called: it is the compiler that looks.
            let _exhaustive = |value: &$type| match value { $($pattern => {})+ };
            let values = vec![$($value),+];
            let mut rest = values.iter();
            $(assert!(rest.next().is_some_and(|value| matches!(value, $pattern)));)+
            values
        }
    };
}

mod inbounds;
mod posts;
mod turns;

/// A stored record's kind, what the example shows, and its bytes.
#[derive(Clone)]
pub(super) struct Example {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

fn example<R: Record>(name: impl Into<String>, record: &R) -> Example {
    Example {
        kind: R::KIND,
        name: name.into(),
        bytes: encode(record).unwrap(),
    }
}

const SEQ: Seq = Seq(1 << 32 | 7);
const AT: Wall = Wall(1_790_000_000_000);

fn turn_id() -> TurnId {
    TurnId(SEQ)
}

fn key(text: &str) -> InboundKey {
    InboundKey::new(text)
}

fn conversation() -> ConversationId {
    ConversationId::new("test:1/-100/5")
}

fn handle(message: &str) -> Handle {
    Handle {
        chat: ChatId::new("-100"),
        message: MessageId::new(message),
    }
}

fn place(kind: PlaceKind) -> Place {
    Place {
        account: AccountId::new("test:1"),
        kind,
        chat: ChatId::new("-100"),
        thread: matches!(kind, PlaceKind::Group).then(|| ThreadId::new("5")),
    }
}

fn small() -> Vec<Example> {
    let unknown = Unknown::new;
    let watermark = |gaps| WatermarkRecord {
        mark: "1790000000.000100".to_owned(),
        gaps,
        unknown: unknown(),
    };
    let gap = Gap {
        after: "1789".to_owned(),
        before: "1790".to_owned(),
    };
    let account = |clean| AccountRecord {
        account: AccountId::new("test:1"),
        first_seen: AT,
        clean,
        unknown: unknown(),
    };
    let session = SessionRecord {
        place: place(PlaceKind::Group),
        generation: 2,
        entries: 14,
        replies: 9,
        updated: AT,
        unknown: unknown(),
    };
    let direct = SessionRecord {
        place: place(PlaceKind::Direct),
        ..session.clone()
    };
    vec![
        example(
            "full",
            &AliasRecord {
                of: key("new:-100:42"),
                unknown: unknown(),
            },
        ),
        example(
            "full",
            &CursorRecord {
                cursor: "905".to_owned(),
                at: AT,
                unknown: unknown(),
            },
        ),
        example("full", &watermark(vec![gap])),
        example("minimal", &watermark(vec![])),
        example(
            "full",
            &QuarantineRecord {
                id: "update 905".to_owned(),
                reason: "it has no chat".to_owned(),
                raw: r#"{"update_id":905}"#.to_owned(),
                at: AT,
                unknown: unknown(),
            },
        ),
        example("full", &account(true)),
        example("running", &account(false)),
        example("full", &session),
        example("minimal", &direct),
    ]
}

every! { pairing_states: PairingState {
    PairingState::Requested { .. } => PairingState::Requested { code: "K7QM-2XVT".to_owned(), at: AT },
    PairingState::Approved { .. } => PairingState::Approved { at: AT },
    PairingState::Revoked { .. } => PairingState::Revoked { at: AT },
}}

fn pairings() -> Vec<Example> {
    let mut examples = Vec::new();
    for state in pairing_states() {
        for (name, shown) in [(None, "minimal"), (Some("Ada"), "full")] {
            let record = PairingRecord {
                user: UserId::new("5001"),
                name: name.map(str::to_owned),
                place: place(PlaceKind::Direct),
                state: state.clone(),
                unknown: Unknown::new(),
            };
            examples.push(example(shown, &record));
        }
    }
    examples
}

/// All of them.
pub(super) fn all() -> Vec<Example> {
    [
        small(),
        inbounds::all(),
        pairings(),
        turns::all(),
        posts::all(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
