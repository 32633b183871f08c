//! The one place that starts tasks: a panic is logged with the task's name and never silent.

use std::future::Future;

use futures::FutureExt;
use tokio::task::JoinHandle;
use tracing::{Instrument, error};

/// What became of a supervised task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<T> {
    Done(T),
    Panicked,
}

/// Runs `future` as a task. Its panic is logged and returned, not spread.
pub fn spawn<F>(name: &'static str, future: F) -> JoinHandle<Ended<F::Output>>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let guarded = async move {
        match std::panic::AssertUnwindSafe(future).catch_unwind().await {
            Ok(output) => Ended::Done(output),
            Err(panic) => {
                let what = panic
                    .downcast_ref::<&str>()
                    .map(|text| (*text).to_owned())
                    .or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_default();
                error!(task.name = name, panic = %talaria_types::secret::scrub(&what), "a task panicked");
                Ended::Panicked
            }
        }
    };
    #[expect(clippy::disallowed_methods, reason = "the one place that starts tasks")]
    tokio::spawn(guarded.in_current_span())
}
