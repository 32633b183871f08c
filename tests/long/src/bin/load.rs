//! Answers to many chats at once; see [`talaria_long::load`].

use std::time::Duration;

use clap::Parser;
use talaria_long::load::{Options, run};

fn main() {
    let options = Options::parse();
    talaria_harness::within(Duration::from_secs(600), |deadline| run(options, deadline));
}
