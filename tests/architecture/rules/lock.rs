//! What may be in the dependency tree at all.

use std::collections::BTreeMap;

use crate::manifest::locked;
use crate::tree::File;
use crate::{Violation, none};

/// One TLS: rustls with ring.
const BANNED: [&str; 7] = [
    "openssl",
    "openssl-sys",
    "openssl-src",
    "native-tls",
    "aws-lc-rs",
    "aws-lc-sys",
    "boring",
];

/// Crates of which two versions would mean two connection pools or two meanings of one type.
const SINGLE: [&str; 4] = ["reqwest", "tokio", "serde", "sled"];

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn check(packages: &BTreeMap<String, Vec<(String, Option<String>)>>) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut report = |what: String| found.push(Violation::of("Cargo.lock", what));
    for (name, entries) in packages {
        if BANNED.contains(&name.as_str()) {
            report(format!("{name} is in the tree"));
        }
        if SINGLE.contains(&name.as_str()) && entries.len() > 1 {
            report(format!("{name} is there in {} versions", entries.len()));
        }
        for (version, source) in entries {
            if source.as_deref().is_some_and(|source| source != REGISTRY) {
                report(format!("{name} {version} does not come from crates.io"));
            }
        }
    }
    found
}

#[test]
fn the_tree_has_one_tls_and_one_http_client() {
    let files = crate::tree::files();
    let lock: &File = files
        .iter()
        .find(|file| file.path == "Cargo.lock")
        .expect("a lock file");
    let packages = locked(&lock.text);
    assert!(packages.len() >= 150, "{} packages", packages.len());
    for name in SINGLE.into_iter().chain(["rustls", "ring"]) {
        assert!(packages.contains_key(name), "{name} is not in the tree");
    }
    none(&check(&packages));
}

#[test]
fn a_wrong_package_is_reported() {
    let entry = |name: &str, version: &str, source: &str| {
        format!("[[package]]\nname = '{name}'\nversion = '{version}'\nsource = '{source}'\n")
    };
    let count = |text: String| check(&locked(&text)).len();
    assert_eq!(count(entry("openssl-sys", "0.9.1", REGISTRY)), 1);
    assert_eq!(count(entry("aws-lc-rs", "1.0.0", REGISTRY)), 1);
    let two = entry("reqwest", "0.12.1", REGISTRY) + &entry("reqwest", "0.13.1", REGISTRY);
    assert_eq!(count(two), 1);
    assert_eq!(
        count(entry("serde", "1.0.0", "git+https://example.com/serde")),
        1
    );
    assert_eq!(count(entry("serde", "1.0.0", REGISTRY)), 0);
    assert_eq!(
        count("[[package]]\nname = 'talaria'\nversion = '0.1.0'\n".to_owned()),
        0
    );
}
