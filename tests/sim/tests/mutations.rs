//! Each deliberate fault is caught by the promise that it breaks, within a bounded number of
//! seeds; the same seeds pass without it.

use talaria_sim::{Promise, run_seed};
use talaria_types::mutation::{self, Mutation};

const EVENTS: usize = 900;
const SEEDS: u64 = 60;

/// Off again whatever happens.
struct Switched;

impl Switched {
    fn on(mutation: Mutation) -> Self {
        mutation::set(Some(mutation));
        Self
    }
}

impl Drop for Switched {
    fn drop(&mut self) {
        mutation::set(None);
    }
}

/// The first seed that catches it, checked to be sound without it.
fn caught(mutation: Mutation, by: &[Promise]) {
    let mut other = Vec::new();
    for seed in 0..SEEDS {
        let outcome = {
            let _on = Switched::on(mutation);
            run_seed(seed, EVENTS)
        };
        let Err(violation) = outcome.result else {
            continue;
        };
        if by.contains(&violation.promise) {
            if let Err(violation) = run_seed(seed, EVENTS).result {
                panic!("seed {seed} fails without {mutation:?} too: {violation}");
            }
            return;
        }
        other.push((seed, violation));
    }
    panic!("{mutation:?} is not caught by {by:?} within {SEEDS} seeds; {other:?}");
}

#[test]
fn skipped_aliases_break_p2() {
    caught(Mutation::SkipAliases, &[Promise::P2, Promise::Ledger]);
}

#[test]
fn two_settling_commits_break_p3() {
    caught(Mutation::TwoCommits, &[Promise::P3]);
}

#[test]
fn rendering_again_breaks_p4() {
    caught(Mutation::RenderAgain, &[Promise::P4]);
}

#[test]
fn a_tool_before_its_record_breaks_p5() {
    caught(Mutation::ResultBeforeStarted, &[Promise::P5]);
}

#[test]
fn a_failed_look_taken_for_absence_breaks_p6() {
    caught(Mutation::AbsentAfterFailedRead, &[Promise::P6]);
}

#[test]
fn an_old_fence_that_counts_breaks_p7() {
    caught(Mutation::AcceptOldFence, &[Promise::P6, Promise::P7]);
}

#[test]
fn ignored_evidence_breaks_p7() {
    caught(Mutation::IgnoreEvidence, &[Promise::P7]);
}

#[test]
fn creates_out_of_order_break_p8() {
    caught(Mutation::CreateOutOfOrder, &[Promise::P8]);
}
