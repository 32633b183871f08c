//! The operator's commands. They go to the running gateway through its admin socket; when nothing
//! answers there, the command opens the ledger itself.

pub(crate) mod answer;
pub(crate) mod client;
pub(crate) mod print;
pub(crate) mod server;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cli::{LedgerCommand, PairCommand, TraceOptions, View};
use crate::exit::{CONFIGURATION, Failure, OTHER};
use crate::offline;

/// The socket's file in the data folder.
pub(crate) const SOCKET: &str = "admin.sock";

/// One request: a line of JSON. The answer is a line `{"ok": ...}` or `{"error": "..."}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub(crate) enum Request {
    /// Figures and the latest events.
    Overview,
    List {
        all: bool,
        limit: usize,
    },
    Show {
        id: String,
    },
    Trace {
        id: String,
    },
    PairList,
    PairApprove {
        wanted: String,
    },
    PairRevoke {
        wanted: String,
    },
}

pub(crate) fn ledger(command: LedgerCommand) -> Result<(), Failure> {
    match command {
        LedgerCommand::List { all, limit, view } => {
            let answer = ask(&Request::List { all, limit }, &view)?;
            print::show(&answer, view.json, print::list)
        }
        LedgerCommand::Show { id, view } => {
            let answer = ask(&Request::Show { id }, &view)?;
            print::show(&answer, true, print::list)
        }
    }
}

pub(crate) fn trace(options: TraceOptions) -> Result<(), Failure> {
    let answer = ask(&Request::Trace { id: options.id }, &options.view)?;
    print::show(&answer, options.view.json, print::trace)
}

pub(crate) fn pair(command: PairCommand) -> Result<(), Failure> {
    let (request, view) = match command {
        PairCommand::List { view } => (Request::PairList, view),
        PairCommand::Approve { code, view } => (Request::PairApprove { wanted: code }, view),
        PairCommand::Revoke { user, view } => (Request::PairRevoke { wanted: user }, view),
    };
    let answer = ask(&request, &view)?;
    print::show(&answer, view.json, print::pairing)
}

fn ask(request: &Request, view: &View) -> Result<Value, Failure> {
    let data_dir = data_dir(view)?;
    let answer = match client::ask(&data_dir.join(SOCKET), request)? {
        Some(answer) => answer,
        None => offline::ask(&data_dir, request)?,
    };
    answer.map_err(|message| Failure::new(OTHER, message))
}

fn data_dir(view: &View) -> Result<PathBuf, Failure> {
    match &view.data_dir {
        Some(folder) => Ok(folder.clone()),
        None => talaria_config::data_dir(&crate::run::load_options(&view.file))
            .map_err(|problems| Failure::new(CONFIGURATION, problems.to_string())),
    }
}
