//! A renderer of the simulation's own. Every part carries, invisibly, the epoch of the process
//! that rendered it: a sealed post that is rendered again shows (P4).

use talaria_types::{Body, Entity, EntityKind, Part, RenderStage, Renderer};

/// Bytes of source in one part.
const SIZE: usize = 160;
/// What a labelled body begins with.
pub const LABEL: &str = "[again] ";

#[derive(Clone, Copy, Debug)]
pub struct SimRenderer {
    pub epoch: u64,
}

impl Renderer for SimRenderer {
    fn render(&self, markdown: &str, _stage: RenderStage, frozen: &[usize]) -> Vec<Part> {
        let mut ends: Vec<usize> = Vec::new();
        let mut start = 0;
        for end in frozen
            .iter()
            .copied()
            .filter(|end| markdown.is_char_boundary(*end))
        {
            if end > start && end <= markdown.len() {
                ends.push(end);
                start = end;
            }
        }
        while markdown.len() - start > SIZE {
            start += SIZE;
            while !markdown.is_char_boundary(start) {
                start -= 1;
            }
            ends.push(start);
        }
        if start < markdown.len() {
            ends.push(markdown.len());
        }
        let mut parts = Vec::new();
        let mut start = 0;
        for source_end in ends {
            let text = markdown.get(start..source_end).unwrap_or_default().trim();
            start = source_end;
            if !text.is_empty() {
                parts.push(Part {
                    body: self.body(text),
                    source_end,
                });
            }
        }
        parts
    }

    fn plainer(&self, body: &Body) -> Body {
        Body::plain(body.text.clone())
    }

    fn labelled(&self, body: &Body) -> Body {
        let mut body = body.clone();
        body.text.insert_str(0, LABEL);
        for entity in &mut body.entities {
            entity.offset += u32::try_from(LABEL.len()).unwrap_or(0);
        }
        body
    }
}

impl SimRenderer {
    fn body(self, text: &str) -> Body {
        let mark = Entity {
            kind: EntityKind::TextLink {
                url: format!("epoch:{}", self.epoch),
            },
            offset: 0,
            length: 1,
        };
        Body {
            text: text.to_owned(),
            entities: vec![mark],
            buttons: Vec::new(),
        }
    }
}

/// A text without its label and without white space: what is compared.
#[must_use]
pub fn bare(text: &str) -> String {
    let text = text.strip_prefix(LABEL).unwrap_or(text);
    text.split_whitespace().collect()
}
