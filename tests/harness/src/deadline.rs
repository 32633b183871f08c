//! The end of every test: a deadline that also ends its processes.

use std::future::Future;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::group::kill_group;

/// How long a test may take to notice that its processes were ended.
const GRACE: Duration = Duration::from_secs(10);

/// The groups of one test, which its deadline ends.
#[derive(Clone, Debug, Default)]
pub struct Deadline(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    groups: Mutex<Vec<i32>>,
    over: Mutex<bool>,
    ended: Condvar,
}

impl Deadline {
    pub(crate) fn add(&self, group: i32) {
        self.groups().push(group);
    }

    pub(crate) fn forget(&self, group: i32) {
        self.groups().retain(|known| *known != group);
    }

    fn groups(&self) -> std::sync::MutexGuard<'_, Vec<i32>> {
        self.0.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self) {
        *self.0.over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.ended.notify_all();
    }

    /// True if the test ended within `limit`.
    fn ends_within(&self, limit: Duration) -> bool {
        let over = self.0.over.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .0
            .ended
            .wait_timeout_while(over, limit, |over| !*over)
            .unwrap_or_else(PoisonError::into_inner);
        *waited.0
    }

    /// Ends the test's processes when it is late, and this whole process if the test hangs even
    /// then.
    fn watch(&self, limit: Duration) {
        if self.ends_within(limit) {
            return;
        }
        for group in self.groups().drain(..) {
            kill_group(group);
        }
        if !self.ends_within(GRACE) {
            eprintln!("a test hangs beyond its deadline of {limit:?}");
            std::process::exit(101);
        }
    }
}

/// Runs a test that has to end within `limit`.
///
/// # Panics
/// If it does not, or if the test does.
pub fn within<F, T>(limit: Duration, test: impl FnOnce(Deadline) -> F) -> T
where
    F: Future<Output = T>,
{
    let deadline = Deadline::default();
    let watched = deadline.clone();
    std::thread::Builder::new()
        .name("deadline".to_owned())
        .spawn(move || watched.watch(limit + Duration::from_secs(2)))
        .expect("a thread for the deadline");
    let _finish = Finish(deadline.clone());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        match tokio::time::timeout(limit, Box::pin(test(deadline))).await {
            Ok(result) => result,
            Err(_late) => panic!("the test took longer than {limit:?}"),
        }
    })
}

struct Finish(Deadline);

impl Drop for Finish {
    fn drop(&mut self) {
        self.0.finish();
    }
}
