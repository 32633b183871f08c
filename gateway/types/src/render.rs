//! Markdown to a platform's bodies, as a pure trait, so that the presenter needs to know no
//! platform.

use crate::Body;

/// Whether the text still grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderStage {
    /// It grows: an unclosed fence or emphasis at the end is shown as if it were closed.
    Live,
    /// It is whole.
    Final,
}

/// One message's share of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub body: Body,
    /// The byte offset in the Markdown source at which this part ends. It is frozen once a further
    /// part exists: pass the ends of all parts but the last to the next call.
    pub source_end: usize,
}

/// Renders for one platform. Pure: the same arguments give the same bodies.
pub trait Renderer: Send + Sync {
    /// Renders `markdown` into bodies within the platform's limit, none of them empty or only
    /// white space (so the list is empty for a blank text). `frozen` are source offsets at which
    /// parts ended in an earlier call for a prefix of this text; they are kept.
    fn render(&self, markdown: &str, stage: RenderStage, frozen: &[usize]) -> Vec<Part>;

    /// The same content with no format at all, for a platform that refuses the format.
    fn plainer(&self, body: &Body) -> Body;

    /// The same content, visibly marked as one that may have been shown before. Renderers keep
    /// room for it, so it never overflows.
    fn labelled(&self, body: &Body) -> Body;
}
