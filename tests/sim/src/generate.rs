//! Which step comes next: weights, and a look at what there is, so that few steps are skipped.

use crate::rng::Rng;
use crate::step::{Fate, ModelAct, Step, UserAct};
use crate::world::{CHATS, World};

/// How rough a world is; chosen once per seed.
#[derive(Clone, Copy, Debug)]
pub struct Mood {
    /// Percent of calls that do not simply succeed.
    faults: u64,
    /// Crashes in ten thousand steps.
    crashes: u64,
}

impl Mood {
    #[must_use]
    pub fn of(rng: &mut Rng) -> Self {
        Self {
            faults: [5, 15, 40][usize::try_from(rng.below(3)).unwrap_or(0)],
            crashes: [20, 80, 250][usize::try_from(rng.below(3)).unwrap_or(0)],
        }
    }
}

/// The next step.
#[must_use]
pub fn next(rng: &mut Rng, mood: Mood, world: &World) -> Step {
    let look = world.look();
    if !look.running {
        return match rng.below(10) {
            0 => user(rng),
            1 | 2 => Step::Advance {
                millis: u32::try_from(rng.below(12_000)).unwrap_or(0),
            },
            _ => Step::Restart,
        };
    }
    if rng.below(10_000) < mood.crashes {
        return Step::Crash {
            after: u8::try_from(rng.below(12)).unwrap_or(0),
            orphans: u32::try_from(rng.draw() >> 32).unwrap_or(0),
        };
    }
    if rng.chance(1) && rng.chance(60) {
        return rare(rng);
    }
    let choices = [
        (6, true),
        (if look.upstream { 12 } else { 0 }, true),
        (30, look.mail),
        (16, look.calls),
        (18, look.streams),
        (8, look.tools),
        (10, true),
    ];
    let total: u64 = choices.iter().map(|(w, on)| if *on { *w } else { 0 }).sum();
    let mut at = rng.below(total);
    let mut chosen = 0;
    for (index, (weight, on)) in choices.iter().enumerate() {
        let weight = if *on { *weight } else { 0 };
        if at < weight {
            chosen = index;
            break;
        }
        at -= weight;
    }
    match chosen {
        0 => user(rng),
        1 => Step::Intake {
            count: u8::try_from(1 + rng.below(4)).unwrap_or(1),
        },
        2 => Step::Handle { pick: rng.pick() },
        3 => Step::Call {
            pick: rng.pick(),
            fate: fate(rng, mood),
        },
        4 => Step::Model {
            pick: rng.pick(),
            act: model(rng),
        },
        5 => Step::Tool {
            pick: rng.pick(),
            error: rng.chance(20),
        },
        _ => Step::Advance {
            millis: u32::try_from(match rng.below(10) {
                0..6 => rng.below(400),
                6..9 => rng.below(3000),
                _ => rng.below(15_000),
            })
            .unwrap_or(0),
        },
    }
}

fn user(rng: &mut Rng) -> Step {
    let act = match rng.below(100) {
        0..48 => UserAct::Text,
        48..50 => UserAct::Empty,
        50..52 => UserAct::Unsupported,
        52..60 => UserAct::Edit { pick: rng.pick() },
        60..66 => UserAct::Stop,
        66..70 => UserAct::New,
        70..75 => UserAct::Status,
        75..77 => UserAct::Help,
        77..80 => UserAct::Press,
        _ => UserAct::Again {
            pick: rng.pick(),
            alias: rng.chance(50),
        },
    };
    Step::User {
        chat: chat(rng),
        act,
    }
}

fn chat(rng: &mut Rng) -> u8 {
    u8::try_from(rng.below(u64::from(CHATS))).unwrap_or(0)
}

fn rare(rng: &mut Rng) -> Step {
    match rng.below(20) {
        0..6 => Step::Echo { pick: rng.pick() },
        6 => Step::Remove { pick: rng.pick() },
        7 | 8 => Step::File {
            chat: chat(rng),
            withdrawn: rng.chance(30),
        },
        9 => Step::Access {
            chat: chat(rng),
            allowed: rng.chance(70),
        },
        10 => Step::Block {
            chat: chat(rng),
            blocked: rng.chance(30),
        },
        11 | 12 => Step::Stall {
            millis: u32::try_from(rng.below(70_000)).unwrap_or(0),
        },
        13 if rng.chance(5) => Step::Stall {
            millis: 25 * 3600 * 1000,
        },
        13..16 => Step::Leave { pick: rng.pick() },
        16 | 17 => Step::Shutdown {
            orphans: u32::try_from(rng.draw() >> 32).unwrap_or(0),
        },
        _ => Step::Advance {
            millis: u32::try_from(rng.below(90_000)).unwrap_or(0),
        },
    }
}

fn fate(rng: &mut Rng, mood: Mood) -> Fate {
    if !rng.chance(mood.faults) {
        return Fate::Done;
    }
    let small = |rng: &mut Rng, most| u8::try_from(1 + rng.below(most)).unwrap_or(1);
    match rng.below(24) {
        0..3 => Fate::NotSent,
        3..6 => Fate::LostAfter,
        6..8 => Fate::LostBefore,
        8..12 => Fate::LostLate {
            millis: u16::try_from(1000 + rng.below(7000)).unwrap_or(0),
        },
        12..14 => Fate::Hangs {
            seconds: small(rng, 120),
        },
        14..16 => Fate::RateLimited {
            seconds: small(rng, 20),
        },
        16 => Fate::Server,
        17 | 18 => Fate::Format,
        19 => Fate::NotEditable,
        20 if rng.chance(40) => Fate::Refused,
        20 | 21 => Fate::NoId,
        22 => Fate::Undecided,
        _ => Fate::NotSent,
    }
}

fn model(rng: &mut Rng) -> ModelAct {
    match rng.below(100) {
        0..52 => ModelAct::Words {
            count: u8::try_from(1 + rng.below(12)).unwrap_or(1),
        },
        52..56 => ModelAct::Thinking,
        56..72 => ModelAct::Tool {
            tool: u8::try_from(rng.below(4)).unwrap_or(0),
        },
        72..89 => ModelAct::End,
        89 => ModelAct::MaxTokens,
        90..95 => ModelAct::Cut,
        95..97 => ModelAct::Overloaded,
        97 => ModelAct::Invalid,
        98 => ModelAct::TooLong,
        _ => ModelAct::End,
    }
}
