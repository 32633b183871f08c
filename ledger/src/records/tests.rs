mod examples;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::*;
use crate::record::{RecordError, decode, encode};
use examples::Example;

/// Decodes as the kind's record and encodes again; what the record's own equality says as well.
fn reencode(kind: &str, bytes: &[u8]) -> Result<Vec<u8>, RecordError> {
    fn through<R: Record + PartialEq + std::fmt::Debug>(
        bytes: &[u8],
    ) -> Result<Vec<u8>, RecordError> {
        let record: R = decode(bytes)?;
        let again = encode(&record)?;
        assert_eq!(decode::<R>(&again).as_ref(), Ok(&record));
        Ok(again)
    }
    match kind {
        "account" => through::<AccountRecord>(bytes),
        "alias" => through::<AliasRecord>(bytes),
        "cursor" => through::<CursorRecord>(bytes),
        "entry" => through::<EntryRecord>(bytes),
        "inbound" => through::<InboundRecord>(bytes),
        "pairing" => through::<PairingRecord>(bytes),
        "post" => through::<PostRecord>(bytes),
        "quarantine" => through::<QuarantineRecord>(bytes),
        "session" => through::<SessionRecord>(bytes),
        "step" => through::<StepRecord>(bytes),
        "tool" => through::<ToolRecord>(bytes),
        "turn" => through::<TurnRecord>(bytes),
        "watermark" => through::<WatermarkRecord>(bytes),
        other => panic!("{other} is not in this list"),
    }
}

fn fields(bytes: &[u8]) -> Map<String, Value> {
    serde_json::from_slice(bytes).unwrap()
}

fn by_kind() -> BTreeMap<&'static str, Vec<Example>> {
    let mut by_kind: BTreeMap<_, Vec<Example>> = BTreeMap::new();
    for example in examples::all() {
        by_kind.entry(example.kind).or_default().push(example);
    }
    by_kind
}

/// What is stored, byte for byte. A line here changes only together with a version.
#[test]
fn the_text_of_every_record_is_frozen() {
    for (kind, examples) in by_kind() {
        let lines: Vec<String> = examples
            .iter()
            .map(|example| {
                let text = std::str::from_utf8(&example.bytes).unwrap();
                format!("{}: {text}", example.name)
            })
            .collect();
        insta::assert_snapshot!(kind, lines.join("\n"));
    }
}

#[test]
fn every_kind_has_a_full_example_and_a_snapshot_and_no_snapshot_is_of_nothing() {
    let by_kind = by_kind();
    let kinds: BTreeSet<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds.len(), KINDS.len(), "two records of one name");
    assert_eq!(by_kind.keys().copied().collect::<BTreeSet<_>>(), kinds);
    for (kind, examples) in &by_kind {
        assert!(
            examples.iter().any(|example| example.name == "full"),
            "{kind}"
        );
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/records/snapshots");
    let snapshots: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected: BTreeSet<String> = kinds
        .iter()
        .map(|kind| format!("talaria_ledger__records__tests__{kind}.snap"))
        .collect();
    assert_eq!(snapshots, expected);
}

#[test]
fn every_example_reads_back_to_the_same_bytes() {
    for Example { kind, name, bytes } in examples::all() {
        let again = reencode(kind, &bytes).unwrap();
        assert_eq!(
            String::from_utf8(again).unwrap(),
            String::from_utf8(bytes).unwrap(),
            "{kind} {name}"
        );
    }
}

#[test]
fn fields_that_this_build_does_not_know_survive() {
    for Example { kind, name, bytes } in examples::all() {
        let mut stored = fields(&bytes);
        stored.insert("later".to_owned(), serde_json::json!({ "a": [1, null] }));
        stored.insert("z".to_owned(), Value::Bool(true));
        let bytes = serde_json::to_vec(&stored).unwrap();
        let again = fields(&reencode(kind, &bytes).unwrap());
        assert_eq!(again, stored, "{kind} {name}");
    }
}

