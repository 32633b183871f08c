//! The supervisor: emulators, child, page, and their end.

use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use data_encoding::HEXLOWER;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

use crate::chats::LOOK_AGAIN;
use crate::child::{Child, Launch, Parts, prepare};
use crate::emulated::Emulated;
use crate::hub::Hub;
use crate::{Error, Options, gateway_config, http, ledger, welcome};

/// How often the ledger's figures are asked for while the gateway lives.
const LEDGER_EVERY: Duration = Duration::from_millis(100);
/// Random bytes of the page's token.
const TOKEN_BYTES: usize = 24;

/// A running playground. Dropping it kills the gateway; [`Playground::stop`] ends it in good order.
pub struct Playground {
    address: SocketAddr,
    data_dir: PathBuf,
    keeps_data: bool,
    child: Child,
    hub: Arc<Hub>,
    tasks: JoinSet<Result<(), Error>>,
    // Ended after the tasks: the folder is removed and the emulators are stopped on drop.
    _emulated: Emulated,
    folder: TempDir,
}

impl Playground {
    /// Starts the emulators, the page's server and the gateway. The page can be opened when this
    /// returns; a gateway that could not be started is shown there and is no error here.
    ///
    /// # Errors
    /// The port is busy, a file or folder cannot be written, an emulator does not start.
    pub async fn start(options: Options) -> Result<Self, Error> {
        let listener = listen(&options).await?;
        let address = listener.local_addr().map_err(|source| Error::Listen {
            address: "the page's port".to_owned(),
            source,
        })?;
        let emulated = Emulated::start().await?;
        let folder = temporary_folder()?;
        let data_dir = gateway_config::private_folder(
            options
                .data_dir
                .as_deref()
                .unwrap_or(&folder.path().join("data")),
        )?;
        let Parts {
            child,
            status,
            log,
            task,
        } = prepare(launch(&options, &emulated, folder.path(), &data_dir)?);
        let hub = Arc::new(Hub::new(emulated.chats(), log, status));

        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            task.run().await;
            Ok(())
        });
        spawn_watchers(&mut tasks, &hub);
        tasks.spawn(emulated.keep_answers());
        tasks.spawn(poll_ledger(Arc::clone(&hub), data_dir.clone()));
        let app = http::App {
            hub: Arc::clone(&hub),
            child: child.clone(),
            token: random_hex()?,
            instance: random_hex()?,
            hosts: http::Hosts::new(address),
            model_answers: emulated.model_answers(),
        };
        tasks.spawn(async move {
            axum::serve(listener, http::router(Arc::new(app)))
                .await
                .map_err(Error::Server)
        });

        let keeps_data = options.data_dir.is_some();
        let playground = Self {
            address,
            data_dir,
            keeps_data,
            child,
            hub,
            tasks,
            _emulated: emulated,
            folder,
        };
        if let Err(refused) = playground.child.start().await {
            tracing::warn!(error = %refused, "the gateway did not start; the page says so");
        }
        Ok(playground)
    }

    /// Where the page is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The page's address for a browser.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The gateway's data folder.
    #[must_use]
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// The gateway's process, while one lives.
    #[must_use]
    pub fn gateway_pid(&self) -> Option<u32> {
        self.hub.child().borrow().pid()
    }

    /// Ends the gateway (SIGTERM, then SIGKILL), the emulators and the page, and removes the
    /// temporary folder.
    ///
    /// # Errors
    /// The temporary folder cannot be removed.
    pub async fn stop(mut self) -> Result<(), Error> {
        self.child.stop().await;
        self.tasks.shutdown().await;
        let path = self.folder.path().to_owned();
        self.folder
            .close()
            .map_err(|source| Error::Files { path, source })
    }
}

