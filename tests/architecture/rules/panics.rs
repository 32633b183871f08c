//! Production code neither panics on purpose nor leaves work undone. Clippy says most of this
//! too; a scan can't be switched off by an attribute.

use crate::source::{code, lines_with, production};
use crate::tree::File;
use crate::{Violation, none, reported};

const REFUSED: [&str; 5] = [
    ".unwrap()",
    ".unwrap_err()",
    "todo!",
    "unimplemented!",
    "dbg!",
];

/// In comments, also of tests: what is left to do stands in the issues.
const MARKS: [&str; 3] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X:"),
];

fn check(files: &[File]) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        if !file.may_panic() {
            let text = production(&file.text);
            for what in REFUSED {
                let at = |line| Violation::at(&file.path, line, format!("{what} outside of tests"));
                found.extend(lines_with(&text, what).map(at));
            }
            for line in panicking_expects(&file.text) {
                found.push(Violation::at(
                    &file.path,
                    line,
                    ".expect(..) outside of tests",
                ));
            }
        }
        for mark in MARKS {
            let at = |line| Violation::at(&file.path, line, "work left undone");
            found.extend(lines_with(&file.text, mark).map(at));
        }
    }
    found
}

/// Lines with `.expect("...")`: the panicking one takes a text. Parsers have methods of that name
/// that take something else.
fn panicking_expects(text: &str) -> Vec<usize> {
    let kept = production(text);
    let both = text.lines().zip(kept.lines()).enumerate();
    both.filter(|(_, (raw, kept))| kept.contains(".expect(") && raw.contains(".expect(\""))
        .map(|(at, _)| at + 1)
        .collect()
}

#[test]
fn production_code_does_not_give_up() {
    let files = crate::tree::files();
    let seen = files
        .iter()
        .filter(|file| file.is_rust() && !file.may_panic())
        .count();
    assert!(seen >= 60, "{seen} files");
    none(&check(files));
}

#[test]
fn giving_up_is_reported() {
    let files = [
        File::new("a/src/a.rs", "fn a() {\n    b.unwrap();\n}\n"),
        File::new("a/src/b.rs", "fn a() { todo!() }"),
        File::new("a/src/c.rs", "fn a() { b.expect(\"there\") }"),
        File::new("a/src/d.rs", concat!("// TO", "DO: later")),
        File::new(
            "a/src/e.rs",
            "// b.unwrap() is refused\nfn a() { parser.expect(b'x') }",
        ),
        File::new(
            "a/src/f.rs",
            "#[cfg(test)]\nmod tests { fn a() { b.unwrap() } }",
        ),
        File::new("a/src/g/tests.rs", "fn a() { b.unwrap() }"),
    ];
    reported(
        &check(&files),
        &["a/src/a.rs", "a/src/b.rs", "a/src/c.rs", "a/src/d.rs"],
    );
    assert!(code("/* todo!() */").trim().is_empty());
}
