//! Whole runs: from a seed, from a saved list of steps, and the search for a shorter list.

use serde::{Deserialize, Serialize};

use crate::generate::{self, Mood};
use crate::rng::Rng;
use crate::step::Step;
use crate::variant::Variant;
use crate::violation::Violation;
use crate::world::{Listed, Stats, World};

/// A run that can be repeated whatever becomes of the generator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// What broke when it was saved.
    #[serde(default)]
    pub why: String,
    pub variant: u8,
    pub steps: Vec<Step>,
}

/// What a run came to.
#[derive(Debug)]
pub struct Outcome {
    pub case: Case,
    pub result: Result<Vec<Listed>, Violation>,
    pub stats: Stats,
}

/// Runs `events` steps from a seed, then the quiet.
#[must_use]
pub fn run_seed(seed: u64, events: usize) -> Outcome {
    let mut rng = Rng::new(seed);
    let mood = Mood::of(&mut rng);
    let variant = Variant::of_seed(seed);
    let mut world = World::new(variant);
    let mut steps = Vec::with_capacity(events);
    let mut result = Ok(Vec::new());
    for number in 0..events {
        let step = generate::next(&mut rng, mood, &world);
        let done = world.step(&step);
        steps.push(step);
        if let Err(violation) = done {
            result = Err(at(violation, number));
            break;
        }
    }
    if result.is_ok() {
        result = world.finish().map_err(|violation| at(violation, events));
    }
    Outcome {
        case: Case {
            why: String::new(),
            variant: variant.0,
            steps,
        },
        result,
        stats: std::mem::take(&mut world.stats),
    }
}

/// Runs a list of steps, then the quiet.
///
/// # Errors
/// The promise that is broken.
pub fn replay(case: &Case) -> Result<Vec<Listed>, Violation> {
    replay_in(&mut World::new(Variant(case.variant)), case)
}

/// The same, with a line for everything that happens.
pub fn trace(case: &Case) -> (Vec<String>, Result<Vec<Listed>, Violation>) {
    let mut world = World::new(Variant(case.variant));
    world.keep_trace();
    let result = replay_in(&mut world, case);
    (world.take_trace(), result)
}

fn replay_in(world: &mut World, case: &Case) -> Result<Vec<Listed>, Violation> {
    for (number, step) in case.steps.iter().enumerate() {
        world
            .step(step)
            .map_err(|violation| at(violation, number))?;
    }
    world
        .finish()
        .map_err(|violation| at(violation, case.steps.len()))
}

fn at(mut violation: Violation, event: usize) -> Violation {
    violation.event = event;
    violation
}

/// Runs that a search for a shorter list may take.
const ATTEMPTS: u32 = 400;

/// Leaves out steps as long as the same promise stays broken.
#[must_use]
pub fn shrink(case: &Case) -> Case {
    let Err(first) = replay(case) else {
        return case.clone();
    };
    let mut attempts = 0;
    let mut broken = |steps: &[Step]| {
        attempts += 1;
        if attempts > ATTEMPTS {
            return false;
        }
        let case = Case {
            steps: steps.to_vec(),
            ..case.clone()
        };
        replay(&case).is_err_and(|violation| violation.promise == first.promise)
    };
    let mut steps = case.steps.clone();
    steps.truncate(first.event + 1);
    if !broken(&steps) {
        steps.clone_from(&case.steps);
    }
    let mut size = (steps.len() / 2).max(1);
    loop {
        let mut from = 0;
        let mut less = false;
        while from < steps.len() {
            let to = (from + size).min(steps.len());
            let mut shorter = steps.clone();
            shorter.drain(from..to);
            if broken(&shorter) {
                steps = shorter;
                less = true;
            } else {
                from = to;
            }
        }
        if size == 1 && !less {
            break;
        }
        size = (size / 2).max(1);
    }
    let mut case = Case {
        steps,
        ..case.clone()
    };
    if let Err(violation) = replay(&case) {
        case.why = violation.to_string();
    }
    case
}
