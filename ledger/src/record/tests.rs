use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Sample {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<u32>,
    #[serde(flatten)]
    unknown: Unknown,
}

impl Record for Sample {
    const KIND: &'static str = "sample";
    const VERSION: u64 = 2;
}

fn read(value: &Value) -> Result<Sample, RecordError> {
    decode(value.to_string().as_bytes())
}

fn sample() -> Sample {
    Sample {
        name: "a".to_owned(),
        note: None,
        unknown: Unknown::new(),
    }
}

#[test]
fn a_record_is_one_json_object_that_begins_with_its_version() {
    let bytes = encode(&sample()).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), r#"{"v":2,"name":"a"}"#);
}

#[test]
fn older_versions_are_read_and_written_as_this_one() {
    let record = read(&json!({ "v": 1, "name": "a" })).unwrap();
    assert_eq!(record, sample());
    assert!(encode(&record).unwrap().starts_with(br#"{"v":2,"#));
}

#[test]
fn a_newer_version_is_refused_before_anything_else_is_looked_at() {
    for version in [3, u64::MAX] {
        assert_eq!(
            read(&json!({ "v": version, "name": { "of": "another form" } })),
            Err(RecordError::Newer {
                kind: "sample",
                found: version,
                known: 2
            })
        );
    }
}

#[test]
fn without_a_version_nothing_is_guessed() {
    for version in [json!(null), json!("1"), json!(-1), json!(1.5), json!([1])] {
        let error = read(&json!({ "v": version, "name": "a" })).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a sample record can't be read: it has no version"
        );
    }
    for whole in [json!({ "name": "a" }), json!([]), json!("v"), json!(1)] {
        assert!(matches!(read(&whole), Err(RecordError::Malformed { .. })));
    }
}

#[test]
fn a_missing_or_wrong_field_is_named() {
    let error = read(&json!({ "v": 2 })).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a sample record can't be read: missing field `name`"
    );
    assert!(read(&json!({ "v": 2, "name": 1 })).is_err());
}

#[test]
fn unknown_fields_are_kept_and_the_version_is_not_one_of_them() {
    let value = json!({ "v": 2, "name": "a", "later": { "v": 7 }, "other": [0] });
    let record = read(&value).unwrap();
    assert_eq!(
        record.unknown.keys().collect::<Vec<_>>(),
        ["later", "other"]
    );
    let again: Value = serde_json::from_slice(&encode(&record).unwrap()).unwrap();
    assert_eq!(again, value);
}

#[test]
fn text_behind_the_object_and_bytes_that_are_no_text_are_errors() {
    for bytes in [
        &b""[..],
        br#"{"v":2,"name":"a"} x"#,
        b"\xff\xfe",
        br#"{"v":2,"name":"a""#,
        b"{\"v\":2,\"name\":\"\xff\"}",
    ] {
        assert!(matches!(
            decode::<Sample>(bytes),
            Err(RecordError::Malformed { kind: "sample", .. })
        ));
    }
}
