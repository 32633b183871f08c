//! One place that knows everything the page shows, and that says when some of it changed.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::watch;

use crate::chats::Chat;
use crate::child::{Log, Phase, Status};
use crate::clock;
use crate::ledger::Tally;
use crate::view::{GatewayState, GatewayView, LedgerView, Snapshot};

/// Sources of the page's state.
pub(crate) struct Hub {
    version: watch::Sender<u64>,
    pub(crate) chats: Vec<Arc<dyn Chat>>,
    pub(crate) log: Arc<Log>,
    child: watch::Receiver<Status>,
    ledger: RwLock<Tally>,
}

impl Hub {
    pub(crate) fn new(
        chats: Vec<Arc<dyn Chat>>,
        log: Arc<Log>,
        child: watch::Receiver<Status>,
    ) -> Self {
        Self {
            version: watch::Sender::new(1),
            chats,
            log,
            child,
            ledger: RwLock::new(Tally::default()),
        }
    }

    /// Tells every connection to look again.
    pub(crate) fn changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    /// Wakes at each change; changes in between fall together.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    pub(crate) fn child(&self) -> watch::Receiver<Status> {
        self.child.clone()
    }

    /// Takes what the process `pid` answered; `None`: it did not answer, the last figures stay.
    pub(crate) fn set_ledger(&self, pid: Option<u32>, answer: Option<LedgerView>) {
        let changed = {
            let mut tally = self.ledger.write().unwrap_or_else(PoisonError::into_inner);
            let before = (tally.pid(), tally.view());
            tally.take(pid, answer);
            before != (tally.pid(), tally.view())
        };
        if changed {
            self.changed();
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        // The version is read first: what changes meanwhile is sent again rather than missed.
        let version = *self.version.borrow();
        let status = self.child.borrow().clone();
        let (teller, ledger) = {
            let tally = self.ledger.read().unwrap_or_else(PoisonError::into_inner);
            (tally.pid(), tally.view())
        };
        // An answer of the process before must not count for the one after.
        let up = ledger.up && teller.is_some() && teller == status.pid();
        Snapshot {
            version,
            now_ms: clock::now_ms(),
            gateway: gateway_view(&status, up),
            ledger: LedgerView { up, ..ledger },
            chats: self.chats.iter().map(|chat| chat.view()).collect(),
            log: self.log.lines(),
        }
    }
}

fn gateway_view(status: &Status, answers: bool) -> GatewayView {
    let (state, pid, ended, last_line) = match &status.phase {
        Phase::Alive { pid } if answers => (
            GatewayState::Running,
            Some(*pid),
            String::new(),
            String::new(),
        ),
        Phase::Alive { pid } => (
            GatewayState::Starting,
            Some(*pid),
            String::new(),
            String::new(),
        ),
        Phase::Killed => (
            GatewayState::Killed,
            None,
            "killed".to_owned(),
            String::new(),
        ),
        Phase::Ended { how, last_line } => {
            (GatewayState::Exited, None, how.clone(), last_line.clone())
        }
    };
    GatewayView {
        state,
        pid,
        since_ms: status.since_ms,
        ended,
        last_line,
        starts: status.starts,
        kills: status.kills,
    }
}
