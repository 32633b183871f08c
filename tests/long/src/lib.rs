//! Long runs against the release build: figures and random kills, judged from outside. One program
//! each under `src/bin`; each prints a section of Markdown, and `report` puts it into `RESULTS.md`.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these are tests: what is not as expected ends them, and is said"
)]

pub mod control;
pub mod floor;
pub mod growth;
pub mod kills;
pub mod latency;
pub mod load;
pub mod options;
pub mod proc;
pub mod report;
pub mod seed;
pub mod start;
pub mod table;
pub mod texts;
pub mod verdict;
