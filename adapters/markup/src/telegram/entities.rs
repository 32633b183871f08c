//! A flow's text and spans as a body. Rules: Bot API, "Formatting options": entities are nested or
//! apart; `pre` and `code` contain nothing and, but for a quote, are contained in nothing.

use std::ops::Range;

use talaria_types::{Body, Entity, EntityKind};

use crate::flow::{Flow, Span};
use crate::ir::slice;

/// The body that shows `flow`.
pub(super) fn body(flow: &Flow<EntityKind>) -> Body {
    let spans = spans(flow);
    let mut marks: Vec<_> = spans
        .iter()
        .flat_map(|span| [span.range.start, span.range.end])
        .collect();
    marks.sort_unstable();
    let units = utf16_offsets(&flow.text, &marks);
    let unit = |at: usize| {
        let nth = marks.partition_point(|mark| *mark < at);
        units.get(nth).copied().unwrap_or(0)
    };
    let entities = spans
        .into_iter()
        .map(|span| {
            let offset = unit(span.range.start);
            let length = unit(span.range.end).saturating_sub(offset);
            Entity {
                kind: span.kind,
                offset,
                length,
            }
        })
        .collect();
    Body {
        text: flow.text.trim_end().to_owned(),
        entities,
        buttons: Vec::new(),
    }
}

/// Where the entity after the first `limit` begins, in bytes.
pub(super) fn start_of(flow: &Flow<EntityKind>, limit: usize) -> Option<usize> {
    // Splitting around code makes at most two of a span: cheap to rule out.
    if flow.spans.len() * 2 < limit {
        return None;
    }
    spans(flow).get(limit).map(|span| span.range.start)
}

/// The UTF-16 offsets of sorted byte offsets.
fn utf16_offsets(text: &str, sorted: &[usize]) -> Vec<u32> {
    let mut offsets = Vec::with_capacity(sorted.len());
    let (mut at, mut units) = (0, 0_usize);
    for &mark in sorted {
        units += slice(text, at..mark)
            .chars()
            .map(char::len_utf16)
            .sum::<usize>();
        at = mark;
        offsets.push(u32::try_from(units).unwrap_or(u32::MAX));
    }
    offsets
}

/// The spans as the platform wants them: trimmed, not empty, code apart from the others, sorted
/// with the outer one first.
fn spans(flow: &Flow<EntityKind>) -> Vec<Span<EntityKind>> {
    let code: Vec<_> = flow
        .spans
        .iter()
        .filter(|span| is_code(&span.kind))
        .map(|span| trimmed(&flow.text, &span.kind, span.range.clone()))
        .collect();
    let mut spans = Vec::with_capacity(flow.spans.len());
    for span in &flow.spans {
        let whole = is_code(&span.kind) || matches!(span.kind, EntityKind::Blockquote);
        let ranges = if whole {
            vec![span.range.clone()]
        } else {
            without(span.range.clone(), &code)
        };
        for range in ranges {
            let mut range = trimmed(&flow.text, &span.kind, range);
            if matches!(span.kind, EntityKind::Blockquote) {
                // A quote that begins with indented code holds its indentation too.
                let holds =
                    |code: &&Range<usize>| (span.range.start..range.start).contains(&code.start);
                range.start = code
                    .iter()
                    .find(holds)
                    .map_or(range.start, |code| code.start);
            }
            if !range.is_empty() {
                spans.push(Span {
                    kind: span.kind.clone(),
                    range,
                });
            }
        }
    }
    spans.sort_by(|a, b| {
        let key = |span: &Span<EntityKind>| (span.range.start, std::cmp::Reverse(span.range.end));
        key(a).cmp(&key(b)).then_with(|| rank(a).cmp(&rank(b)))
    });
    spans
}

fn is_code(kind: &EntityKind) -> bool {
    matches!(kind, EntityKind::Code | EntityKind::Pre { .. })
}

/// Of two spans over the same text, the quote is the outer one.
fn rank(span: &Span<EntityKind>) -> (bool, &EntityKind) {
    (!matches!(span.kind, EntityKind::Blockquote), &span.kind)
}

/// `range` without the `holes`, which are in order.
fn without(range: Range<usize>, holes: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = Vec::new();
    let mut start = range.start;
    for hole in holes
        .iter()
        .filter(|hole| hole.start < range.end && range.start < hole.end)
    {
        if start < hole.start {
            left.push(start..hole.start);
        }
        start = hole.end;
    }
    if start < range.end {
        left.push(start..range.end);
    }
    left
}

/// Without white space at both ends; code keeps the indentation of its first line.
fn trimmed(text: &str, kind: &EntityKind, range: Range<usize>) -> Range<usize> {
    let shown = slice(text, range.clone());
    let rest = shown.trim_start();
    let lead = slice(shown, 0..shown.len() - rest.len());
    let skipped = match kind {
        EntityKind::Pre { .. } => lead.rfind('\n').map_or(0, |at| at + 1),
        _ => lead.len(),
    };
    let start = range.start + skipped;
    let end = range.start + shown.trim_end().len();
    start..end.max(start)
}
