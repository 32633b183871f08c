//! Text on its way into messages: what is shown, where it came from, and where it may be cut.
//! A writer skips what stands before its start, so that the same walk over the blocks gives any
//! share of a text.

use std::ops::Range;

use crate::ir::Piece;

/// A formatted range of a flow's text, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span<K> {
    pub(crate) kind: K,
    pub(crate) range: Range<usize>,
}

/// How good a cut between two blocks is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Between two blocks of the text.
    Block,
    /// Between two items, rows, or blocks inside another one.
    Line,
    /// Where a cut is allowed but not good: under a table's header.
    Poor,
}

/// A place between two blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Where the text before it ends.
    pub(crate) at: usize,
    /// Where the source after it begins.
    pub(crate) src: usize,
    pub(crate) rank: Rank,
}

#[derive(Clone, Debug)]
struct Segment {
    at: usize,
    src: Range<usize>,
    exact: bool,
}

/// A gap that is written when something follows it.
#[derive(Clone, Debug)]
struct Gap {
    newlines: usize,
    indent: usize,
    src: Range<usize>,
    rank: Option<Rank>,
}

/// The flow of one share of a text. `K` is the renderer's kind of span.
#[derive(Clone, Debug)]
pub(crate) struct Flow<K> {
    pub(crate) text: String,
    pub(crate) spans: Vec<Span<K>>,
    pub(crate) edges: Vec<Edge>,
    segments: Vec<Segment>,
    /// Source before this is skipped.
    from: usize,
    gap: Option<Gap>,
    /// Leading white space is content (code).
    verbatim: bool,
}

impl<K> Flow<K> {
    pub(crate) fn new(from: usize) -> Self {
        Self {
            text: String::new(),
            spans: Vec::new(),
            edges: Vec::new(),
            segments: Vec::new(),
            from,
            gap: None,
            verbatim: false,
        }
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Source before this offset is not shown.
    pub(crate) fn from(&self) -> usize {
        self.from
    }

    /// Text with white space that matters, until it is switched off.
    pub(crate) fn verbatim(&mut self, on: bool) {
        self.verbatim = on;
    }

    /// The gap before a block that starts at `src`; `rank` if a message may end there.
    pub(crate) fn block_gap(
        &mut self,
        newlines: usize,
        indent: usize,
        src: usize,
        rank: Option<Rank>,
    ) {
        self.add_gap(Gap {
            newlines,
            indent,
            src: src..src,
            rank,
        });
    }

    /// A line break inside a block.
    pub(crate) fn line_gap(&mut self, indent: usize, src: Range<usize>) {
        self.add_gap(Gap {
            newlines: 1,
            indent,
            src,
            rank: None,
        });
    }

    fn add_gap(&mut self, gap: Gap) {
        if self.text.is_empty() {
            return;
        }
        let newlines = self.gap.as_ref().map_or(0, |old| old.newlines);
        self.gap = Some(Gap {
            newlines: gap.newlines.max(newlines),
            ..gap
        });
    }

    fn fill_gap(&mut self) {
        let Some(gap) = self.gap.take() else { return };
        let at = self.text.len();
        if let Some(rank) = gap.rank {
            self.edges.push(Edge {
                at,
                src: gap.src.start,
                rank,
            });
        }
        self.segments.push(Segment {
            at,
            src: gap.src,
            exact: false,
        });
        self.text.extend(std::iter::repeat_n('\n', gap.newlines));
        self.text.extend(std::iter::repeat_n(' ', gap.indent));
    }

    /// Visible text from the source; what of it stands before the start is left out.
    pub(crate) fn piece(&mut self, piece: &Piece<'_>) {
        let skip = self.from.saturating_sub(piece.src.start);
        if skip == 0 {
            self.push(&piece.text, piece.src.clone(), piece.exact);
        } else if piece.exact {
            let rest = piece.text.get(skip..).unwrap_or_default();
            self.push(rest, piece.src.start + skip..piece.src.end, true);
        }
    }

    /// Text of our own that stands for the source at `src`.
    pub(crate) fn mark(&mut self, text: &str, src: Range<usize>) {
        if src.start >= self.from {
            self.push(text, src, false);
        }
    }

    fn push(&mut self, text: &str, src: Range<usize>, exact: bool) {
        let mut text = text;
        let mut src = src;
        if self.text.is_empty() {
            let rest = self.without_lead(text);
            src.start += if exact { text.len() - rest.len() } else { 0 };
            text = rest;
        }
        if text.is_empty() {
            return;
        }
        self.fill_gap();
        self.segments.push(Segment {
            at: self.text.len(),
            src,
            exact,
        });
        self.text.push_str(text);
    }

    /// A message does not begin with white space; code does not begin with blank lines.
    fn without_lead<'t>(&self, text: &'t str) -> &'t str {
        let rest = text.trim_start();
        if !self.verbatim {
            return rest;
        }
        let lead = text.len() - rest.len();
        let blank = text
            .get(..lead)
            .and_then(|lead| lead.rfind('\n'))
            .map_or(0, |at| at + 1);
        text.get(blank..).unwrap_or_default()
    }

    /// A span from `start` to here, trimmed by the renderer.
    pub(crate) fn span(&mut self, kind: K, start: usize) {
        if start < self.text.len() {
            self.spans.push(Span {
                kind,
                range: start..self.text.len(),
            });
        }
    }

    /// The source offset at which a message ends that shows the text before `at`.
    pub(crate) fn source_at(&self, at: usize) -> Option<usize> {
        let after = self.segments.partition_point(|segment| segment.at <= at);
        let segment = self.segments.get(after.checked_sub(1)?)?;
        if segment.exact {
            Some(segment.src.start + (at - segment.at))
        } else if segment.at == at {
            Some(segment.src.start)
        } else {
            None
        }
    }

    /// Like [`Flow::source_at`], but right after the character before `at`: in front of markup
    /// that stands between the two.
    pub(crate) fn source_before(&self, at: usize) -> Option<usize> {
        let after = self.segments.partition_point(|segment| segment.at < at);
        let segment = self.segments.get(after.checked_sub(1)?)?;
        if segment.exact {
            Some((segment.src.start + (at - segment.at)).min(segment.src.end))
        } else {
            Some(segment.src.end)
        }
    }
}
