//! Crash points are in test builds only: the feature is switched on by one dev-dependency of the root
//! package, so that `cargo run` and release builds have none and ignore TALARIA_CRASH_AT.

use crate::manifest::Manifest;
use crate::{Violation, none, reported};

const FEATURE: &str = "crash-points";

fn check(manifests: &[Manifest]) -> Vec<Violation> {
    let mut found = Vec::new();
    for manifest in manifests {
        for (section, value) in &manifest.table {
            let allowed = match (manifest.name.as_str(), section.as_str()) {
                ("talaria", "dev-dependencies") => 1,
                // Where it is defined; it must not be a default.
                ("talaria-types", "features") => 1,
                _ => 0,
            };
            // The root's table of members says nothing about features.
            let times = value.to_string().matches(FEATURE).count();
            if times > allowed {
                let what = format!("[{section}] switches {FEATURE} on");
                found.push(Violation::of(&manifest.path, what));
            }
        }
        let defaults = manifest
            .table
            .get("features")
            .and_then(|features| features.get("default"));
        if defaults.is_some_and(|defaults| defaults.to_string().contains(FEATURE)) {
            found.push(Violation::of(
                &manifest.path,
                format!("{FEATURE} is a default"),
            ));
        }
    }
    found
}

#[test]
fn only_test_builds_have_crash_points() {
    let manifests = crate::manifest::manifests(crate::tree::files());
    let root = manifests
        .iter()
        .find(|manifest| manifest.name == "talaria")
        .expect("the root");
    let dev = root.table["dev-dependencies"].to_string();
    assert!(dev.contains(FEATURE), "no build has them");
    none(&check(&manifests));
}

#[test]
fn crash_points_in_a_build_for_use_are_reported() {
    let manifest = |path: &str, text: &str| Manifest::new(&crate::tree::File::new(path, text));
    let on = "talaria-types = { workspace = true, features = ['crash-points'] }";
    let root = "[package]\nname = 'talaria'";
    let types = "[package]\nname = 'talaria-types'";
    let manifests = [
        manifest("a/Cargo.toml", &format!("{root}\n[dependencies]\n{on}")),
        manifest(
            "b/Cargo.toml",
            &format!("{root}\n[features]\ndefault = ['talaria-types/crash-points']"),
        ),
        manifest(
            "c/Cargo.toml",
            &format!("[package]\nname = 'x'\n[dev-dependencies]\n{on}"),
        ),
        manifest(
            "d/Cargo.toml",
            &format!("{types}\n[features]\ndefault = ['crash-points']"),
        ),
        manifest(
            "e/Cargo.toml",
            &format!("{root}\n[workspace.dependencies]\n{on}"),
        ),
        manifest("f/Cargo.toml", &format!("{root}\n[dev-dependencies]\n{on}")),
        manifest(
            "g/Cargo.toml",
            &format!("{types}\n[features]\ncrash-points = []"),
        ),
    ];
    let wrong = [
        "a/Cargo.toml",
        "b/Cargo.toml",
        "c/Cargo.toml",
        "d/Cargo.toml",
        "e/Cargo.toml",
    ];
    let mut found = check(&manifests);
    found.dedup_by(|a, b| a.path == b.path);
    reported(&found, &wrong);
}
