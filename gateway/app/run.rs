//! `talaria run`, `talaria playground`, `talaria config check`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use talaria_config::{Config, Environment, LoadOptions, Loaded, Report};
use talaria_ledger::folder::{self, OpenError};
use talaria_ledger::store::{LedgerId, SledOptions, SledStore, Store};
use talaria_runtime::gateway::Ending;
use talaria_runtime::{Clock, Gateway, Ledger};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::exit::{CONFIGURATION, Failure, OTHER, TEMPORARY, chain};
use crate::http::Status;
use crate::{admin, cli, compose, http, logs};

/// How often a ledger that can't be opened is tried again.
const OPEN_AGAIN: Duration = Duration::from_secs(2);

pub(crate) fn run(options: &cli::RunOptions) -> Result<(), Failure> {
    logs::start(&options.log, options.log_json)?;
    let loaded = load(&options.file)?;
    for warning in &loaded.warnings {
        warn!("{warning}");
    }
    let runtime = runtime()?;
    let result = runtime.block_on(serve(&loaded.config));
    // Blocking reads may hang with the store; the process ends all the same.
    runtime.shutdown_timeout(Duration::from_millis(500));
    result
}

#[cfg(feature = "playground")]
pub(crate) fn playground(options: cli::PlaygroundOptions) -> Result<(), Failure> {
    let exe = std::env::current_exe().map_err(|error| {
        Failure::new(
            OTHER,
            format!("the path of this program is unknown: {error}"),
        )
    })?;
    let mut settings = talaria_playground::Options::new(exe);
    settings.port = options.port;
    settings.data_dir = options.data_dir;
    runtime()?
        .block_on(talaria_playground::run(settings))
        .map_err(|error| Failure::other(&error))
}

#[expect(clippy::print_stdout, reason = "this is what the command prints")]
pub(crate) fn config(command: &cli::ConfigCommand) -> Result<(), Failure> {
    let cli::ConfigCommand::Check { file, json } = command;
    let outcome = talaria_config::load(load_options(file));
    let report = Report::new(&outcome);
    if *json {
        let text = serde_json::to_string_pretty(&report).map_err(|error| Failure::other(&error))?;
        println!("{text}");
    } else {
        print!("{report}");
    }
    match outcome {
        Ok(_) => Ok(()),
        Err(problems) => Err(Failure::new(
            CONFIGURATION,
            format!(
                "the configuration has {} problem(s)",
                problems.problems.len()
            ),
        )),
    }
}

pub(crate) fn load_options(file: &cli::ConfigFile) -> LoadOptions {
    LoadOptions {
        file: file.config.clone(),
        environment: Environment::process(),
    }
}

fn load(file: &cli::ConfigFile) -> Result<Loaded, Failure> {
    talaria_config::load(load_options(file))
        .map_err(|problems| Failure::new(CONFIGURATION, problems.to_string()))
}

fn runtime() -> Result<Runtime, Failure> {
    Builder::new_multi_thread()
        .enable_all()
        .thread_name("talaria")
        .build()
        .map_err(|error| Failure::new(OTHER, format!("the runtime can't start: {error}")))
}

async fn serve(config: &Config) -> Result<(), Failure> {
    let clock = Clock::start();
    let status = Arc::new(Status::default());
    let stop = CancellationToken::new();
    watch_signals(stop.clone())?;
    let settings = compose::gateway(config)?;
    let accounts = compose::account_ids(&settings);
    let Some(store) = open_store(config, &status, &stop).await? else {
        return Ok(());
    };
    let store: Arc<dyn Store> = Arc::new(store);
    let ledger = Ledger::open(Arc::clone(&store), &accounts)
        .map_err(|error| ledger_failed(&chain(&error), store.as_ref()))?;
    let gateway = Arc::new(
        Gateway::open(ledger, clock, settings)
            .map_err(|error| failure_of(&error, store.as_ref()))?,
    );
    let _first = status.gateway.set(Arc::clone(gateway.shared()));
    if let Some(listen) = config.gateway.listen {
        // In the waiting state it listens already.
        if status.waiting.read().is_ok_and(|waiting| waiting.is_none()) {
            http::serve(listen, Arc::clone(&status)).await?;
        }
    }
    let _socket = admin::server::serve(&config.gateway.data_dir, Arc::clone(&gateway))?;
    info!(
        data_dir = %config.gateway.data_dir.display(),
        accounts = accounts.len(),
        model = gateway.shared().agent.model.name(),
        "talaria runs"
    );
    let ending = gateway
        .run(stop)
        .await
        .map_err(|error| failure_of(&error, store.as_ref()))?;
    match ending {
        Ending::Stopped => Ok(()),
        Ending::LedgerFailed { reason } => Err(ledger_failed(&reason, store.as_ref())),
        Ending::Unauthorized { details } => Err(Failure::new(
            CONFIGURATION,
            format!("no account is left: {}", details.join("; ")),
        )),
    }
}

