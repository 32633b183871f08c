//! Nothing in the tree tells of the machine that it was written or built on.

use crate::tree::File;
use crate::{Violation, none, reported};

/// Home folders, and mirrors of package registries. Written in two halves, or this file would
/// report itself.
const REFUSED: [&str; 10] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!(r"C:\Us", "ers"),
    concat!(".cargo/", "registry"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("arti", "factory"),
    concat!("[source.", "crates-io]"),
    concat!("replace-", "with ="),
];

fn check(files: &[File]) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in files {
        for (at, line) in file.text.lines().enumerate() {
            for word in REFUSED.iter().filter(|word| line.contains(**word)) {
                found.push(Violation::at(
                    &file.path,
                    at + 1,
                    format!("tells of a machine: {word}"),
                ));
            }
        }
    }
    found
}

#[test]
fn the_tree_tells_of_no_machine() {
    let files = crate::tree::files();
    assert!(files.len() >= 100, "{} files", files.len());
    none(&check(files));
}

#[test]
fn a_path_of_a_machine_is_reported() {
    let files = [
        File::new("a.md", concat!("fine\nsee /ho", "me/someone/x")),
        File::new("b.rs", concat!("const P: &str = \"/ro", "ot/x\";")),
        File::new("c.toml", concat!("index = 'https://index.", "crates.io/'")),
        File::new(
            "d.md",
            "~/.config/talaria and /var/lib/talaria, homes and roots",
        ),
        File::new(
            "Cargo.lock",
            "registry+https://github.com/rust-lang/crates.io-index",
        ),
    ];
    let found = check(&files);
    reported(&found, &["a.md", "b.rs", "c.toml"]);
    assert_eq!(found[0].line, Some(2));
}
