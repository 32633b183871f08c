use std::collections::BTreeSet;

use proptest::prelude::*;
use talaria_types::{
    AccountId, ChatId, ConversationId, Handle, InboundKey, MessageId, PostId, Seq, TurnId, UserId,
};

use super::*;
use crate::store::MAX_KEY_BYTES;

/// Ids as hostile as they can be: separators, escapes, their neighbours, text of several bytes a
/// character, and lengths on both sides of the limits.
fn id() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\0".to_owned()),
        Just("\u{1}".to_owned()),
        Just("\u{2}".to_owned()),
        Just("\u{3}".to_owned()),
        Just("/".to_owned()),
        Just("~".to_owned()),
        Just("post".to_owned()),
        Just("0000000000000001".to_owned()),
        Just("é漢🦀".to_owned()),
        Just("x".repeat(29)),
        Just("\u{1}".repeat(47)),
        ".{0,3}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// What a key is made of, beside its account.
#[derive(Clone, Debug)]
struct Ids {
    texts: [String; 2],
    numbers: [u64; 3],
}

fn ids() -> impl Strategy<Value = Ids> {
    let number = prop_oneof![0..3u64, any::<u64>()];
    ([id(), id()], [number.clone(), number.clone(), number])
        .prop_map(|(texts, numbers)| Ids { texts, numbers })
}

/// One key of every kind, with the text parts that it was made of; numbers are given as text.
fn all_keys(owner: &AccountId, ids: &Ids) -> Vec<(Vec<u8>, Vec<String>)> {
    let Ids {
        texts: [one, two],
        numbers: [n, m, o],
    } = ids;
    let (one, two) = (one.as_str(), two.as_str());
    let (key, user) = (InboundKey::new(one), UserId::new(one));
    let conversation = ConversationId::new(one);
    let (step, call, ordinal) = (*m as u32, *o as u32, *m as u16);
    let id = PostId {
        origin: Seq(*n),
        ordinal,
    };
    let message = Handle {
        chat: ChatId::new(one),
        message: MessageId::new(two),
    };
    let text = |text: &str| text.to_owned();
    let number = |number: u64| format!("{number:016x}");
    let (origin, nth) = (number(*n), number(ordinal.into()));
    let made = |tag: Tag, key: Vec<u8>, rest: Vec<String>| {
        let head = [owner.as_str().to_owned(), tag.text().to_owned()];
        (key, head.into_iter().chain(rest).collect())
    };
    Tag::ALL
        .into_iter()
        .map(|tag| match tag {
            Tag::Account => made(tag, account(owner), vec![]),
            Tag::Alias => made(tag, alias(owner, &key), vec![text(one)]),
            Tag::Cursor => made(tag, cursor(owner), vec![]),
            Tag::Entry => made(
                tag,
                entry(owner, &conversation, *n, *m),
                vec![text(one), number(*n), number(*m)],
            ),
            Tag::Handle => made(tag, handle(owner, &message), vec![text(one), text(two)]),
            Tag::Inbound => made(tag, inbound(owner, &key), vec![text(one)]),
            Tag::Open => made(
                tag,
                open(owner, &conversation, Seq(*n)),
                vec![text(one), number(*n)],
            ),
            Tag::Owed => made(
                tag,
                owed(owner, &conversation, id),
                vec![text(one), origin.clone(), nth.clone()],
            ),
            Tag::Pairing => made(tag, pairing(owner, &user), vec![text(one)]),
            Tag::Post => made(tag, post(owner, id), vec![origin.clone(), nth.clone()]),
            Tag::Quarantine => made(tag, quarantine(owner, Seq(*n)), vec![number(*n)]),
            Tag::Running => made(tag, running(owner, &conversation), vec![text(one)]),
            Tag::Session => made(tag, session(owner, &conversation), vec![text(one)]),
            Tag::Step => made(
                tag,
                super::step(owner, TurnId(Seq(*n)), step),
                vec![number(*n), number(step.into())],
            ),
            Tag::Tool => made(
                tag,
                tool(owner, TurnId(Seq(*n)), step, call),
                vec![number(*n), number(step.into()), number(call.into())],
            ),
            Tag::Turn => made(tag, turn(owner, TurnId(Seq(*n))), vec![number(*n)]),
            Tag::Watermark => made(tag, watermark(owner, one), vec![text(one)]),
        })
        .collect()
}