#[test]
fn a_newer_version_is_refused_and_the_message_names_the_record_and_the_fix() {
    for (kind, version) in KINDS {
        let Example { bytes, .. } = by_kind().remove(kind).unwrap().remove(0);
        let mut stored = fields(&bytes);
        assert_eq!(stored["v"], *version);
        stored.insert("v".to_owned(), (version + 1).into());
        // Not even what else is in it may be looked at.
        stored.insert("state".to_owned(), "of a new kind".into());
        let error = reencode(kind, &serde_json::to_vec(&stored).unwrap()).unwrap_err();
        assert_eq!(
            error,
            RecordError::Newer {
                kind,
                found: version + 1,
                known: *version
            }
        );
        assert_eq!(
            error.to_string(),
            format!(
                "a {kind} record has format {}, this build knows up to {version}: run the newer version",
                version + 1
            )
        );
    }
}

/// Every start reads the account's record first.
#[test]
fn the_version_of_the_account_record_counts_every_change_of_any_format() {
    let changes = |kind: &&(&str, u64)| kind.1 - 1;
    let (account, others): (Vec<_>, Vec<_>) =
        KINDS.iter().partition(|(kind, _)| *kind == "account");
    let all: u64 = others.iter().map(changes).sum();
    assert!(account.iter().map(changes).sum::<u64>() >= all);
}

#[test]
fn a_variant_that_this_build_does_not_know_is_malformed_not_guessed() {
    let Example { bytes, .. } = by_kind().remove("post").unwrap().remove(1);
    let mut stored = fields(&bytes);
    stored.insert("wanted".to_owned(), serde_json::json!({ "kind": "later" }));
    let error = reencode("post", &serde_json::to_vec(&stored).unwrap()).unwrap_err();
    assert!(matches!(error, RecordError::Malformed { kind: "post", .. }));
}

/// One of the examples, with bytes of it changed, dropped and added.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let bytes: Vec<Vec<u8>> = examples::all()
        .into_iter()
        .map(|example| example.bytes)
        .collect();
    let changes =
        proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..6);
    (prop::sample::select(bytes), changes).prop_map(|(mut bytes, changes)| {
        for (at, byte, how) in changes {
            let at = at.index(bytes.len().max(1)).min(bytes.len());
            match how {
                0 if at < bytes.len() => bytes[at] = byte,
                1 => bytes.truncate(at),
                _ => bytes.insert(at, byte),
            }
        }
        bytes
    })
}

/// Any JSON, built of the names that the formats use.
fn json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "v",
        "kind",
        "state",
        "how",
        "seq",
        "wanted",
        "known",
        "sealed",
        "live",
        "body",
        "text",
        "place",
        "id",
        "end",
        "inbound",
        "at",
        "conversation",
        "unknown",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(word.clone(), inner, 0..6).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_records_are_errors_or_records_and_never_panic(bytes in damaged()) {
        for (kind, _) in KINDS {
            let _either = reencode(kind, &bytes);
        }
    }

    #[test]
    fn any_bytes_and_any_json_are_errors_or_records(
        bytes in proptest::collection::vec(any::<u8>(), 0..64),
        mut value in json(),
        version in 0..3u64,
    ) {
        if let Some(fields) = value.as_object_mut() {
            fields.insert("v".to_owned(), version.into());
        }
        for (kind, _) in KINDS {
            prop_assert!(reencode(kind, &bytes).is_err());
            let _either = reencode(kind, &serde_json::to_vec(&value).unwrap());
        }
    }

    /// What a tool was called with is journalled, and read back it is still the same (P5).
    #[test]
    fn p5_numbers_and_text_of_a_journalled_call_come_back_exactly(number in any::<f64>(), text in ".{0,20}") {
        prop_assume!(number.is_finite());
        let Example { bytes, .. } = by_kind().remove("step").unwrap().remove(0);
        let mut record: StepRecord = decode(&bytes).unwrap();
        record.blocks = vec![talaria_types::model::Block::ToolUse {
            id: "toolu_01".to_owned(),
            name: "t".to_owned(),
            input: serde_json::json!({ "number": number, &*text: text }),
        }];
        prop_assert_eq!(decode::<StepRecord>(&encode(&record).unwrap()), Ok(record));
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = "[".repeat(100_000);
    let bytes = format!(r#"{{"v":1,"later":{deep}"#);
    for (kind, _) in KINDS {
        assert!(matches!(
            reencode(kind, bytes.as_bytes()),
            Err(RecordError::Malformed { .. })
        ));
    }
}
