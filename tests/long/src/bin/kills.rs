//! Kills at random moments; see [`talaria_long::kills`].

use std::time::Duration;

use clap::Parser;
use talaria_long::kills::{Options, run};

fn main() {
    let options = Options::parse();
    talaria_harness::within(Duration::from_secs(2400), |deadline| run(options, deadline));
}
