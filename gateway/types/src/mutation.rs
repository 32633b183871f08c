//! Deliberate faults that prove the tests: with the feature `mutations` a test can switch one on
//! for its thread, and the invariants must catch it. Without the feature all are off.

/// One deliberate fault, named after the promise that it breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mutation {
    /// P2: aliases of an inbound are not looked at.
    SkipAliases,
    /// P3: the settling commit is two commits.
    TwoCommits,
    /// P4: a restart renders a sealed post again.
    RenderAgain,
    /// P5: a tool runs before it is journalled as started.
    ResultBeforeStarted,
    /// P6: a failed look counts as absent.
    AbsentAfterFailedRead,
    /// P7: an answer with an old fence is taken.
    AcceptOldFence,
    /// P7: evidence is dropped.
    IgnoreEvidence,
    /// P8: a post does not wait for the earlier ones.
    CreateOutOfOrder,
}

impl Mutation {
    pub const ALL: [Self; 8] = [
        Self::SkipAliases,
        Self::TwoCommits,
        Self::RenderAgain,
        Self::ResultBeforeStarted,
        Self::AbsentAfterFailedRead,
        Self::AcceptOldFence,
        Self::IgnoreEvidence,
        Self::CreateOutOfOrder,
    ];
}

#[cfg(feature = "mutations")]
std::thread_local! {
    static CURRENT: std::cell::Cell<Option<Mutation>> = const { std::cell::Cell::new(None) };
}

/// Switches a fault on for this thread, or all off.
#[cfg(feature = "mutations")]
pub fn set(mutation: Option<Mutation>) {
    CURRENT.with(|current| current.set(mutation));
}

/// Whether that fault is switched on.
#[inline]
#[must_use]
pub fn on(mutation: Mutation) -> bool {
    #[cfg(feature = "mutations")]
    {
        CURRENT.with(|current| current.get() == Some(mutation))
    }
    #[cfg(not(feature = "mutations"))]
    {
        let _ = mutation;
        false
    }
}

#[cfg(feature = "mutations")]
std::thread_local! {
    static ROWS: std::cell::Cell<[u64; 13]> = const { std::cell::Cell::new([0; 13]) };
}

/// Counts, for the simulation's coverage, that a row of the transition table decided. Nothing
/// without the feature.
#[inline]
pub fn note_row(row: u8) {
    #[cfg(feature = "mutations")]
    ROWS.with(|rows| {
        let mut counts = rows.get();
        if let Some(count) = counts.get_mut(usize::from(row)) {
            *count += 1;
        }
        rows.set(counts);
    });
    #[cfg(not(feature = "mutations"))]
    {
        let _ = row;
    }
}

/// How often each row decided on this thread since the last call; index 0 is not used.
#[cfg(feature = "mutations")]
#[must_use]
pub fn take_rows() -> [u64; 13] {
    ROWS.with(|rows| rows.replace([0; 13]))
}
