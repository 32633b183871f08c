//! The crash matrix: for each kind of answer, a kill at every crash point that one answer passes,
//! then a restart, and a judgement from outside.

mod judge;
mod kinds;
mod reach;
mod run;
mod table;

use std::collections::BTreeMap;
use std::time::Duration;

use kinds::Kind;
use run::{Target, record, rows};

/// All of a kind's rows, on a busy machine.
const LIMIT: Duration = Duration::from_secs(600);

/// Where a later occurrence is another case: another part, another step, the repeat.
const MATTERS: [&str; 7] = [
    "call:create",
    "call:edit",
    "commit:intent",
    "commit:receipt",
    "commit:revise",
    "commit:step",
    "commit:tool",
];

/// Kills once at each point that the kind passes; where it matters, at the last occurrence too.
fn sample(kind: Kind) {
    let recorded = record(kind);
    let mut targets = Vec::new();
    for (point, times) in recorded.trace.counts() {
        targets.push(Target::new(&point, 1));
        if times > 1 && MATTERS.iter().any(|prefix| point.starts_with(prefix)) {
            targets.push(Target::new(&point, times));
        }
    }
    let rows = rows(kind, &targets, LIMIT);
    println!("{}", table::markdown(&rows));
    table::assert_good(kind, &rows);
}

#[test]
fn short_answer_survives_a_kill_at_every_point() {
    sample(Kind::Short);
}

#[test]
fn answer_of_three_parts_survives_a_kill_at_every_point() {
    sample(Kind::ThreeParts);
}

#[test]
fn answer_with_two_tool_calls_survives_a_kill_at_every_point() {
    sample(Kind::Tools);
}

#[test]
fn answer_after_a_cut_stream_survives_a_kill_at_every_point() {
    sample(Kind::Cut);
}

#[test]
fn command_answer_survives_a_kill_at_every_point() {
    sample(Kind::Command);
}

#[test]
fn withdrawn_parts_survive_a_kill_at_every_point() {
    sample(Kind::Withdrawn);
}

#[test]
fn repeat_with_a_label_survives_a_kill_at_every_point() {
    sample(Kind::Repeated);
}

/// Every crash point there is belongs to a row, or to the list of those that nothing reaches yet.
#[test]
fn every_point_is_reached_or_listed() {
    let mut reached: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for kind in Kind::ALL {
        for point in record(kind).trace.counts().into_keys() {
            reached.entry(point).or_default().push(kind.name());
        }
    }
    reach::check(&reached);
}

/// Every point at every occurrence: `tests/long/crash-matrix`.
#[test]
#[ignore = "takes minutes; tests/long/crash-matrix runs it"]
fn all_occurrences() {
    let mut all = Vec::new();
    for kind in Kind::ALL {
        let mut targets = Vec::new();
        for (point, times) in record(kind).trace.counts() {
            targets.extend((1..=times).map(|occurrence| Target::new(&point, occurrence)));
        }
        all.extend(rows(kind, &targets, LIMIT * 4));
    }
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("crash-matrix.md");
    std::fs::write(&file, table::report(&all)).expect("the table");
    println!("{}", file.display());
    for kind in Kind::ALL {
        let of_kind: Vec<_> = all.iter().filter(|row| row.kind == kind).cloned().collect();
        table::assert_good(kind, &of_kind);
    }
}
