//! The task that owns the child process.

use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child as Process, Command as Spawn};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use super::log::{Log, read_lines};
use super::{Command, Launch, Phase, Refused, Status};
use crate::clock;

/// After the process ended, how long its pipes are still read: a tool that it left running may hold
/// them open.
const PIPE_PATIENCE: Duration = Duration::from_millis(300);

/// Owns the process.
pub(crate) struct Actor {
    launch: Launch,
    commands: mpsc::Receiver<Command>,
    status: watch::Sender<Status>,
    log: Arc<Log>,
    process: Option<Process>,
    readers: JoinSet<()>,
}

impl Actor {
    pub(super) fn new(
        launch: Launch,
        commands: mpsc::Receiver<Command>,
        log: Arc<Log>,
    ) -> (Self, watch::Receiver<Status>) {
        let (status, watched) = watch::channel(Status {
            phase: Phase::Ended {
                how: "not started".to_owned(),
                last_line: String::new(),
            },
            since_ms: clock::now_ms(),
            starts: 0,
            kills: 0,
        });
        let actor = Self {
            launch,
            commands,
            status,
            log,
            process: None,
            readers: JoinSet::new(),
        };
        (actor, watched)
    }

    /// Runs until [`Command::Stop`], or until nobody can ask any more.
    pub(crate) async fn run(mut self) {
        while let Some(event) = self.next().await {
            match event {
                Event::Ended(how) => self.ended(how).await,
                Event::Command(Command::Start(reply)) => answer(reply, self.start()),
                Event::Command(Command::Kill(reply)) => answer(reply, self.kill().await),
                Event::Command(Command::Stop(reply)) => {
                    self.stop().await;
                    answer(reply, ());
                    return;
                }
            }
        }
        self.stop().await;
    }

    async fn next(&mut self) -> Option<Event> {
        let Some(process) = &mut self.process else {
            return self.commands.recv().await.map(Event::Command);
        };
        tokio::select! {
            ended = process.wait() => Some(Event::Ended(describe(ended))),
            command = self.commands.recv() => command.map(Event::Command),
        }
    }

    fn start(&mut self) -> Result<u32, Refused> {
        if self.process.is_some() {
            return Err(Refused::AlreadyRunning);
        }
        match self.spawn() {
            Ok(pid) => {
                self.log
                    .push(format!("playground: gateway started, pid {pid}"));
                self.set(Phase::Alive { pid }, |status| status.starts += 1);
                Ok(pid)
            }
            Err(error) => {
                let why = format!("{}: {error}", self.launch.exe.display());
                self.log.push(format!("playground: {why}"));
                let how = "could not be started".to_owned();
                self.set(
                    Phase::Ended {
                        how,
                        last_line: why.clone(),
                    },
                    |_| (),
                );
                Err(Refused::NotStarted(why))
            }
        }
    }

    fn spawn(&mut self) -> std::io::Result<u32> {
        let mut process = Spawn::new(&self.launch.exe)
            .args(&self.launch.args)
            .env_clear()
            .envs(self.launch.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.launch.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Its own group: Ctrl-C in the terminal reaches the supervisor alone, which ends it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let pid = process
            .id()
            .ok_or_else(|| std::io::Error::other("it has no pid"))?;
        if let Some(stdout) = process.stdout.take() {
            self.readers
                .spawn(read_lines(stdout, Arc::clone(&self.log)));
        }
        if let Some(stderr) = process.stderr.take() {
            self.readers
                .spawn(read_lines(stderr, Arc::clone(&self.log)));
        }
        self.process = Some(process);
        Ok(pid)
    }

    async fn kill(&mut self) -> Result<(), Refused> {
        let Some(process) = &mut self.process else {
            return Err(Refused::NotRunning);
        };
        // It fails only where the process has ended meanwhile; then there is nothing to wait for.
        let ended = match process.start_kill() {
            Ok(()) => process.wait().await,
            Err(error) => Err(error),
        };
        tracing::debug!(how = describe(ended), "gateway killed on request");
        self.gone().await;
        self.log
            .push("playground: gateway killed (SIGKILL)".to_owned());
        self.set(Phase::Killed, |status| status.kills += 1);
        Ok(())
    }

    async fn stop(&mut self) {
        let Some(process) = &mut self.process else {
            return;
        };
        let pid = process
            .id()
            .and_then(|pid| i32::try_from(pid).ok())
            .and_then(Pid::from_raw);
        let asked = pid.is_some_and(|pid| kill_process(pid, Signal::TERM).is_ok());
        let patience = if asked {
            self.launch.stop_patience
        } else {
            Duration::ZERO
        };
        if tokio::time::timeout(patience, process.wait())
            .await
            .is_err()
        {
            // The same as in `kill`: an error says that it is gone already.
            if process.start_kill().is_ok() {
                let how = describe(process.wait().await);
                tracing::debug!(how, "gateway did not end in time");
            }
        }
        self.gone().await;
        let how = "stopped".to_owned();
        self.set(
            Phase::Ended {
                how,
                last_line: String::new(),
            },
            |_| (),
        );
    }

    async fn ended(&mut self, how: String) {
        self.gone().await;
        let last_line = self.log.last_line();
        self.log
            .push(format!("playground: gateway ended by itself: {how}"));
        self.set(Phase::Ended { how, last_line }, |_| ());
    }

    /// The process is reaped: takes what is left in its pipes.
    async fn gone(&mut self) {
        self.process = None;
        let drained = async { while self.readers.join_next().await.is_some() {} };
        if tokio::time::timeout(PIPE_PATIENCE, drained).await.is_err() {
            self.readers.shutdown().await;
        }
    }

    fn set(&self, phase: Phase, count: impl FnOnce(&mut Status)) {
        self.status.send_modify(|status| {
            status.phase = phase;
            status.since_ms = clock::now_ms();
            count(status);
        });
    }
}

enum Event {
    Ended(String),
    Command(Command),
}

/// A caller that no longer waits is fine: the state says what happened.
fn answer<T>(reply: oneshot::Sender<T>, value: T) {
    drop(reply.send(value));
}

fn describe(ended: std::io::Result<ExitStatus>) -> String {
    use std::os::unix::process::ExitStatusExt;
    match ended {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => status.to_string(),
        },
        Err(error) => error.to_string(),
    }
}
