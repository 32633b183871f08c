//! An account's receiving half: kept alive, and set up once.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use talaria_contract::{Adapter, Exit, Sink};
use talaria_types::{
    AccountId, Action, ChatId, Command, Fence, Place, PlaceKind, PlatformCall, Retry,
};
use tracing::{error, warn};

use super::{Ending, Shared};
use crate::account::Account;
use crate::health::{Health, Link};
use crate::session::make_call;
use crate::supervise::Ended;

/// The pause before an adapter that panicked receives again.
const RECEIVE_AGAIN: Duration = Duration::from_secs(5);

/// Receives until the adapter says that it is over. One that panics is started again: a deaf
/// account must not look alive.
pub(super) async fn receive(
    adapter: &dyn Adapter,
    sink: Sink,
    shared: &Shared,
    account: &AccountId,
) -> Exit {
    loop {
        let receiving = AssertUnwindSafe(adapter.ingress(sink.clone()));
        if let Ok(exit) = receiving.catch_unwind().await {
            return exit;
        }
        let now = shared.clock.now().wall;
        let reason = "the adapter failed with an internal error; it is started again";
        shared
            .health
            .down(&Link::PlatformIn(account.clone()), reason, now);
        Health::add(&shared.health.counters.task_panics, 1);
        error!(account.id = %account, reason, "receiving stopped");
        tokio::time::sleep(RECEIVE_AGAIN).await;
    }
}

pub(super) fn ending_of(exits: Vec<Result<Ended<Exit>, tokio::task::JoinError>>) -> Ending {
    let details: Vec<String> = exits
        .into_iter()
        .filter_map(|exit| match exit {
            Ok(Ended::Done(Exit::Unauthorized { detail })) => Some(detail),
            Ok(Ended::Done(Exit::SinkClosed) | Ended::Panicked) | Err(_) => None,
        })
        .collect();
    if details.is_empty() {
        Ending::LedgerFailed {
            reason: "every adapter stopped".to_owned(),
        }
    } else {
        Ending::Unauthorized { details }
    }
}

/// Registers the command menu: tried a few times, and no reason to stop.
pub(super) async fn set_up(account: &Account) {
    let place = Place {
        account: account.id.clone(),
        kind: PlaceKind::Direct,
        chat: ChatId::new(""),
        thread: None,
    };
    for attempt in 0..5u32 {
        let action = Action::Setup {
            commands: Command::ALL.to_vec(),
        };
        let call = PlatformCall {
            place: place.clone(),
            fence: Fence::default(),
            action,
        };
        match make_call(account.adapter.as_ref(), call).await {
            Ok(_) => return,
            Err(failure) => {
                warn!(account.id = %account.id, error.detail = %failure, "the command menu could not be registered");
                if failure.retry == Retry::Never {
                    return;
                }
            }
        }
        tokio::time::sleep(Duration::from_secs(2 << attempt)).await;
    }
}