/// Every prefix that is scanned, with the parts that it was made of.
fn all_prefixes(owner: &AccountId, ids: &Ids) -> Vec<(Vec<u8>, Vec<String>)> {
    let [one, _] = &ids.texts;
    let [n, ..] = ids.numbers;
    let conversation = ConversationId::new(one);
    let made = |tag: Tag, prefix: Vec<u8>, rest: &[&str]| {
        let head = [owner.as_str(), tag.text()];
        let parts = head.iter().chain(rest).map(|part| (*part).to_owned());
        (prefix, parts.collect())
    };
    let number = format!("{n:016x}");
    let turn = TurnId(Seq(n));
    let tags = Tag::ALL.map(|tag| made(tag, prefix(owner, tag), &[]));
    let narrower = [
        made(Tag::Open, open_prefix(owner, &conversation), &[one]),
        made(Tag::Owed, owed_prefix(owner, &conversation), &[one]),
        made(
            Tag::Entry,
            entries(owner, &conversation, n),
            &[one, &number],
        ),
        made(Tag::Step, steps(owner, turn), &[&number]),
        made(Tag::Tool, tools(owner, turn), &[&number]),
        made(Tag::Post, posts(owner, Seq(n)), &[&number]),
    ];
    tags.into_iter().chain(narrower).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn keys_of_different_ids_differ_and_none_is_the_beginning_of_another(
        owners in [id(), id()],
        ids in proptest::collection::vec(ids(), 1..4),
    ) {
        let mut by_key = std::collections::BTreeMap::new();
        for owner in &owners {
            for ids in &ids {
                for (key, made_of) in all_keys(&AccountId::new(owner), ids) {
                    let same = by_key.entry(key).or_insert_with(|| made_of.clone());
                    prop_assert_eq!(&*same, &made_of);
                }
            }
        }
        // Sorted, so that a key which begins with another would stand right behind it.
        let keys: Vec<&Vec<u8>> = by_key.keys().collect();
        for pair in keys.windows(2) {
            prop_assert!(!pair[1].starts_with(pair[0]), "{pair:?}");
        }
    }

    #[test]
    fn a_prefix_finds_its_own_keys_only(
        owners in [id(), id()],
        ids in [ids(), ids()],
    ) {
        let owners = owners.map(AccountId::new);
        let mut keys = Vec::new();
        let mut prefixes = Vec::new();
        for owner in &owners {
            for ids in &ids {
                keys.extend(all_keys(owner, ids));
                prefixes.extend(all_prefixes(owner, ids));
            }
        }
        for (prefix, begins) in &prefixes {
            for (key, made_of) in &keys {
                prop_assert_eq!(
                    key.starts_with(prefix),
                    made_of.starts_with(begins),
                    "{:?} under {:?}", made_of, begins
                );
            }
        }
    }

    #[test]
    fn no_id_makes_a_key_that_a_store_refuses(owner in ".{0,600}", one in "\\PC{0,600}", two in ".{0,600}") {
        let ids = Ids { texts: [one, two], numbers: [u64::MAX; 3] };
        for (key, _) in all_keys(&AccountId::new(owner), &ids) {
            prop_assert!(key.len() <= MAX_KEY_BYTES, "{}", key.len());
        }
    }

    #[test]
    fn parts_are_what_the_key_was_made_of_and_a_hash_says_so(owner in id(), ids in ids()) {
        for (key, made_of) in all_keys(&AccountId::new(&owner), &ids) {
            let found = parts(&key);
            prop_assert_eq!(found.len(), made_of.len());
            let mut hashed = false;
            for (found, made_of) in found.iter().zip(&made_of) {
                if found != made_of {
                    hashed = true;
                    let (beginning, hash) = found.rsplit_once('~').unwrap();
                    prop_assert!(made_of.starts_with(beginning));
                    prop_assert_eq!(hash.len(), 64);
                }
            }
            prop_assert_eq!(hashed, is_hashed(&key));
        }
    }

    #[test]
    fn keys_sort_by_their_numbers(a in any::<[u64; 2]>(), b in any::<[u64; 2]>()) {
        let owner = AccountId::new("test:1");
        let conversation = ConversationId::new("test:1/1");
        let key = |[n, m]: [u64; 2]| entry(&owner, &conversation, n, m);
        prop_assert_eq!(key(a).cmp(&key(b)), a.cmp(&b));
        let key = |[n, m]: [u64; 2]| {
            let post = PostId { origin: Seq(n), ordinal: m as u16 };
            (owed(&owner, &conversation, post), post)
        };
        let ((a, post_a), (b, post_b)) = (key(a), key(b));
        prop_assert_eq!(a.cmp(&b), post_a.cmp(&post_b));
    }

    #[test]
    fn parts_of_any_bytes_do_not_panic(bytes in proptest::collection::vec(0..5u8, 0..40)) {
        let zeros = bytes.iter().filter(|byte| **byte == 0).count();
        let ended = usize::from(bytes.last() == Some(&0));
        prop_assert_eq!(parts(&bytes).len(), zeros + 1 - ended);
    }
}

