//! The command line. A command that is not built yet is absent.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Chat with an AI agent where you already are.
#[derive(Debug, Parser)]
#[command(name = "talaria", version, about, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the gateway in the foreground (for systemd, containers, a terminal).
    Run(RunOptions),
    /// Try everything locally: an emulated chat in the browser, a demo model, a temporary ledger.
    #[cfg(feature = "playground")]
    Playground(PlaygroundOptions),
    /// Look into the ledger: what was accepted, what is owed, what was delivered.
    Ledger {
        #[command(subcommand)]
        command: LedgerCommand,
    },
    /// Show everything that happened to one message, turn or post, on one screen.
    Trace(TraceOptions),
    /// Let people in who asked for access.
    Pair {
        #[command(subcommand)]
        command: PairCommand,
    },
    /// Check the configuration.
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
}

/// Which configuration, and so which data folder.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ConfigFile {
    /// The configuration file. Without it: ~/.config/talaria/talaria.toml if it exists, else the
    /// environment alone.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub file: ConfigFile,
    /// Which log lines are written, for example "info" or "info,talaria_telegram=debug".
    #[arg(long, value_name = "FILTER", default_value = "info")]
    pub log: String,
    /// Write log lines as JSON.
    #[arg(long)]
    pub log_json: bool,
}

#[cfg(feature = "playground")]
#[derive(Args, Debug)]
pub(crate) struct PlaygroundOptions {
    /// The page's port; 0 for any.
    #[arg(long, value_name = "N", default_value_t = 8790)]
    pub port: u16,
    /// Keep the ledger in this folder. Without it: a temporary one, removed at the end.
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
}

/// Where the ledger is, and how to print.
#[derive(Args, Clone, Debug)]
pub(crate) struct View {
    #[command(flatten)]
    pub file: ConfigFile,
    /// The data folder, instead of the configuration's.
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// List what is owed: posts that are not delivered, messages that are not answered.
    List {
        /// Also the newest posts that are settled.
        #[arg(long)]
        all: bool,
        /// At most so many of the settled ones.
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
        #[command(flatten)]
        view: View,
    },
    /// Show one record whole: a post (1.5/0), a turn or an inbound (1.5).
    Show {
        id: String,
        #[command(flatten)]
        view: View,
    },
}

#[derive(Args, Debug)]
pub(crate) struct TraceOptions {
    /// A turn or inbound (1.5), or a post (1.5/0), as logs and listings name them.
    pub id: String,
    #[command(flatten)]
    pub view: View,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PairCommand {
    /// List who asked for access and who has it by pairing.
    List {
        #[command(flatten)]
        view: View,
    },
    /// Let a person in, by the code that they were shown, or by user id.
    Approve {
        code: String,
        #[command(flatten)]
        view: View,
    },
    /// Take a paired person's access away, by user id.
    Revoke {
        user: String,
        #[command(flatten)]
        view: View,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Say what the configuration means, where each value comes from, and what is wrong with it.
    Check {
        #[command(flatten)]
        file: ConfigFile,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}
