//! A text into shares that fit one message each. Generic over the renderer's layout; `DESIGN.md`
//! says why split points can freeze.

use std::borrow::Cow;

use crate::cut;
use crate::flow::Flow;
use crate::ir::{Block, BlockKind, slice};
use crate::parse::{self, Definitions};
use crate::tail::{self, End};

#[cfg(test)]
mod tests;

/// What a renderer knows: how blocks are shown, and how much fits.
pub(crate) trait Layout {
    type Kind: Clone;

    /// Shows the blocks from the source offset `from` on.
    fn lay(&self, blocks: &[Block<'_>], from: usize) -> Flow<Self::Kind>;

    /// How long the start of the flow's text may be in one message, in bytes: the whole length
    /// where it fits.
    fn room(&self, flow: &Flow<Self::Kind>) -> usize;

    /// The spans' ranges that a cut should not go through.
    fn whole(&self, kind: &Self::Kind) -> bool;

    /// About how many bytes of source fill a message; only a guess that saves work.
    fn reach(&self) -> usize;
}

/// One message's share: what it shows and the source offset at which it ends.
pub(crate) struct Share<K> {
    pub(crate) flow: Flow<K>,
    pub(crate) end: usize,
}

pub(crate) struct Splitter<'s, L: Layout> {
    pub(crate) layout: &'s L,
    source: &'s str,
    shares: Vec<Share<L::Kind>>,
    /// Where the next share begins.
    start: usize,
    /// Where parsing begins for the next share: the last place before `start` at which the
    /// source parses as if it were a text of its own.
    parse_from: usize,
    known: Definitions,
}

/// A share that has been laid out, and what that told about the source.
pub(crate) struct Laid<K> {
    pub(crate) flow: Flow<K>,
    found: Definitions,
    /// A text of its own may begin at its end.
    closed: bool,
}

/// Splits `source` at the `frozen` offsets first, then where messages are full.
pub(crate) fn split<L: Layout>(
    layout: &L,
    source: &str,
    live: bool,
    frozen: &[usize],
) -> Vec<Share<L::Kind>> {
    let mut splitter = Splitter {
        layout,
        source,
        shares: Vec::new(),
        start: 0,
        parse_from: 0,
        known: Definitions::new(),
    };
    for &end in frozen {
        if end > splitter.start && end <= source.len() && source.is_char_boundary(end) {
            splitter.fill(end, End::Cut);
        }
    }
    splitter.fill(source.len(), if live { End::Live } else { End::Final });
    let mut shares = splitter.shares;
    if let Some(last) = shares.last_mut() {
        last.end = source.len();
    }
    shares
}

impl<L: Layout> Splitter<'_, L> {
    /// Shares up to `to`, as many as it takes.
    fn fill(&mut self, to: usize, end: End) {
        let mut reach = self.layout.reach();
        while self.start < to {
            let window = self.window(to, reach);
            let ended = if window < to { End::Live } else { end };
            let laid = self.lay(window, ended);
            let room = self.layout.room(&laid.flow);
            if room >= laid.flow.text.len() {
                if window < to {
                    reach = reach.saturating_mul(2);
                    continue;
                }
                self.take(to, laid);
                return;
            }
            reach = self.layout.reach();
            match cut::choose(self, &laid.flow, room, to) {
                Some((cut, share)) => self.take(cut, share),
                None => self.halve(window),
            }
        }
    }

    /// The last resort, where no place in the text is a place in the source: half of the source,
    /// and half of that, until it fits.
    fn halve(&mut self, to: usize) {
        let mut end = to;
        loop {
            let half = self.start + (end - self.start) / 2;
            let mut at = half;
            while !self.source.is_char_boundary(at) {
                at -= 1;
            }
            if at <= self.start {
                at = self.start
                    + slice(self.source, self.start..to)
                        .chars()
                        .next()
                        .map_or(1, char::len_utf8);
            }
            let laid = self.lay(at, End::Cut);
            if self.layout.room(&laid.flow) >= laid.flow.text.len() || at - self.start <= 4 {
                return self.take(at, laid);
            }
            end = at;
        }
    }

