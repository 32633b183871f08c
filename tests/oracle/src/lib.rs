//! What a Markdown text must read like when it is shown: an oracle that shares no code and no
//! parser with the renderers. It parses with comrak; [`equal`] compares the visible text of the
//! posts with it, white space between blocks normalised. What a renderer may change is in one
//! list, [`DECLARED`]; everything else is a difference.

mod declared;
mod difference;
mod matching;
#[cfg(test)]
mod tests;
mod tokens;

pub use declared::{DECLARED, Declared};
pub use difference::{Difference, Kind};
pub use matching::{CUT_OVER, equal, equal_cutting};
pub use tokens::plain_text;
