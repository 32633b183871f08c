//! The choke points: crash points are passed in four places alone, the environment is read in
//! one, and what the lints ban is lifted in a list of files, once in each.

use crate::source::{lines_with, production};
use crate::tree::File;
use crate::{Violation, none, reported};

/// Where each choke point may be passed. `*` stands for one adapter.
const CHOKES: [(&str, &[&str]); 4] = [
    ("Choke::Commit", &["gateway/runtime/src/commit.rs"]),
    ("Choke::Ack", &["adapters/*/src/ingress.rs"]),
    ("Choke::Call", &["gateway/runtime/src/session/effects.rs"]),
    (
        "Choke::Work",
        &["gateway/agent/src/http.rs", "gateway/agent/src/toolbox.rs"],
    ),
];

/// What a crash point is defined by.
const DEFINITION: &str = "gateway/types/src/crash.rs";

/// Files that may lift a ban, once: the environment, the supervised spawn, the commit, the
/// network calls.
const LIFTED: [&str; 9] = [
    "adapters/*/src/http.rs",
    // The playground's question to its own emulated model.
    "adapters/playground/src/emulated.rs",
    "config/src/environment.rs",
    "gateway/agent/src/http.rs",
    "gateway/runtime/src/commit.rs",
    "gateway/runtime/src/supervise.rs",
    "ledger/src/store.rs",
    "ledger/src/store/writer.rs",
    "ledger/src/store/writer/queue.rs",
];

/// Files that are a clock and do nothing else: they ask for the time in more than one unit.
const CLOCKS: [&str; 3] = [
    "adapters/*/src/clock.rs",
    "gateway/app/clock.rs",
    "gateway/runtime/src/clock.rs",
];

const ENVIRONMENT: [&str; 4] = ["env::var(", "env::var_os(", "env::vars(", "env::vars_os("];

fn fits(path: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, after)) => path
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .is_some_and(|name| !name.contains('/')),
        None => path == pattern,
    }
}

fn check(files: &[File]) -> Vec<Violation> {
    let mut found = Vec::new();
    let scope = files
        .iter()
        .filter(|file| file.is_rust() && !file.may_panic());
    for file in scope {
        let text = production(&file.text);
        let allowed = |patterns: &[&str]| patterns.iter().any(|pattern| fits(&file.path, pattern));
        if file.path != DEFINITION {
            for (choke, places) in CHOKES {
                if !allowed(places) {
                    let what = format!("{choke} is passed outside of its choke point");
                    let lines = lines_with(&text, choke);
                    found.extend(lines.map(|line| Violation::at(&file.path, line, what.clone())));
                }
            }
            let any_place = CHOKES.iter().any(|(_, places)| allowed(places));
            if !any_place {
                let lines = lines_with(&text, "crash::pass");
                let at = |line| Violation::at(&file.path, line, "a crash point outside of a choke");
                found.extend(lines.map(at));
            }
        }
        if file.path != "config/src/environment.rs" {
            for call in ENVIRONMENT {
                let at = |line| Violation::at(&file.path, line, "reads the environment");
                found.extend(lines_with(&text, call).map(at));
            }
        }
        let lifted: Vec<_> = lines_with(&text, "clippy::disallowed_methods").collect();
        let permitted = if allowed(&CLOCKS) {
            usize::MAX
        } else {
            usize::from(allowed(&LIFTED))
        };
        for line in lifted.into_iter().skip(permitted) {
            found.push(Violation::at(
                &file.path,
                line,
                "lifts a ban that it has no right to",
            ));
        }
        if text.contains("allow(clippy::disallowed_methods") {
            found.push(Violation::of(
                &file.path,
                "lifts a ban with `allow`: use `expect`",
            ));
        }
    }
    found
}

/// Choke points that nobody passes: a crash there could not be tested.
fn unpassed(files: &[File]) -> Vec<Violation> {
    let passed = |choke: &str| {
        let code = files
            .iter()
            .filter(|file| file.is_rust() && !file.may_panic());
        code.filter(|file| file.path != DEFINITION).any(|file| {
            let text = production(&file.text);
            text.contains(choke) && text.contains("crash::pass")
        })
    };
    let missing = CHOKES.iter().filter(|(choke, _)| !passed(choke));
    missing
        .map(|(choke, places)| {
            Violation::of(&places.join(", "), format!("{choke} is nowhere passed"))
        })
        .collect()
}

#[test]
fn choke_points_are_where_they_should_be() {
    let files = crate::tree::files();
    let seen = files
        .iter()
        .filter(|file| file.is_rust() && !file.may_panic())
        .count();
    assert!(seen >= 60, "{seen} files");
    none(&check(files));
}

#[test]
fn every_choke_point_is_passed() {
    none(&unpassed(crate::tree::files()));
}

#[test]
fn going_round_a_choke_point_is_reported() {
    let lift = "#[expect(\n    clippy::disallowed_methods,\n    reason = \"\"\n)]\nfn a() {}\n";
    let good = [
        File::new(
            "adapters/slack/src/ingress.rs",
            "crash::pass(Choke::Ack(a), b);",
        ),
        File::new(
            "gateway/agent/src/toolbox.rs",
            "// Choke::Call\ncrash::pass(Choke::Work(a), b);",
        ),
        File::new("gateway/agent/src/http.rs", lift),
        File::new(
            "gateway/core/src/a/tests.rs",
            "crash::pass(Choke::Call(a), b);",
        ),
        File::new("gateway/types/src/crash.rs", "Choke::Call, Choke::Commit"),
        File::new("config/src/environment.rs", "std::env::var_os(name)"),
        File::new("gateway/runtime/src/clock.rs", &format!("{lift}{lift}")),
    ];
    reported(&check(&good), &[]);
    let bad = [
        File::new(
            "gateway/agent/src/toolbox.rs",
            "crash::pass(Choke::Commit(a), b);",
        ),
        File::new("gateway/core/src/a.rs", "crash::pass(a, b);"),
        File::new("gateway/core/src/b.rs", lift),
        File::new("gateway/agent/src/http.rs", &format!("{lift}{lift}")),
        File::new(
            "config/src/environment.rs",
            "#[allow(clippy::disallowed_methods)]",
        ),
        File::new("gateway/app/main.rs", "std::env::vars_os()"),
        File::new("adapters/a/b/src/ingress.rs", "Choke::Ack"),
    ];
    let paths: Vec<_> = bad.iter().map(|file| file.path.as_str()).collect();
    reported(&check(&bad), &paths);
    reported(
        &unpassed(&good),
        &[
            "gateway/runtime/src/commit.rs",
            "gateway/runtime/src/session/effects.rs",
        ],
    );
}