/// Opens the ledger. While the folder can't be used (full, read-only, not mounted) it waits and
/// says so in health; `None`: asked to stop while waiting.
async fn open_store(
    config: &Config,
    status: &Arc<Status>,
    stop: &CancellationToken,
) -> Result<Option<SledStore>, Failure> {
    let root = config.gateway.data_dir.clone();
    let mut serving = false;
    loop {
        let text = match open_once(&root).await? {
            Ok(store) => match too_little_space(&store) {
                None => return Ok(Some(store)),
                Some(text) => text,
            },
            Err(error @ OpenError::Unavailable { .. }) => chain(&error),
            Err(error) => return Err(Failure::new(error.exit_code(), chain(&error))),
        };
        status.wait_for(&text);
        if !serving {
            serving = true;
            error!(data_dir = %root.display(), reason = text, "the ledger can't be used yet; nothing is received or sent, trying again");
            if let Some(listen) = config.gateway.listen {
                http::serve(listen, Arc::clone(status)).await?;
            }
        }
        tokio::select! {
            () = stop.cancelled() => return Ok(None),
            () = tokio::time::sleep(OPEN_AGAIN) => {}
        }
    }
}

/// P11: with too little space nothing is started that would need it.
fn too_little_space(store: &SledStore) -> Option<String> {
    match store.space() {
        Ok(space) if space.ok() => None,
        Ok(space) => Some(format!(
            "{} MiB are free on the disk of the ledger, {} MiB are needed: make room",
            space.free >> 20,
            space.low_water >> 20
        )),
        Err(error) => Some(chain(&error)),
    }
}

async fn open_once(root: &Path) -> Result<Result<SledStore, OpenError>, Failure> {
    let root = root.to_owned();
    let mut fresh = [0u8; 16];
    getrandom::fill(&mut fresh)
        .map_err(|error| Failure::new(OTHER, format!("no randomness: {error}")))?;
    tokio::task::spawn_blocking(move || folder::open(&root, sled_options(), LedgerId(fresh)))
        .await
        .map_err(|error| Failure::new(TEMPORARY, format!("opening the ledger failed: {error}")))
}

pub(crate) fn sled_options() -> SledOptions {
    SledOptions {
        cache_bytes: 8 << 20,
        ..SledOptions::default()
    }
}

fn failure_of(error: &talaria_runtime::Error, store: &dyn Store) -> Failure {
    match error {
        talaria_runtime::Error::DuplicateAccount { .. } => {
            Failure::new(CONFIGURATION, chain(error))
        }
        // A restart can't help against a record that this build can't use.
        talaria_runtime::Error::Core(talaria_core::Error::Record(_))
        | talaria_runtime::Error::Record(_) => Failure::new(crate::exit::DAMAGED, chain(error)),
        talaria_runtime::Error::Commit { .. }
        | talaria_runtime::Error::Store(_)
        | talaria_runtime::Error::Core(talaria_core::Error::Store(_))
        | talaria_runtime::Error::NoAccount { .. }
        | talaria_runtime::Error::NoPairing { .. } => ledger_failed(&chain(error), store),
    }
}

fn ledger_failed(reason: &str, store: &dyn Store) -> Failure {
    let damaged = store.failure().is_some_and(|failure| failure.is_damage());
    let code = if damaged {
        crate::exit::DAMAGED
    } else {
        TEMPORARY
    };
    Failure::new(
        code,
        format!("the ledger failed, nothing more is accepted or sent: {reason}"),
    )
}

/// SIGTERM and Ctrl-C stop the gateway; a second one ends the process at once.
fn watch_signals(stop: CancellationToken) -> Result<(), Failure> {
    let cant =
        |error: std::io::Error| Failure::new(OTHER, format!("signals can't be watched: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(cant)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(cant)?;
    talaria_runtime::supervise::spawn("signals", async move {
        for round in 0..2u8 {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if round == 0 {
                info!("asked to stop");
                stop.cancel();
            } else {
                std::process::exit(i32::from(OTHER));
            }
        }
    });
    Ok(())
}
