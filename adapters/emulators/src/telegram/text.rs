//! Text as the server treats it: parse modes, entities in UTF-16, trimming, detection.

pub(crate) mod detect;
pub(crate) mod entity;
pub(crate) mod html;
pub(crate) mod markdown_v2;
pub(crate) mod prepare;

#[cfg(test)]
mod tests;
