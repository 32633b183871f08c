//! The folders, as the design lists them.

use std::collections::BTreeSet;

use crate::tree::File;
use crate::{Violation, none, reported};

/// What stands at the top besides dot files; all of it has to be there.
const TOP: [&str; 13] = [
    "gateway",
    "adapters",
    "ledger",
    "config",
    "tests",
    "deploy",
    "Cargo.toml",
    "Cargo.lock",
    "README.md",
    "LICENSE",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "clippy.toml",
];

/// What may stand in a folder of crates. A platform appears when its adapter is built.
const INSIDE: [(&str, &[&str]); 2] = [
    ("gateway", &["types", "core", "agent", "runtime", "app"]),
    (
        "adapters",
        &[
            "contract",
            "markup",
            "telegram",
            "discord",
            "slack",
            "emulators",
            "playground",
        ],
    ),
];

/// Files that every adapter has, so that who knows one knows all.
const IN_ADAPTERS: [&str; 7] = [
    "settings",
    "capabilities",
    "ingress",
    "parse",
    "call",
    "classify",
    "format",
];
const PLATFORMS: [&str; 3] = ["telegram", "discord", "slack"];

fn check(files: &[File]) -> Vec<Violation> {
    let mut found = Vec::new();
    let top: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.path.split('/').next())
        .collect();
    for name in &top {
        if !name.starts_with('.') && !TOP.contains(name) {
            found.push(Violation::of(name, "is not in the list of the top level"));
        }
    }
    for name in TOP.iter().filter(|name| !top.contains(*name)) {
        found.push(Violation::of(name, "is missing at the top level"));
    }
    for (folder, allowed) in INSIDE {
        let inside = |file: &'_ File| -> Option<String> {
            let (name, rest) = file
                .path
                .strip_prefix(folder)?
                .strip_prefix('/')?
                .split_once('/')?;
            (!rest.is_empty()).then(|| name.to_owned())
        };
        let names: BTreeSet<String> = files.iter().filter_map(inside).collect();
        for name in names
            .iter()
            .filter(|name| !allowed.contains(&name.as_str()))
        {
            let path = format!("{folder}/{name}");
            found.push(Violation::of(&path, "is not in the list of its folder"));
        }
    }
    for platform in PLATFORMS {
        let folder = format!("adapters/{platform}/");
        if !files.iter().any(|file| file.path.starts_with(&folder)) {
            continue;
        }
        for module in IN_ADAPTERS {
            let path = format!("{folder}src/{module}.rs");
            if !files.iter().any(|file| file.path == path) {
                found.push(Violation::of(&path, "is missing: every adapter has it"));
            }
        }
    }
    found
}

#[test]
fn the_folders_are_those_of_the_design() {
    let files = crate::tree::files();
    assert!(files.len() >= 100, "{} files", files.len());
    none(&check(files));
}

#[test]
fn a_strange_folder_is_reported() {
    let mut paths: Vec<String> = ["Cargo.toml", "Cargo.lock", "README.md", "LICENSE"]
        .into_iter()
        .chain([
            "rust-toolchain.toml",
            "rustfmt.toml",
            "clippy.toml",
            ".gitignore",
        ])
        .chain([
            "gateway/types/src/lib.rs",
            "adapters/contract/Cargo.toml",
            "ledger/Cargo.toml",
        ])
        .chain([
            "config/Cargo.toml",
            "tests/e2e/main.rs",
            "deploy/talaria.service",
        ])
        .map(str::to_owned)
        .collect();
    let files =
        |paths: &[String]| -> Vec<File> { paths.iter().map(|p| File::new(p, "")).collect() };
    reported(&check(&files(&paths)), &[]);
    paths.extend(
        [
            "src/lib.rs",
            "gateway/utils/src/lib.rs",
            "adapters/irc/Cargo.toml",
        ]
        .map(str::to_owned),
    );
    let expected = ["src", "gateway/utils", "adapters/irc"];
    reported(&check(&files(&paths)), &expected);
    paths.truncate(14);
    paths.retain(|path| path != "LICENSE");
    paths.extend(
        IN_ADAPTERS[1..]
            .iter()
            .map(|module| format!("adapters/slack/src/{module}.rs")),
    );
    reported(
        &check(&files(&paths)),
        &["LICENSE", "adapters/slack/src/settings.rs"],
    );
}
