//! What a post shows: a payload that is frozen when the post is sealed.

use serde::{Deserialize, Serialize};

/// The content of one platform message, in the platform's own form: plain text with entities
/// where the platform takes entities, the platform's markup in `text` (and no entities) where it
/// takes markup. Made by a [`crate::Renderer`] only. The same body always gives the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Body {
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Entity>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Button>,
}

/// A formatted range. Offset and length are in UTF-16 code units of the body's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Entity {
    #[serde(flatten)]
    pub kind: EntityKind,
    pub offset: u32,
    pub length: u32,
}

/// The formats that bodies use. `Pre` and `Code` contain no other entity; block quotes do not nest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EntityKind {
    Bold,
    Italic,
    Underline,
    Strikethrough,
    Spoiler,
    Blockquote,
    ExpandableBlockquote,
    Code,
    Pre {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        language: Option<String>,
    },
    TextLink {
        url: String,
    },
}

/// A button under a post. `data` comes back when it is pressed; at most 64 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Button {
    pub label: String,
    pub data: String,
}

impl Body {
    /// Plain text without any format.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}
