//! Modules stay under about 400 lines, and `lib.rs` is a table of contents.

use crate::source::production;
use crate::tree::File;
use crate::{Violation, none, reported};

const MOST: usize = 400;
const MOST_IN_LIB: usize = 80;

/// A file that is longer, for a reason. The ceiling goes down with the file and never up.
struct Exception {
    path: &'static str,
    ceiling: usize,
    reason: &'static str,
}

const EXCEPTIONS: &[Exception] = &[];

/// How far a file may shrink before its ceiling has to follow.
const SLACK: usize = 20;

fn in_scope(file: &File) -> bool {
    file.is_rust() && !file.is_test()
}

fn check(files: &[File], exceptions: &[Exception]) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| in_scope(file)) {
        let lines = file.text.lines().count();
        match exceptions
            .iter()
            .find(|exception| exception.path == file.path)
        {
            None if lines > MOST => {
                found.push(Violation::of(
                    &file.path,
                    format!("{lines} lines, over {MOST}"),
                ));
            }
            Some(exception) if lines > exception.ceiling => {
                let (ceiling, reason) = (exception.ceiling, exception.reason);
                let what = format!("{lines} lines, over its ceiling of {ceiling} ({reason})");
                found.push(Violation::of(&file.path, what));
            }
            Some(_) if lines <= MOST => {
                found.push(Violation::of(&file.path, "no longer needs its exception"));
            }
            Some(exception) if lines + SLACK < exception.ceiling => {
                let what = format!("{lines} lines: its ceiling has to come down");
                found.push(Violation::of(&file.path, what));
            }
            None | Some(_) => {}
        }
        if file.name() == "lib.rs" {
            found.extend(contents(file));
        }
    }
    for exception in exceptions {
        if !files.iter().any(|file| file.path == exception.path) {
            found.push(Violation::of(
                exception.path,
                "has an exception and is not there",
            ));
        }
    }
    found
}

/// A library's root lists its modules and names; what they do stands in them.
fn contents(file: &File) -> Vec<Violation> {
    const ITEMS: [&str; 7] = ["fn", "struct", "enum", "trait", "impl", "static", "union"];
    let mut found = Vec::new();
    let lines = file.text.lines().count();
    if lines > MOST_IN_LIB {
        found.push(Violation::of(
            &file.path,
            format!("{lines} lines, over {MOST_IN_LIB}"),
        ));
    }
    for (at, line) in production(&file.text).lines().enumerate() {
        let mut words = line.split_whitespace().filter(|word| {
            !matches!(*word, "pub" | "const" | "async" | "unsafe" | "extern")
                && !word.starts_with("pub(")
        });
        let first = words.next().unwrap_or_default();
        let first = first.split(['<', '(']).next().unwrap_or_default();
        if ITEMS.contains(&first) {
            found.push(Violation::at(
                &file.path,
                at + 1,
                format!("a {first} in a lib.rs"),
            ));
        }
    }
    found
}

#[test]
fn modules_are_short() {
    let files = crate::tree::files();
    let seen = files.iter().filter(|file| in_scope(file)).count();
    assert!(seen >= 60, "{seen} files");
    let roots = files.iter().filter(|file| file.name() == "lib.rs").count();
    assert!(roots >= 12, "{roots} libraries");
    none(&check(files, EXCEPTIONS));
}

#[test]
fn a_long_module_is_reported() {
    let long = |path: &str, lines: usize| File::new(path, &"//\n".repeat(lines));
    let files = [
        long("a/src/fits.rs", 400),
        long("a/src/long.rs", 401),
        long("a/src/long/tests.rs", 900),
        long("tests/e2e/main.rs", 900),
        long("a/src/allowed.rs", 450),
        long("a/src/grown.rs", 451),
        long("a/src/shrunk.rs", 420),
        long("a/src/mended.rs", 300),
    ];
    let exception = |path, ceiling| Exception {
        path,
        ceiling,
        reason: "a table",
    };
    let exceptions = [
        exception("a/src/allowed.rs", 450),
        exception("a/src/grown.rs", 450),
        exception("a/src/shrunk.rs", 450),
        exception("a/src/mended.rs", 450),
        exception("a/src/gone.rs", 450),
    ];
    reported(
        &check(&files, &exceptions),
        &[
            "a/src/long.rs",
            "a/src/grown.rs",
            "a/src/shrunk.rs",
            "a/src/mended.rs",
            "a/src/gone.rs",
        ],
    );
}

#[test]
fn logic_in_a_library_root_is_reported() {
    let lib = |text: &str| check(&[File::new("a/src/lib.rs", text)], &[]).len();
    assert_eq!(
        lib("//! fn of all\nmod a;\npub use a::b;\npub const C: u8 = 1;\n"),
        0
    );
    for item in [
        "pub fn a() {}",
        "pub(crate) struct B;",
        "impl<T> C for T {}",
        "const fn d() {}",
    ] {
        assert_eq!(lib(item), 1, "{item}");
    }
    assert_eq!(lib(&"// x\n".repeat(81)), 1);
}
