//! One row: an answer, a kill at a point of it, a restart, and the wait for quiet.

use std::path::PathBuf;
use std::time::Duration;

use futures::StreamExt;
use serde_json::Value;
use talaria_harness::crash::assert_crash;
use talaria_harness::setup::ANN;
use talaria_harness::{Deadline, Exit, Rig, Trace, within};

use super::judge::{Row, judge};
use super::kinds::Kind;

/// How many rows run at once: they wait more than they work.
const AT_ONCE: usize = 12;
/// An answer, its repeat with a label, and the horizon after a crash, on a busy machine.
const QUIET: Duration = Duration::from_secs(120);
/// How often a row is tried whose point depends on timing.
const TRIES: usize = 3;

/// Where to kill.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) point: String,
    pub(crate) occurrence: usize,
}

impl Target {
    pub(crate) fn new(point: &str, occurrence: usize) -> Self {
        Self {
            point: point.to_owned(),
            occurrence,
        }
    }
}

/// What one answer, with nothing going wrong, passes.
pub(crate) struct Recorded {
    pub(crate) trace: Trace,
}

/// What a run leaves to be judged.
pub(crate) struct Played {
    pub(crate) kind: Kind,
    pub(crate) rig: Rig,
    /// The question's message id.
    pub(crate) asked: i64,
    /// The points that the killed process passed, and those of the one after it.
    pub(crate) first: Trace,
    pub(crate) second: Trace,
    /// How many model requests there were at the kill.
    pub(crate) requests: usize,
    /// Whether the process after the kill told the operator of a post that it gave up.
    pub(crate) gave_up: bool,
}

/// Runs one answer without a kill; it has to be good.
pub(crate) fn record(kind: Kind) -> Recorded {
    within(QUIET, |deadline| async move {
        let mut run = Run::new(kind, &deadline).await;
        run.launch(None);
        assert!(
            run.until_quiet_or_end().await.is_none(),
            "the gateway ended"
        );
        let exit = run.rig.kill().await;
        let played = run.played(&exit);
        let trace = played.first.clone();
        let row = judge(&played, &Target::new("none", 0));
        assert!(row.problem.is_none(), "{row:?}");
        Recorded { trace }
    })
}

/// Every target's row.
pub(crate) fn rows(kind: Kind, targets: &[Target], limit: Duration) -> Vec<Row> {
    within(limit, |deadline| async move {
        let rows = targets.iter().map(|target| row(kind, target, &deadline));
        futures::stream::iter(rows)
            .buffered(AT_ONCE)
            .collect()
            .await
    })
}

/// How often a point is passed depends on timing where drafts are edited: a late occurrence that
/// does not come is tried again, then the one before it. The first has to come.
async fn row(kind: Kind, target: &Target, deadline: &Deadline) -> Row {
    let mut target = target.clone();
    loop {
        for _ in 0..TRIES {
            if let Some(row) = kill_at(kind, &target, deadline).await {
                return row;
            }
        }
        assert!(target.occurrence > 1, "{} was not reached", target.point);
        target.occurrence -= 1;
    }
}

/// `None`: the answer was over before the point came.
async fn kill_at(kind: Kind, target: &Target, deadline: &Deadline) -> Option<Row> {
    let mut run = Run::new(kind, deadline).await;
    run.launch(Some(target));
    let exit = run.until_quiet_or_end().await;
    let Some(exit) = exit else {
        run.rig.kill().await;
        return None;
    };
    assert_crash(&exit, &target.point);
    run.requests = run.rig.model().request_count();
    let second = run.second().display().to_string();
    run.rig
        .start_with(&[("TALARIA_CRASH_TRACE", &second)])
        .await;
    let ended = run.until_quiet_or_end().await;
    assert!(ended.is_none(), "the restarted gateway ended: {ended:?}");
    let exit = run.rig.kill().await;
    Some(judge(&run.played(&exit), target))
}

struct Run {
    kind: Kind,
    rig: Rig,
    asked: i64,
    /// The question as the platform delivers it, until it was delivered a second time.
    again: Option<Value>,
    requests: usize,
}

impl Run {
    /// The question waits at the platform already.
    async fn new(kind: Kind, deadline: &Deadline) -> Self {
        let rig = Rig::new(kind.setup(), deadline).await;
        kind.prepare(&rig);
        let asked = rig.says(ANN, kind.question());
        let mut update = rig.telegram().pending_updates().expect("the bot").remove(0);
        update
            .as_object_mut()
            .expect("an update")
            .remove("update_id");
        Self {
            kind,
            rig,
            asked,
            again: Some(update),
            requests: 0,
        }
    }

    fn first(&self) -> PathBuf {
        self.rig.folder().join("first.points")
    }

    fn second(&self) -> PathBuf {
        self.rig.folder().join("second.points")
    }

    fn launch(&mut self, target: Option<&Target>) {
        let trace = self.first();
        match target {
            Some(target) => {
                let point = format!("{}#{}", target.point, target.occurrence);
                self.rig.launch_to_crash_traced(&point, &trace);
            }
            None => {
                let trace = trace.display().to_string();
                self.rig.launch(&[("TALARIA_CRASH_TRACE", &trace)]);
            }
        }
    }

    /// Waits until everything is done; then the platform delivers the question once more, under
    /// another update id, and everything has to be done again. If the process ends before: how.
    async fn until_quiet_or_end(&mut self) -> Option<Exit> {
        let until = tokio::time::Instant::now() + QUIET;
        loop {
            if !self.rig.gateway().is_running() {
                return Some(self.rig.exited().await);
            }
            if self.rig.is_quiet().await {
                match self.again.take() {
                    Some(update) => {
                        self.rig
                            .telegram()
                            .inject_update(update)
                            .expect("an update");
                    }
                    None => return None,
                }
            }
            if tokio::time::Instant::now() > until {
                let owed = self.rig.owed().await;
                panic!(
                    "{:?} is not quiet, owed: {owed:?}\n{}",
                    self.kind,
                    self.rig.log().text()
                );
            }
            let changed = self.rig.telegram();
            tokio::time::timeout(Duration::from_millis(50), changed.changed())
                .await
                .ok();
        }
    }

    fn played(self, last: &Exit) -> Played {
        let (first, second) = (Trace::read(&self.first()), Trace::read(&self.second()));
        Played {
            kind: self.kind,
            asked: self.asked,
            requests: self.requests,
            rig: self.rig,
            gave_up: last.log.contains("a post was not delivered as it should"),
            first,
            second,
        }
    }
}
