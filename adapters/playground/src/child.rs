//! The gateway as a child process: started, killed, ended, and its log read. Never restarted on its
//! own: what the newcomer did must stay visible until they press Start.

mod actor;
mod log;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

pub(crate) use log::Log;

/// How the child is started.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) exe: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    /// Where it runs; a folder that is removed afterwards.
    pub(crate) folder: PathBuf,
    pub(crate) stop_patience: Duration,
}

/// What is known of the child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) phase: Phase,
    /// Start of the phase, milliseconds since 1970.
    pub(crate) since_ms: u64,
    pub(crate) starts: u32,
    pub(crate) kills: u32,
}

impl Status {
    pub(crate) fn pid(&self) -> Option<u32> {
        match self.phase {
            Phase::Alive { pid } => Some(pid),
            Phase::Killed | Phase::Ended { .. } => None,
        }
    }
}

/// Where the child is in its life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Alive {
        pid: u32,
    },
    /// By us, on request.
    Killed,
    /// By itself, or it could not be started.
    Ended {
        how: String,
        last_line: String,
    },
}

/// Why a request to the child was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error("the gateway runs already")]
    AlreadyRunning,
    #[error("the gateway is not running")]
    NotRunning,
    #[error("the gateway could not be started: {0}")]
    NotStarted(String),
    #[error("the playground is ending")]
    Ending,
}

enum Command {
    Start(oneshot::Sender<Result<u32, Refused>>),
    Kill(oneshot::Sender<Result<(), Refused>>),
    Stop(oneshot::Sender<()>),
}

/// Handle to the task that owns the child.
#[derive(Clone)]
pub(crate) struct Child {
    commands: mpsc::Sender<Command>,
}

/// Everything of a child that is not started yet.
pub(crate) struct Parts {
    pub(crate) child: Child,
    pub(crate) status: watch::Receiver<Status>,
    pub(crate) log: Arc<Log>,
    /// The task that owns the child; ends after [`Child::stop`].
    pub(crate) task: actor::Actor,
}

/// Prepares a child; nothing runs until the task runs and [`Child::start`] is called.
pub(crate) fn prepare(launch: Launch) -> Parts {
    let (commands, receiver) = mpsc::channel(8);
    let log = Arc::new(Log::default());
    let (task, status) = actor::Actor::new(launch, receiver, Arc::clone(&log));
    Parts {
        child: Child { commands },
        status,
        log,
        task,
    }
}

impl Child {
    /// Starts the process; answers with its pid.
    pub(crate) async fn start(&self) -> Result<u32, Refused> {
        self.ask(Command::Start)
            .await
            .unwrap_or(Err(Refused::Ending))
    }

    /// SIGKILL. Answers when the process is gone.
    pub(crate) async fn kill(&self) -> Result<(), Refused> {
        self.ask(Command::Kill)
            .await
            .unwrap_or(Err(Refused::Ending))
    }

    /// SIGTERM, then SIGKILL after the patience; answers when the process is gone, and ends the
    /// task.
    pub(crate) async fn stop(&self) {
        // No answer means that the task is gone, and its process with it.
        self.ask(Command::Stop).await.unwrap_or(());
    }

    async fn ask<T>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.ok()?;
        answer.await.ok()
    }
}

#[cfg(test)]
mod tests;
