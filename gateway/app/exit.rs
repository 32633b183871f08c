//! Exit codes, and the last words of a process that failed.

use talaria_types::secret::scrub;

/// Anything without a code of its own.
pub(crate) const OTHER: u8 = 1;
/// The ledger is damaged, or not the one it should be: a restart can't help.
pub(crate) const DAMAGED: u8 = 74;
/// The ledger is busy or failing: a restart may help.
pub(crate) const TEMPORARY: u8 = 75;
/// The configuration is wrong, or every account's credentials are refused: a restart can't help.
pub(crate) const CONFIGURATION: u8 = 78;

/// Why the process ends, for the person who reads it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub code: u8,
    pub message: String,
}

impl Failure {
    pub(crate) fn new(code: u8, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub(crate) fn other(error: &dyn std::error::Error) -> Self {
        Self::new(OTHER, chain(error))
    }

    #[expect(clippy::print_stderr, reason = "the last words of the process")]
    pub(crate) fn report(&self) {
        eprintln!("talaria: {}", scrub(&self.message));
    }
}

pub(crate) use talaria_runtime::error::chain;
