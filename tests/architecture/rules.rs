//! One file for each rule.

mod choke;
mod crash_points;
mod dependencies;
mod layout;
mod length;
mod lock;
mod machine;
mod panics;
mod words;
