//! Dependencies point one way: types <- ledger, markup, contract <- core <- agent, adapters <-
//! runtime <- app. Client crates, the HTTP client and the store engine each have their places.

use crate::manifest::{Dependency, Kind, Manifest};
use crate::{Violation, none, reported};

/// What each crate may use of ours. The root package, which is the app, may use all.
const OURS: [(&str, &[&str]); 17] = [
    ("talaria-types", &[]),
    ("talaria-ledger", &["types"]),
    ("talaria-markup", &["types"]),
    ("talaria-contract", &["types"]),
    ("talaria-core", &["types", "ledger", "markup", "contract"]),
    (
        "talaria-agent",
        &["types", "ledger", "markup", "contract", "core"],
    ),
    (
        "talaria-telegram",
        &["types", "ledger", "markup", "contract", "core"],
    ),
    (
        "talaria-discord",
        &["types", "ledger", "markup", "contract", "core"],
    ),
    (
        "talaria-slack",
        &["types", "ledger", "markup", "contract", "core"],
    ),
    (
        "talaria-runtime",
        &["types", "ledger", "markup", "contract", "core", "agent"],
    ),
    ("talaria-config", &["types"]),
    // What stands outside the gateway knows nothing of it.
    ("talaria-emulators", &[]),
    ("talaria-oracle", &[]),
    ("talaria-playground", &["emulators"]),
    ("talaria-harness", &["emulators", "oracle"]),
    (
        "talaria-long",
        &["types", "ledger", "emulators", "oracle", "harness"],
    ),
    (
        "talaria-sim",
        &[
            "types", "ledger", "markup", "contract", "core", "agent", "runtime",
        ],
    ),
];

/// What tests may use besides: the outside world and the oracle.
const IN_TESTS: [&str; 2] = ["talaria-emulators", "talaria-oracle"];

/// Who speaks HTTP: the model client, the adapters, the playground to its own emulators, and the
/// long runs, which measure what any client needs.
const REQUESTS: &[&str] = &[
    "talaria-agent",
    "talaria-telegram",
    "talaria-discord",
    "talaria-slack",
    "talaria-playground",
    "talaria-long",
];

/// Crates that only these packages may use.
const PLACES: [(&str, &[&str]); 11] = [
    ("teloxide", &["talaria-telegram"]),
    ("teloxide-core", &["talaria-telegram"]),
    ("serenity", &["talaria-discord"]),
    ("slack-morphism", &["talaria-slack"]),
    ("sled", &["talaria-ledger"]),
    ("reqwest", REQUESTS),
    // Other HTTP clients would go round the choke points.
    ("ureq", &[]),
    ("isahc", &[]),
    ("attohttpc", &[]),
    ("hyper", &[]),
    ("hyper-util", &[]),
];

/// Packages whose tests may use the HTTP client as a user from outside.
const REQUESTS_IN_TESTS: [&str; 2] = ["talaria", "talaria-emulators"];

/// No clock, no I/O: neither a runtime nor a network.
const PURE: [&str; 5] = [
    "talaria-types",
    "talaria-core",
    "talaria-markup",
    "talaria-ledger",
    "talaria-config",
];
const IMPURE: [&str; 9] = [
    "tokio",
    "tokio-util",
    "async-std",
    "smol",
    "axum",
    "hyper",
    "reqwest",
    "teloxide",
    "tungstenite",
];

fn check(manifests: &[Manifest]) -> Vec<Violation> {
    let mut found = Vec::new();
    for manifest in manifests {
        for dependency in manifest.dependencies() {
            let refused = [
                ours(&manifest.name, &dependency),
                place(&manifest.name, &dependency),
                pure(&manifest.name, &dependency),
                (!dependency.from_workspace).then_some("is not pinned in the workspace"),
            ];
            for reason in refused.into_iter().flatten() {
                let what = format!("{} {reason} ({:?})", dependency.name, dependency.kind);
                found.push(Violation::of(&manifest.path, what));
            }
        }
        let lints = manifest
            .table
            .get("lints")
            .and_then(|lints| lints.get("workspace"));
        if lints.and_then(toml::Value::as_bool) != Some(true) {
            found.push(Violation::of(
                &manifest.path,
                "does not take the workspace's lints",
            ));
        }
        if manifest.name != "talaria" && !OURS.iter().any(|(name, _)| *name == manifest.name) {
            found.push(Violation::of(
                &manifest.path,
                "is a package that the rules don't know",
            ));
        }
    }
    found
}

