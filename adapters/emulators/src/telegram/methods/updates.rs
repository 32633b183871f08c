//! Bot API: getUpdates, with the server's own details (server source: Client,
//! process_get_updates_query, do_get_updates, abort_long_poll, fail_query_conflict).

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::clock::Now;
use crate::telegram::answer::{Answer, ApiError};
use crate::telegram::params::Params;
use crate::telegram::shared::Shared;
use crate::telegram::state::{Queue, SECOND_US};

/// The server's longest wait.
const MAX_TIMEOUT_S: i64 = 50;
const MAX_LIMIT: i64 = 100;
/// Further conflicts within this time are answered this late.
const CONFLICT_PAUSE_US: u64 = 3 * SECOND_US;
/// The same offset again within 3 s with a short timeout waits 3 s.
const BUSY_LOOP_S: i64 = 3;
/// The same offset again within half a second gets one update.
const HASTE_US: u64 = SECOND_US / 2;

const CONFLICT: &str =
    "terminated by other getUpdates request; make sure that only one bot instance is running";

struct Plan {
    offset: i64,
    limit: usize,
    timeout: Duration,
}

/// Confirms what lies below the offset, then answers what waits, or waits for it.
pub(crate) async fn get_updates(shared: &Arc<Shared>, bot: i64, params: &Params) -> Answer {
    let plan = shared.change(|state, now| {
        let bot = state
            .bots
            .get_mut(&bot)
            .ok_or_else(|| ApiError::new(401, "Unauthorized"))?;
        begin(&mut bot.queue, params, now)
    })?;
    let mut changes = shared.subscribe();
    let deadline = tokio::time::Instant::now() + plan.timeout;
    let mut slot: Option<Slot> = None;
    loop {
        changes.mark_unchanged();
        let found = shared.look(|state, now| {
            let bot = state.bots.get_mut(&bot)?;
            if slot
                .as_ref()
                .is_some_and(|slot| bot.queue.poller != Some(slot.poll))
            {
                return None;
            }
            Some(take(&mut bot.queue, &plan, now))
        });
        let Some(found) = found else {
            return conflict(shared, bot).await;
        };
        if !found.is_empty() || plan.timeout.is_zero() {
            return Ok(Value::Array(found));
        }
        if slot.is_none() {
            slot = Some(Slot::take(shared, bot));
            continue;
        }
        let waited = tokio::time::timeout_at(deadline, changes.changed()).await;
        if !matches!(waited, Ok(Ok(()))) {
            return Ok(Value::Array(Vec::new()));
        }
    }
}

/// Reads the arguments and applies the offset.
fn begin(queue: &mut Queue, params: &Params, now: Now) -> Result<Plan, ApiError> {
    let offset = params.int("offset").unwrap_or(0);
    let limit = params.int("limit").unwrap_or(MAX_LIMIT);
    let mut limit = if (1..=MAX_LIMIT).contains(&limit) {
        limit
    } else {
        MAX_LIMIT
    };
    let mut timeout = params.int("timeout").unwrap_or(0).clamp(0, MAX_TIMEOUT_S);
    let allowed: Option<Vec<String>> = params
        .object("allowed_updates")
        .map_err(|_| ApiError::bad("can't parse allowed updates JSON array"))?;
    if let Some(kinds) = allowed {
        queue.allowed = Some(kinds).filter(|kinds| !kinds.is_empty());
    }
    if let Some(last) = queue.last_start_us.filter(|_| queue.last_offset == offset) {
        let since = now.us.saturating_sub(last);
        if since < CONFLICT_PAUSE_US && timeout < BUSY_LOOP_S {
            timeout = BUSY_LOOP_S;
        }
        if since < HASTE_US {
            limit = 1;
        }
    }
    queue.last_offset = offset;
    queue.last_start_us = Some(now.us);
    queue.confirm(offset, now);
    Ok(Plan {
        offset,
        limit: usize::try_from(limit).unwrap_or(1),
        timeout: Duration::from_secs(u64::try_from(timeout).unwrap_or(0)),
    })
}

fn take(queue: &mut Queue, plan: &Plan, now: Now) -> Vec<Value> {
    queue.expire(now);
    // An offset beyond the queue is corrected to its head: nothing is skipped.
    let from = if plan.offset > queue.next_id {
        0
    } else {
        plan.offset
    };
    let waiting = queue.waiting.iter().filter(|update| update.id >= from);
    waiting
        .take(plan.limit)
        .map(|update| update.json.clone())
        .collect()
}

/// The answer to a poll that another one pushed out.
async fn conflict(shared: &Arc<Shared>, bot: i64) -> Answer {
    let late = shared.look(|state, now| {
        let queue = &mut state.bots.get_mut(&bot)?.queue;
        let again = queue
            .last_conflict_us
            .is_some_and(|at| now.us < at + CONFLICT_PAUSE_US);
        queue.last_conflict_us = Some(now.us);
        again.then_some(Duration::from_micros(CONFLICT_PAUSE_US))
    });
    if let Some(pause) = late {
        tokio::time::sleep(pause).await;
    }
    Err(ApiError::conflict(CONFLICT))
}

/// The one place of the waiting poll; freed when the poll ends or its connection is gone.
struct Slot {
    shared: Arc<Shared>,
    bot: i64,
    poll: u64,
}

impl Slot {
    fn take(shared: &Arc<Shared>, bot: i64) -> Self {
        let poll = shared.change(|state, _| {
            let Some(bot) = state.bots.get_mut(&bot) else {
                return 0;
            };
            bot.queue.next_poll += 1;
            bot.queue.poller = Some(bot.queue.next_poll);
            bot.queue.next_poll
        });
        Self {
            shared: Arc::clone(shared),
            bot,
            poll,
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.shared.change(|state, _| {
            if let Some(bot) = state.bots.get_mut(&self.bot)
                && bot.queue.poller == Some(self.poll)
            {
                bot.queue.poller = None;
            }
        });
    }
}
