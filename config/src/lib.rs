//! The configuration: one file, the environment for what the file leaves out, defaults for the
//! rest. This crate is the only place that reads the environment, so that where a value came from
//! has one answer ([`Sources`]). A file is read twice, so to say: first as typed (raw sections,
//! unknown keys refused), then as meant ([`Config`]). Every problem is found in one pass.

mod document;
mod environment;
mod error;
mod load;
mod meant;
mod model;
mod raw;
mod report;
mod secret;
mod sources;

pub use environment::Environment;
pub use error::{Error, Location, Problem, Problems, Warning};
pub use load::{LoadOptions, Loaded, data_dir, load};
pub use model::{
    Access, Agent, Busy, Config, Delivery, Gateway, Policy, Principal, Provider, ProviderKind,
    Telegram,
};
pub use report::Report;
pub use sources::{Entry, Shown, Source, Sources};
