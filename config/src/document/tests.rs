use std::path::PathBuf;

use super::{Document, Key, Reader, nearest};
use crate::error::{Error, Problem};

fn document(text: &str) -> Document {
    Document::new(PathBuf::from("t.toml"), text.to_owned())
}

#[test]
fn lines_count_from_one() {
    let document = document("a = 1\n\nb = 2");
    for (offset, line) in [(0, 1), (5, 1), (6, 2), (7, 3), (11, 3), (500, 3)] {
        assert_eq!(document.line(offset), line, "offset {offset}");
    }
}

#[test]
fn every_syntax_error_is_told_without_its_line() {
    let document = document("token = \"SECRETSECRET\nb = \"fine\"\nc = = SECRETSECRET\n");
    let problems = document.parse().expect_err("broken");
    assert!(problems.len() >= 2, "{problems:?}");
    for problem in problems {
        assert!(!problem.to_string().contains("SECRETSECRET"), "{problem}");
    }
}

#[test]
fn a_reader_refuses_what_nobody_asked_for() {
    let document = document("known = 'x'\nknwon = 1\n[deep]\nzzz = 1\n");
    let root = document.parse().expect("parses");
    let mut problems: Vec<Problem> = Vec::new();
    let mut reader = Reader::new(&document, String::new(), root.get_ref());
    assert!(matches!(
        reader.text("known", &mut problems),
        Key::Set { line: 1, .. }
    ));
    let Key::Set { value: deep, .. } = reader.section("deep", &mut problems) else {
        panic!("a section");
    };
    Reader::new(&document, "deep".to_owned(), deep).finish(&mut problems);
    reader.finish(&mut problems);
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "t.toml:4: deep.zzz: there is no such key; known here: none",
            "t.toml:2: knwon: there is no such key (did you mean `known`?); known here: known, deep",
        ]
    );
}

#[test]
fn a_wrong_type_is_broken_and_told_once() {
    let document = document("a = 1.5\nb = 99999999999999999999\nc = [1, 'x', []]\nd = 'n'\n");
    let root = document.parse().expect("parses");
    let mut problems = Vec::new();
    let mut reader = Reader::new(&document, String::new(), root.get_ref());
    assert!(matches!(reader.number("a", &mut problems), Key::Broken));
    assert!(matches!(reader.number("b", &mut problems), Key::Broken));
    assert!(matches!(reader.list("c", &mut problems), Key::Broken));
    assert!(matches!(reader.section("d", &mut problems), Key::Broken));
    assert!(matches!(reader.text("e", &mut problems), Key::Absent));
    assert_eq!(problems.len(), 4);
    assert!(
        problems
            .iter()
            .all(|p| matches!(p.error, Error::WrongType { .. }))
    );
}

#[test]
fn the_nearest_name_is_near() {
    let known = ["data_dir", "listen", "token"];
    for (given, meant) in [
        ("datadir", Some("data_dir")),
        ("Listen", Some("listen")),
        ("bot_token", Some("token")),
        ("tokn", Some("token")),
        ("colour", None),
        ("", None),
    ] {
        assert_eq!(nearest(given, &known).as_deref(), meant, "{given}");
    }
    assert_eq!(nearest(&"x".repeat(100_000), &known), None);
}
