//! A start on a ledger with a past; see [`talaria_long::start`].

use std::time::Duration;

use clap::Parser;
use talaria_long::start::{Options, run};

fn main() {
    let options = Options::parse();
    talaria_harness::within(Duration::from_secs(600), |deadline| run(options, deadline));
}
