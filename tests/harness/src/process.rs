//! A gateway as a child process, in a process group of its own.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use tokio::process::{Child, Command};

use crate::deadline::Deadline;
use crate::group::Group;
use crate::log::Log;

/// How long anything that a process does at once may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Its exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it wrote to standard error.
    pub log: String,
}

impl Exit {
    fn new(status: ExitStatus, log: &Log) -> Self {
        Self {
            code: status.code(),
            signal: status.signal(),
            log: log.text(),
        }
    }

    /// Asserts the exit code and that each of these texts was written.
    ///
    /// # Panics
    /// If it is not so.
    pub fn assert(&self, code: i32, texts: &[&str]) {
        assert_eq!(self.code, Some(code), "exit code; log:\n{}", self.log);
        for text in texts {
            assert!(
                self.log.contains(text),
                "{text:?} is not in the log:\n{}",
                self.log
            );
        }
    }
}

/// A running `talaria run`, or one that ended by itself.
#[derive(Debug)]
pub struct Gateway {
    child: Child,
    group: Group,
    log: Log,
}

impl Gateway {
    /// Starts `binary` with these arguments and these variables only.
    ///
    /// # Panics
    /// If it can't be started.
    pub fn spawn(
        binary: &Path,
        arguments: &[&str],
        environment: &[(String, String)],
        deadline: &Deadline,
    ) -> Self {
        let mut child = Command::new(binary)
            .args(arguments)
            .env_clear()
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", binary.display()));
        let group = Group::of(child.id().expect("a running child"), deadline);
        let log = Log::read(child.stderr.take().expect("its standard error"));
        Self { child, group, log }
    }

    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.group.id()
    }

    /// Whether it runs still.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits until it ended by itself.
    ///
    /// # Panics
    /// If it does not within `limit`.
    pub async fn exit(&mut self, limit: Duration) -> Exit {
        match tokio::time::timeout(limit, self.child.wait()).await {
            Ok(Ok(status)) => {
                self.group.kill();
                assert!(
                    self.log.ended(PATIENCE).await,
                    "its standard error stays open"
                );
                Exit::new(status, &self.log)
            }
            Ok(Err(error)) => panic!("the gateway can't be waited for: {error}"),
            Err(_late) => panic!(
                "the gateway runs still after {limit:?}:\n{}",
                self.log.text()
            ),
        }
    }

    /// Ends its whole group as `kill -9` does.
    ///
    /// # Panics
    /// If that does not end it.
    pub async fn kill(mut self) -> Exit {
        self.group.kill();
        self.exit(PATIENCE).await
    }

    /// Sends a signal, and waits for the end.
    ///
    /// # Panics
    /// If it does not end.
    pub async fn end_by(mut self, signal: Signal) -> Exit {
        self.group.signal(signal);
        self.exit(PATIENCE).await
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        self.group.signal(signal);
    }
}
