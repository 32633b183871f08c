//! The first place at which shown text is not what it should be.

/// What is wrong there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The shown text is another one, or stands elsewhere.
    Text,
    /// A word is cut by the end of a message, or by white space.
    CutWord,
    /// The shown text ends too early.
    Missing,
    /// The shown text goes on after the whole text was shown.
    Surplus,
}

/// The first mismatch, with some text around it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{kind:?} in part {part} at byte {at}: expected {expected:?}, shown {shown:?}, after {before:?}"
)]
pub struct Difference {
    pub kind: Kind,
    /// Which of the shown parts, from 0.
    pub part: usize,
    /// Byte offset in that part.
    pub at: usize,
    /// What should stand there.
    pub expected: String,
    /// What stands there (its first characters).
    pub shown: String,
    /// What stands in front of it (its last characters).
    pub before: String,
}