fn ours(package: &str, dependency: &Dependency) -> Option<&'static str> {
    let short = dependency.name.strip_prefix("talaria-")?;
    let (_, allowed) = OURS.iter().find(|(name, _)| *name == package)?;
    let fits = allowed.contains(&short)
        || dependency.kind == Kind::Dev
            && (package == dependency.name
                || package != "talaria-emulators" && IN_TESTS.contains(&dependency.name.as_str()));
    (!fits).then_some("is against the direction of dependencies")
}

fn place(package: &str, dependency: &Dependency) -> Option<&'static str> {
    let (_, places) = PLACES.iter().find(|(name, _)| *name == dependency.name)?;
    let from_outside = dependency.name == "reqwest"
        && dependency.kind == Kind::Dev
        && REQUESTS_IN_TESTS.contains(&package);
    (!places.contains(&package) && !from_outside).then_some("has its place in another crate")
}

fn pure(package: &str, dependency: &Dependency) -> Option<&'static str> {
    let refused = PURE.contains(&package)
        && dependency.kind != Kind::Dev
        && IMPURE.contains(&dependency.name.as_str());
    refused.then_some("has no place in a pure crate")
}

#[test]
fn dependencies_point_one_way() {
    let manifests = crate::manifest::manifests(crate::tree::files());
    assert!(manifests.len() >= 13, "{} manifests", manifests.len());
    let edges: usize = manifests
        .iter()
        .map(|manifest| manifest.dependencies().len())
        .sum();
    assert!(edges >= 80, "{edges} dependencies");
    none(&check(&manifests));
}

#[test]
fn every_member_is_seen() {
    let manifests = crate::manifest::manifests(crate::tree::files());
    let root = manifests
        .iter()
        .find(|manifest| manifest.path == "Cargo.toml")
        .expect("the root");
    let members = root.table["workspace"]["members"]
        .as_array()
        .expect("members");
    for member in members {
        let path = format!("{}/Cargo.toml", member.as_str().expect("a path"));
        assert!(
            manifests.iter().any(|manifest| manifest.path == path),
            "{path}"
        );
    }
    assert_eq!(
        members.len() + 1,
        manifests.len(),
        "a package stands outside the workspace"
    );
}

#[test]
fn a_wrong_dependency_is_reported() {
    let wrong = |package: &str, dependencies: &str| {
        let text =
            format!("[package]\nname = '{package}'\n{dependencies}\n[lints]\nworkspace = true");
        let file = crate::tree::File::new("x/Cargo.toml", &text);
        check(&[Manifest::new(&file)]).len()
    };
    let uses = |name: &str| format!("[dependencies]\n{name}.workspace = true");
    let tests = |name: &str| format!("[dev-dependencies]\n{name}.workspace = true");
    for (package, name) in [
        ("talaria-types", "talaria-ledger"),
        ("talaria-ledger", "talaria-core"),
        ("talaria-core", "talaria-agent"),
        ("talaria-agent", "talaria-telegram"),
        ("talaria-telegram", "talaria-agent"),
        ("talaria-runtime", "talaria-telegram"),
        ("talaria-emulators", "talaria-types"),
        ("talaria-config", "talaria-core"),
        ("talaria-runtime", "teloxide"),
        ("talaria-runtime", "reqwest"),
        ("talaria", "reqwest"),
        ("talaria", "sled"),
        ("talaria-agent", "ureq"),
        ("talaria-core", "tokio"),
        ("talaria-runtime", "talaria-oracle"),
    ] {
        assert_eq!(wrong(package, &uses(name)), 1, "{package} -> {name}");
    }
    for (package, name) in [
        ("talaria-emulators", "talaria-types"),
        ("talaria-runtime", "reqwest"),
        ("talaria-types", "talaria-ledger"),
    ] {
        assert_eq!(
            wrong(package, &tests(name)),
            1,
            "{package} -> {name} in tests"
        );
    }
    for (package, name) in [
        ("talaria-telegram", "talaria-emulators"),
        ("talaria", "reqwest"),
        ("talaria-core", "tokio"),
        ("talaria-contract", "talaria-contract"),
    ] {
        assert_eq!(
            wrong(package, &tests(name)),
            0,
            "{package} -> {name} in tests"
        );
    }
    assert_eq!(
        wrong("talaria-core", "[dependencies]\nserde = '1'"),
        1,
        "not pinned"
    );
    assert_eq!(wrong("talaria-stranger", ""), 1, "unknown package");
    let unlinted = crate::tree::File::new("x/Cargo.toml", "[package]\nname = 'talaria'");
    reported(&check(&[Manifest::new(&unlinted)]), &["x/Cargo.toml"]);
}
