//! The limits bite, and the gateway keeps them; see [`talaria_long::control`].

use std::time::Duration;

use clap::Parser;
use talaria_long::control::{Options, run};

fn main() {
    let options = Options::parse();
    talaria_harness::within(Duration::from_secs(300), |deadline| run(options, deadline));
}
