//! Reads a golden ledger of format 1: every record by its decoder, and what a restart looks for.

use serde_json::Value;
use talaria_ledger::keys::{self, Tag};
use talaria_ledger::record::{Record, decode, encode};
use talaria_ledger::records::*;
use talaria_ledger::store::{Key, Store, Value as Bytes};
use talaria_types::model::Block;
use talaria_types::{
    AccountId, ChatId, ConversationId, Handle, InboundKey, MessageId, PostId, Seq, TurnId, UserId,
};

use super::ACCOUNT;

fn account() -> AccountId {
    AccountId::new(ACCOUNT)
}

fn scan(store: &dyn Store, prefix: &[u8]) -> Vec<(Key, Bytes)> {
    store.scan(prefix, None, 1000).unwrap()
}

fn get<R: Record>(store: &dyn Store, key: &[u8]) -> R {
    decode(&store.get(key).unwrap().unwrap()).unwrap()
}

/// Every field that `stored` has, `written` has with the same value.
fn keeps(stored: &Value, written: &Value) -> bool {
    match (stored, written) {
        (Value::Object(stored), Value::Object(written)) => stored
            .iter()
            .all(|(name, value)| written.get(name).is_some_and(|again| keeps(value, again))),
        (Value::Array(stored), Value::Array(written)) => {
            stored.len() == written.len() && stored.iter().zip(written).all(|(a, b)| keeps(a, b))
        }
        (stored, written) => stored == written,
    }
}

/// Decodes a record, and looks that nothing of it gets lost when it is written again.
fn check<R: Record>(bytes: &[u8]) {
    let record: R = decode(bytes).unwrap();
    let json = |bytes: &[u8]| {
        let mut value: Value = serde_json::from_slice(bytes).unwrap();
        let version = value.as_object_mut().unwrap().remove("v").unwrap();
        assert!(version.as_u64().unwrap() <= R::VERSION);
        value
    };
    let (stored, written) = (json(bytes), json(&encode(&record).unwrap()));
    assert!(keeps(&stored, &written), "{stored} became {written}");
}

/// Reads all of it. `count` is the number of its entries.
pub(super) fn everything(store: &dyn Store, count: usize) {
    let mut read = 0;
    for tag in Tag::ALL {
        let entries = scan(store, &keys::prefix(&account(), tag));
        assert!(!entries.is_empty(), "the golden ledger has no {tag:?}");
        read += entries.len();
        for (key, value) in entries {
            entry(store, tag, &key, &value);
        }
    }
    assert_eq!(read, count, "an entry under no tag");
    turns(store);
    posts(store);
    people(store);
}

fn entry(store: &dyn Store, tag: Tag, key: &[u8], value: &[u8]) {
    match tag {
        Tag::Account => check::<AccountRecord>(value),
        Tag::Alias => {
            check::<AliasRecord>(value);
            let alias: AliasRecord = decode(value).unwrap();
            get::<InboundRecord>(store, &keys::inbound(&account(), &alias.of));
        }
        Tag::Cursor => check::<CursorRecord>(value),
        Tag::Entry => check::<EntryRecord>(value),
        Tag::Inbound => check::<InboundRecord>(value),
        Tag::Pairing => check::<PairingRecord>(value),
        Tag::Post => check::<PostRecord>(value),
        Tag::Quarantine => check::<QuarantineRecord>(value),
        Tag::Session => check::<SessionRecord>(value),
        Tag::Step => check::<StepRecord>(value),
        Tag::Tool => check::<ToolRecord>(value),
        Tag::Turn => check::<TurnRecord>(value),
        Tag::Watermark => check::<WatermarkRecord>(value),
        Tag::Open => {
            let inbound = InboundKey::new(std::str::from_utf8(value).unwrap());
            let record: InboundRecord = get(store, &keys::inbound(&account(), &inbound));
            assert_eq!(
                keys::open(&account(), &record.conversation, record.seq),
                key
            );
            assert_eq!(record.end, None);
        }
        Tag::Owed => {
            let parts = keys::parts(key);
            let number = |part: &str| u64::from_str_radix(part, 16).unwrap();
            let id = PostId {
                origin: Seq(number(&parts[3])),
                ordinal: u16::try_from(number(&parts[4])).unwrap(),
            };
            let record: PostRecord = get(store, &keys::post(&account(), id));
            assert_eq!(keys::owed(&account(), &record.conversation, id), key);
            assert!(!record.is_settled());
        }
        Tag::Running => {
            let turn = TurnId(Seq(u64::from_be_bytes(value.try_into().unwrap())));
            let record: TurnRecord = get(store, &keys::turn(&account(), turn));
            assert_eq!(keys::running(&account(), &record.conversation), key);
            assert_eq!(record.state, TurnState::Running);
        }
        Tag::Handle => {
            let (origin, ordinal) = std::str::from_utf8(value).unwrap().split_at(16);
            let id = PostId {
                origin: Seq(u64::from_str_radix(origin, 16).unwrap()),
                ordinal: u16::from_str_radix(ordinal, 16).unwrap(),
            };
            get::<PostRecord>(store, &keys::post(&account(), id));
        }
    }
}

