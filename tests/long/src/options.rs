//! What all programs here are told on their command line.

use std::path::PathBuf;

use clap::Args;
use talaria_harness::Setup;

#[derive(Args, Clone, Debug)]
pub struct Common {
    /// The gateway's program.
    #[arg(default_value = "target/release/talaria")]
    pub binary: PathBuf,
    /// What `--log` of the gateway is.
    #[arg(long, default_value = "info")]
    pub log: String,
}

/// The user of chat number `chat`.
#[must_use]
pub fn user(chat: usize) -> i64 {
    6_001 + i64::try_from(chat).unwrap_or(0)
}

impl Common {
    /// A gateway with so many users, all of them let in.
    ///
    /// # Panics
    /// If there is no such program.
    #[must_use]
    pub fn setup(&self, chats: usize, tokens_per_second: f64) -> Setup {
        let binary = self.binary.canonicalize();
        let binary = binary.unwrap_or_else(|error| {
            panic!(
                "{}: {error}; build it with `cargo build --release`",
                self.binary.display()
            )
        });
        let users: Vec<i64> = (0..chats).map(user).collect();
        let mut setup = Setup::new(binary);
        setup.allow.clone_from(&users);
        setup.users = users;
        setup.tokens_per_second = tokens_per_second;
        setup.log.clone_from(&self.log);
        setup
    }
}
