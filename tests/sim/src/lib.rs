//! The simulation: the gateway's pure machines in a world that is made up and deterministic.
//! Users, a model, tools, a platform and crashes, all from one seed; the promises are checked
//! from the world's side after every event. See DESIGN.md.

pub mod generate;
pub mod render;
pub mod rng;
pub mod run;
pub mod step;
pub mod variant;
pub mod violation;
pub mod world;

pub use run::{Case, Outcome, replay, run_seed, shrink, trace};
pub use step::Step;
pub use variant::Variant;
pub use violation::{Promise, Violation};
pub use world::World;
