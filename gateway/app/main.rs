//! The binary: command line, composition, admin socket, health. It wires and translates; it
//! decides nothing.

mod admin;
mod cli;
mod compose;
mod crash_hook;
mod exit;
mod http;
mod listing;
mod logs;
mod offline;
mod run;
mod trace;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match crash_hook::install().and_then(|()| dispatch(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            ExitCode::from(failure.code)
        }
    }
}

fn dispatch(cli: cli::Cli) -> Result<(), exit::Failure> {
    match cli.command {
        cli::Command::Run(options) => run::run(&options),
        #[cfg(feature = "playground")]
        cli::Command::Playground(options) => run::playground(options),
        cli::Command::Ledger { command } => admin::ledger(command),
        cli::Command::Trace(options) => admin::trace(options),
        cli::Command::Pair { command } => admin::pair(command),
        cli::Command::Config { command } => run::config(&command),
    }
}