/// The turn that was running, with its journal; the one before it, and what it left in the
/// transcript.
fn turns(store: &dyn Store) {
    let conversation = ConversationId::new("test:1/7");
    let session: SessionRecord = get(store, &keys::session(&account(), &conversation));
    assert_eq!(
        (session.generation, session.entries, session.replies),
        (1, 2, 2)
    );
    let transcript = scan(store, &keys::entries(&account(), &conversation, 1));
    assert_eq!(transcript.len(), 2);

    let running = store
        .get(&keys::running(&account(), &conversation))
        .unwrap();
    let id = TurnId(Seq(u64::from_be_bytes(
        running.unwrap().try_into().unwrap(),
    )));
    let turn: TurnRecord = get(store, &keys::turn(&account(), id));
    assert_eq!((turn.continuations, turn.inbounds.len()), (1, 1));
    let steps = scan(store, &keys::steps(&account(), id));
    let step: StepRecord = decode(&steps[0].1).unwrap();
    let Block::ToolUse { input, .. } = &step.blocks[1] else {
        panic!("{step:?}")
    };
    assert_eq!(input["zone"], "UTC");
    let tools: Vec<ToolRecord> = scan(store, &keys::tools(&account(), id))
        .iter()
        .map(|(_, value)| decode(value).unwrap())
        .collect();
    assert!(matches!(tools[0].state, ToolState::Finished { .. }));
    assert!(matches!(tools[1].state, ToolState::Started { .. }));

    let open = scan(store, &keys::open_prefix(&account(), &conversation));
    assert_eq!(
        open.len(),
        2,
        "the running turn's inbound, and a waiting one"
    );
}

/// One delivered; of a group's answer one maybe sent, one never tried.
fn posts(store: &dyn Store) {
    let handle = Handle {
        chat: ChatId::new("7"),
        message: MessageId::new("43"),
    };
    let found = store
        .get(&keys::handle(&account(), &handle))
        .unwrap()
        .unwrap();
    assert_eq!(found, b"00000001000000010000");
    let group = ConversationId::new("test:1/-100/5");
    let owed: Vec<PostRecord> = scan(store, &keys::owed_prefix(&account(), &group))
        .iter()
        .map(|(key, _)| {
            let parts = keys::parts(key);
            let origin = Seq(u64::from_str_radix(&parts[3], 16).unwrap());
            let ordinal = u16::from_str_radix(&parts[4], 16).unwrap();
            get(store, &keys::post(&account(), PostId { origin, ordinal }))
        })
        .collect();
    assert!(matches!(owed[0].known, Known::Unresolved { looks: 1, .. }));
    let Wanted::Sealed { rev: 1, body } = &owed[1].wanted else {
        panic!("{:?}", owed[1])
    };
    // Longer than a record of the store: it lies in several.
    assert_eq!(body.text.chars().count(), 6000);
}

fn people(store: &dyn Store) {
    let user = UserId::new("5001");
    let record: PairingRecord = get(store, &keys::pairing(&account(), &user));
    assert!(matches!(record.state, PairingState::Approved { .. }));
    let record: AccountRecord = get(store, &keys::account(&account()));
    assert!(!record.clean);
    // Written by a build that knew more.
    assert_eq!(record.unknown["region"], "eu");
}