    /// How far to look for the next share: to the end of a line after `reach` bytes.
    fn window(&self, to: usize, reach: usize) -> usize {
        let mut least = self.start.saturating_add(reach).min(to);
        while !self.source.is_char_boundary(least) {
            least -= 1;
        }
        slice(self.source, least..to)
            .find('\n')
            .map_or(to, |at| least + at + 1)
    }

    /// Lays out the source from the current start to `to`.
    pub(crate) fn lay(&self, to: usize, end: End) -> Laid<L::Kind> {
        let text = slice(self.source, self.parse_from..to);
        let held = match end {
            End::Live => tail::hold(text),
            End::Final | End::Cut => Cow::Borrowed(text),
        };
        let (mut blocks, mut found) = parse::parse(&held, self.parse_from, &self.known);
        if matches!(held, Cow::Owned(_)) && tail::ends_verbatim(&blocks) {
            (blocks, found) = parse::parse(text, self.parse_from, &self.known);
        }
        let inside = !text.ends_with('\n');
        if matches!(end, End::Live) || matches!(end, End::Cut) && inside {
            // Without what was added to close a link.
            let added = if matches!(held, Cow::Owned(_)) { 1 } else { 0 };
            let shown = slice(self.source, 0..self.parse_from + held.len() - added);
            tail::close(&mut blocks, shown);
        }
        let flow = self.layout.lay(&blocks, self.start);
        let closed = is_closed(&blocks, self.source, self.parse_from, to);
        Laid {
            flow,
            found,
            closed,
        }
    }

    /// Takes a share that ends at `to`; a blank one only extends the one before it.
    fn take(&mut self, to: usize, laid: Laid<L::Kind>) {
        if laid.flow.is_blank() {
            if let Some(last) = self.shares.last_mut() {
                last.end = to;
            }
        } else {
            self.shares.push(Share {
                flow: laid.flow,
                end: to,
            });
        }
        self.start = to;
        if laid.closed {
            self.parse_from = to;
            self.known.extend(laid.found);
        }
    }

    pub(crate) fn start(&self) -> usize {
        self.start
    }
}

/// Whether the source after `to` parses as a text of its own: a blank line stands before it, and
/// the block before that cannot go on.
fn is_closed(blocks: &[Block<'_>], source: &str, base: usize, to: usize) -> bool {
    let text = slice(source, base..to);
    let bare = text.trim_end_matches([' ', '\t']);
    if !bare.ends_with("\n\n") {
        return false;
    }
    let Some(last) = blocks.last() else {
        return true;
    };
    match &last.kind {
        BlockKind::Paragraph(_)
        | BlockKind::Heading(_)
        | BlockKind::Quote(_)
        | BlockKind::Table(_)
        | BlockKind::Rule => true,
        BlockKind::Code { .. } => fence_is_closed(slice(source, last.src.clone())),
        BlockKind::Html(_) => false,
        BlockKind::List { .. } => goes_on_outside(slice(source, to..source.len())),
    }
}

/// Whether a fenced block has its closing line.
fn fence_is_closed(block: &str) -> bool {
    let fence = |line: &str| {
        let line = line.trim();
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        Some((mark, line.chars().take_while(|&c| c == mark).count()))
    };
    let mut lines = block.trim_end().lines();
    let first = lines.next().and_then(fence);
    let last = lines.next_back().and_then(fence);
    match (first, last) {
        (Some((open, width)), Some((close, wide))) => open == close && wide >= width,
        (None | Some(_), _) => false,
    }
}

/// Whether what follows a list and a blank line belongs to no item: it is not indented, and begins
/// with no list marker.
fn goes_on_outside(rest: &str) -> bool {
    rest.chars().next().is_some_and(char::is_alphabetic) || rest.starts_with(['#', '>', '|'])
}
