//! A ledger as text: each entry is a line with the parts of its key and a line with its value as
//! it is stored.

use std::collections::BTreeMap;

pub(super) type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// `key account|tag|...|`: a bar for each zero byte; other bytes that are not plain stand as `\xNN`.
/// Then `text`, for values that are text of one line, or `bytes` in hexadecimal.
pub(super) fn text(entries: &Entries) -> String {
    let mut out = String::new();
    for (key, value) in entries {
        out.push_str("key ");
        for byte in key {
            match byte {
                0 => out.push('|'),
                b' '..=b'~' if !matches!(byte, b'|' | b'\\') => out.push(char::from(*byte)),
                other => out.push_str(&format!("\\x{other:02x}")),
            }
        }
        match std::str::from_utf8(value) {
            Ok(text) if !text.chars().any(char::is_control) => {
                out.push_str(&format!("\ntext {text}\n\n"));
            }
            Ok(_) | Err(_) => {
                let hex: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
                out.push_str(&format!("\nbytes {hex}\n\n"));
            }
        }
    }
    out
}

pub(super) fn parse(text: &str) -> Entries {
    let mut entries = Entries::new();
    let mut lines = text.lines().filter(|line| !line.is_empty());
    while let (Some(key), Some(value)) = (lines.next(), lines.next()) {
        let value = match value.split_once(' ').unwrap() {
            ("text", text) => text.as_bytes().to_vec(),
            ("bytes", hex) => bytes(hex),
            (other, _) => panic!("{other} is no kind of value"),
        };
        let repeated = entries.insert(parse_key(key.strip_prefix("key ").unwrap()), value);
        assert_eq!(repeated, None);
    }
    entries
}

fn parse_key(text: &str) -> Vec<u8> {
    let mut key = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'|' => key.push(0),
            b'\\' => {
                let code: Vec<u8> = rest.by_ref().take(3).skip(1).collect();
                key.extend(bytes(std::str::from_utf8(&code).unwrap()));
            }
            other => key.push(other),
        }
    }
    key
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |digit: &u8| u8::try_from(char::from(*digit).to_digit(16).unwrap()).unwrap();
    let pairs = hex.as_bytes().chunks(2);
    pairs
        .map(|pair| pair.iter().fold(0, |byte, hex| byte << 4 | digit(hex)))
        .collect()
}
