//! Kills at crash points, and the points that a process passed.

use std::collections::BTreeMap;
use std::path::Path;

use crate::process::Exit;
use crate::rig::Rig;

impl Rig {
    /// Starts a gateway that kills itself at a crash point: `point`, or `point#occurrence`.
    /// Returns as soon as it is started, as it may die before it is ready.
    ///
    /// # Panics
    /// If one runs already.
    pub fn launch_to_crash_at(&mut self, point: &str) {
        self.launch(&[("TALARIA_CRASH_AT", point)]);
    }

    /// As [`Rig::launch_to_crash_at`], and writes down the points that it passes.
    ///
    /// # Panics
    /// If one runs already.
    pub fn launch_to_crash_traced(&mut self, point: &str, trace: &Path) {
        let trace = trace.display().to_string();
        self.launch(&[("TALARIA_CRASH_AT", point), ("TALARIA_CRASH_TRACE", &trace)]);
    }

    /// Waits until the gateway died at its crash point, by SIGKILL and of nothing else.
    ///
    /// # Panics
    /// If it did not.
    pub async fn crashed(&mut self, point: &str) -> Exit {
        let exit = self.exited().await;
        assert_crash(&exit, point);
        exit
    }
}

/// Asserts that a process died by SIGKILL at this point.
///
/// # Panics
/// If it did not.
pub fn assert_crash(exit: &Exit, point: &str) {
    let (point, _) = point.split_once('#').unwrap_or((point, "1"));
    let fired = exit
        .log
        .lines()
        .any(|line| line == format!("CRASH {point}"));
    assert!(fired, "the point {point} did not fire:\n{}", exit.log);
    assert_eq!(
        exit.signal,
        Some(9),
        "the process did not die by SIGKILL:\n{}",
        exit.log
    );
}

/// The crash points that a process passed, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace(pub Vec<String>);

impl Trace {
    /// Reads the file that TALARIA_CRASH_TRACE named; an absent one is empty.
    #[must_use]
    pub fn read(file: &Path) -> Self {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        Self(text.lines().map(str::to_owned).collect())
    }

    /// How often a point was passed.
    #[must_use]
    pub fn count(&self, point: &str) -> usize {
        self.0.iter().filter(|passed| *passed == point).count()
    }

    /// Each point with how often it was passed.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for point in &self.0 {
            *counts.entry(point.clone()).or_default() += 1;
        }
        counts
    }
}