#[test]
fn the_longest_ids_leave_the_key_under_the_stores_limit() {
    let long = "é".repeat(5000);
    let ids = Ids {
        texts: [long.clone(), long.clone()],
        numbers: [u64::MAX; 3],
    };
    let longest = all_keys(&AccountId::new(long), &ids)
        .into_iter()
        .map(|(key, _)| key.len())
        .max();
    assert_eq!(longest, Some(298));
    const { assert!(298 <= MAX_KEY_BYTES) };
}

#[test]
fn ids_at_the_limit_stay_and_longer_ones_are_hashed_apart() {
    let owner = AccountId::new("test:1");
    let key = |id: String| inbound(&owner, &InboundKey::new(id));
    assert!(!is_hashed(&key("k".repeat(LONG))));
    assert!(is_hashed(&key("k".repeat(LONG + 1))));
    // Escaped bytes count as they are stored.
    assert!(!is_hashed(&key("\0".repeat(LONG / 2))));
    assert!(is_hashed(&key("\0".repeat(LONG / 2 + 1))));
    // They agree in all but their ends.
    let keys: BTreeSet<Vec<u8>> = (0..100)
        .map(|n| key(format!("{}{n}", "k".repeat(LONG))))
        .collect();
    assert_eq!(keys.len(), 100);
}

#[test]
fn an_id_that_looks_like_a_hashed_one_is_another() {
    let owner = AccountId::new("test:1");
    let hashed = inbound(&owner, &InboundKey::new("k".repeat(LONG + 1)));
    let shown = parts(&hashed).remove(2);
    for forged in [shown.clone(), shown.replace('~', "\u{1}\u{3}")] {
        assert_ne!(inbound(&owner, &InboundKey::new(forged)), hashed);
    }
}

/// The form of each key is stored: these lines change only with a new format.
#[test]
fn the_form_of_every_key_is_frozen() {
    let ids = Ids {
        texts: ["one/1".to_owned(), "two\0\u{1}".to_owned()],
        numbers: [0x0001_0000_0002, 3, 4],
    };
    let short = all_keys(&AccountId::new("test:1"), &ids);
    let long = Ids {
        texts: ["l".repeat(200), "m".repeat(200)],
        ..ids
    };
    let long = all_keys(&AccountId::new("test:1"), &long)
        .into_iter()
        .filter(|(key, _)| is_hashed(key));
    let lines: Vec<String> = short
        .into_iter()
        .chain(long)
        .map(|(key, _)| key.escape_ascii().to_string())
        .collect();
    insta::assert_snapshot!("keys", lines.join("\n"));
}