/// Runs the playground until Ctrl-C, SIGTERM or the end of the terminal, and says on stdout where
/// to look.
///
/// # Errors
/// See [`Playground::start`] and [`Playground::stop`]; the page's server ended by itself.
pub async fn run(options: Options) -> Result<(), Error> {
    let mut signals = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ]
    .map(|kind| signal(kind).map_err(Error::Signals));
    let mut playground = Playground::start(options).await?;
    say(&welcome::text(
        &playground.url(),
        playground
            .keeps_data
            .then_some(playground.data_dir.as_path()),
    ));
    let [interrupt, terminate, hangup] = &mut signals;
    let (Ok(interrupt), Ok(terminate), Ok(hangup)) = (interrupt, terminate, hangup) else {
        playground.stop().await?;
        return signals
            .into_iter()
            .find_map(Result::err)
            .map_or(Ok(()), Err);
    };
    let ended = tokio::select! {
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
        _ = hangup.recv() => Ok(()),
        Some(ended) = playground.tasks.join_next() => ended.unwrap_or(Ok(())),
    };
    say("\nStopping the gateway and removing what was temporary.\n");
    playground.stop().await?;
    ended
}

/// A terminal that is gone cannot be told anything; the playground goes on.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        tracing::debug!(%error, "nobody reads the terminal");
    }
}

async fn listen(options: &Options) -> Result<TcpListener, Error> {
    let address = SocketAddr::new(options.bind, options.port);
    TcpListener::bind(address)
        .await
        .map_err(|source| match source.kind() {
            ErrorKind::AddrInUse => Error::PortBusy { port: options.port },
            _ => Error::Listen {
                address: address.to_string(),
                source,
            },
        })
}

fn temporary_folder() -> Result<TempDir, Error> {
    // Made with mode 0700, under a name that nobody can guess.
    tempfile::Builder::new()
        .prefix("talaria-playground-")
        .tempdir()
        .map_err(|source| Error::Files {
            path: std::env::temp_dir(),
            source,
        })
}

fn launch(
    options: &Options,
    emulated: &Emulated,
    folder: &Path,
    data_dir: &Path,
) -> Result<Launch, Error> {
    let config = folder.join("talaria.toml");
    let token = folder.join("telegram-token");
    gateway_config::write_private(&token, emulated.telegram_token())?;
    let text = gateway_config::render(&gateway_config::Facts {
        data_dir,
        model_url: &emulated.model_url(),
        telegram_url: &emulated.telegram_url(),
        telegram_token_file: &token,
    })?;
    gateway_config::write_private(&config, &text)?;
    let mut args = options.gateway_args.clone();
    args.extend(["--config".into(), config.into_os_string()]);
    Ok(Launch {
        exe: options.gateway_exe.clone(),
        args,
        env: options.gateway_env.clone(),
        folder: folder.to_owned(),
        stop_patience: options.stop_patience,
    })
}

/// Each source of the page's state wakes the connections.
fn spawn_watchers(tasks: &mut JoinSet<Result<(), Error>>, hub: &Arc<Hub>) {
    for chat in &hub.chats {
        let (hub, chat) = (Arc::clone(hub), Arc::clone(chat));
        tasks.spawn(async move {
            loop {
                // Both ends mean the same: look again.
                drop(tokio::time::timeout(LOOK_AGAIN, chat.changed()).await);
                hub.changed();
            }
        });
    }
    let (mut status, mut log, hub) = (hub.child(), hub.log.watch(), Arc::clone(hub));
    tasks.spawn(async move {
        loop {
            let alive = tokio::select! {
                changed = status.changed() => changed.is_ok(),
                changed = log.changed() => changed.is_ok(),
            };
            if !alive {
                return Ok(());
            }
            hub.changed();
        }
    });
}

/// Asks while the gateway lives, sleeps while it does not.
async fn poll_ledger(hub: Arc<Hub>, data_dir: PathBuf) -> Result<(), Error> {
    let mut status = hub.child();
    loop {
        let pid = status.borrow_and_update().pid();
        let Some(pid) = pid else {
            hub.set_ledger(None, None);
            if status.changed().await.is_err() {
                return Ok(());
            }
            continue;
        };
        let answer = ledger::overview(&data_dir).await;
        hub.set_ledger(Some(pid), answer);
        // A pause, ended at once by a kill or an exit.
        match tokio::time::timeout(LEDGER_EVERY, status.changed()).await {
            Ok(Ok(())) | Err(_) => {}
            Ok(Err(_)) => return Ok(()),
        }
    }
}

fn random_hex() -> Result<String, Error> {
    let mut bytes = [0u8; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(Error::Random)?;
    Ok(HEXLOWER.encode(&bytes))
}

#[cfg(test)]
mod tests;
