//! placeholder
pub mod pacing;
