//! Bot API: MessageEntity. Offsets and lengths are UTF-16 code units.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A formatted or detected piece of a text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Entity {
    /// `bold`, `pre`, `url`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// UTF-16 units before it.
    #[serde(default)]
    pub offset: i64,
    /// UTF-16 units in it.
    #[serde(default)]
    pub length: i64,
    /// Of a `text_link`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Of a `pre`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Of a `text_mention`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<Value>,
    /// Of a `custom_emoji`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_emoji_id: Option<String>,
}

impl Entity {
    pub(crate) fn new(kind: &str, offset: i64, length: i64) -> Self {
        Self {
            kind: kind.to_owned(),
            offset,
            length,
            ..Self::default()
        }
    }

    pub(crate) fn end(&self) -> i64 {
        self.offset.saturating_add(self.length)
    }

    pub(crate) fn is_code(&self) -> bool {
        matches!(self.kind.as_str(), "pre" | "code")
    }

    /// Formatting that the server splits where it meets code.
    pub(crate) fn splits(&self) -> bool {
        matches!(
            self.kind.as_str(),
            "bold" | "italic" | "underline" | "strikethrough" | "spoiler"
        )
    }

    pub(crate) fn is_quote(&self) -> bool {
        matches!(self.kind.as_str(), "blockquote" | "expandable_blockquote")
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.offset < other.end() && other.offset < self.end()
    }

    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.offset <= other.offset && other.end() <= self.end()
    }
}

/// The length of a text in UTF-16 code units.
#[must_use]
pub fn utf16_len(text: &str) -> i64 {
    i64::try_from(text.encode_utf16().count()).unwrap_or(i64::MAX)
}
