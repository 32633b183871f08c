//! What can keep the playground from starting.

use std::path::PathBuf;

/// Why the playground could not start or had to end. The text is for the person at the terminal and
/// names the fix where there is one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Another program listens on the port.
    #[error(
        "port {port} is in use by another program (perhaps another playground); stop it, or choose \
         another port: talaria playground --port {} (0 picks a free one)",
        port.checked_add(1).unwrap_or(8790)
    )]
    PortBusy {
        /// The port that was asked for.
        port: u16,
    },
    /// The address could not be listened on for another reason.
    #[error("cannot listen on {address}")]
    Listen {
        /// Address and port that were asked for.
        address: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A file or folder that the playground needs could not be made.
    #[error("cannot write {}", path.display())]
    Files {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The configuration for the child could not be written as TOML.
    #[error("cannot write the gateway's configuration")]
    Configuration(#[from] toml::ser::Error),
    /// The system gave no random bytes for the page's token.
    #[error("the system gives no random bytes: {0}")]
    Random(getrandom::Error),
    /// An emulator did not start.
    #[error("the {name} emulator did not start")]
    Emulator {
        /// Which one.
        name: &'static str,
        /// Why.
        #[source]
        source: talaria_emulators::Error,
    },
    /// The client for the model emulator could not be made.
    #[error("cannot make an HTTP client")]
    Client(#[source] reqwest::Error),
    /// Signals (Ctrl-C, SIGTERM) cannot be received.
    #[error("cannot listen for signals")]
    Signals(#[source] std::io::Error),
    /// The web server ended by itself.
    #[error("the page's server ended")]
    Server(#[source] std::io::Error),
}
