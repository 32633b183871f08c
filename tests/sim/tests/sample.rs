//! A few seeds on every test run. The long run is a command of its own (DESIGN.md).

use talaria_sim::world::Stats;
use talaria_sim::{Variant, run_seed};

const SEEDS: u64 = 24;
const EVENTS: usize = 1200;

#[test]
fn seeds_keep_every_promise() {
    let mut stats = Stats::default();
    let mut rows = [0u64; 13];
    let _before = talaria_types::mutation::take_rows();
    for seed in 0..SEEDS {
        let outcome = run_seed(seed, EVENTS);
        if let Err(violation) = outcome.result {
            panic!(
                "seed {seed} (variant {:?}): {violation}",
                Variant::of_seed(seed)
            );
        }
        stats.add(&outcome.stats);
    }
    for (sum, count) in rows.iter_mut().zip(talaria_types::mutation::take_rows()) {
        *sum += count;
    }
    // A sample that does nothing proves nothing.
    for (row, count) in rows.iter().enumerate().skip(1) {
        assert!(*count > 0, "row {row} of the table was never reached");
    }
    for what in [
        "late effect",
        "note: turn continued",
        "note: post repeated",
        "note: stale answer",
        "turn: Finished",
        "turn: Stopped",
        "turn: Superseded",
        "commit: revise",
        "call: prove",
        "call: append",
        "crash point: commit:settle:before",
        "crash point: commit:intent:after",
        "crash point: call:create:after",
    ] {
        assert!(
            stats.counts.contains_key(what),
            "the sample has no {what:?}"
        );
    }
}

#[test]
fn a_seed_is_a_run() {
    let (a, b) = (run_seed(7, 400), run_seed(7, 400));
    assert_eq!(a.case.steps, b.case.steps);
    assert_eq!(a.stats.counts, b.stats.counts);
    let text = serde_json::to_string(&a.case).unwrap();
    let again: talaria_sim::Case = serde_json::from_str(&text).unwrap();
    assert_eq!(again, a.case);
    assert_eq!(talaria_sim::replay(&again).unwrap(), a.result.unwrap());
}
