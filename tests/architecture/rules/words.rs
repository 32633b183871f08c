//! The platforms' names occur in gateway/ only under app/: what the core knows of a platform, it
//! knows as data.

use crate::tree::File;
use crate::{Violation, none, reported};

const WORDS: [&str; 3] = ["telegram", "discord", "slack"];

fn in_scope(file: &File) -> bool {
    file.path.starts_with("gateway/") && !file.path.starts_with("gateway/app/")
}

fn check(files: &[File]) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| in_scope(file)) {
        let path = file.path.to_lowercase();
        let lines = file.text.lines().map(str::to_lowercase);
        for (at, line) in std::iter::once(path).chain(lines).enumerate() {
            for word in WORDS.iter().filter(|word| line.contains(**word)) {
                let what = format!("names a platform: {word}");
                found.push(match at {
                    0 => Violation::of(&file.path, what),
                    at => Violation::at(&file.path, at, what),
                });
            }
        }
    }
    found
}

#[test]
fn the_gateway_names_no_platform() {
    let files = crate::tree::files();
    let seen = files.iter().filter(|file| in_scope(file)).count();
    assert!(seen >= 40, "{seen} files");
    none(&check(files));
}

#[test]
fn a_platforms_name_is_reported() {
    let files = [
        File::new(
            "gateway/core/src/a.rs",
            "// As TELEGRAM does it\nstruct SlackThing;",
        ),
        File::new("gateway/core/DESIGN.md", "fine\nDiscord"),
        File::new("gateway/core/src/slack.rs", ""),
        File::new("gateway/app/main.rs", "telegram"),
        File::new("adapters/telegram/src/lib.rs", "telegram"),
    ];
    let [a, design, slack] = [
        "gateway/core/src/a.rs",
        "gateway/core/DESIGN.md",
        "gateway/core/src/slack.rs",
    ];
    let found = check(&files);
    reported(&found, &[a, a, design, slack]);
    assert_eq!(found[1].line, Some(2));
}
