//! Plain settings of the playground.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

/// The page's port when none is asked for.
const DEFAULT_PORT: u16 = 8790;

/// How the playground is started.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Address of the page; loopback by default. On another address the page is open to whoever
    /// reaches it.
    pub bind: IpAddr,
    /// Port of the page; 0 picks a free one.
    pub port: u16,
    /// The gateway's data folder, kept afterwards. `None`: a temporary folder, removed at the end.
    pub data_dir: Option<PathBuf>,
    /// The gateway's binary.
    pub gateway_exe: PathBuf,
    /// Arguments before `--config FILE`.
    pub gateway_args: Vec<OsString>,
    /// The child's whole environment. The supervisor's own is not handed on: the gateway takes
    /// tokens from the environment for platforms that the file leaves out, and the playground must
    /// never speak to a real one.
    pub gateway_env: Vec<(OsString, OsString)>,
    /// How long a child may take to end after SIGTERM before SIGKILL follows.
    pub stop_patience: Duration,
}

impl Options {
    /// The defaults, for a gateway at `gateway_exe` that is started as `gateway_exe run`.
    #[must_use]
    pub fn new(gateway_exe: PathBuf) -> Self {
        Self {
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: DEFAULT_PORT,
            data_dir: None,
            gateway_exe,
            gateway_args: vec![OsString::from("run")],
            gateway_env: vec![
                (
                    OsString::from("PATH"),
                    OsString::from("/usr/local/bin:/usr/bin:/bin"),
                ),
                (OsString::from("NO_COLOR"), OsString::from("1")),
            ],
            stop_patience: Duration::from_secs(5),
        }
    }
}
