//! Where a full message ends.

use unicode_segmentation::GraphemeCursor;

use crate::flow::{Flow, Rank};
use crate::ir::slice;
use crate::split::{Laid, Layout, Splitter};
use crate::tail::End;

/// How many places are tried before the first that merely fits is taken.
const MAX_TRIES: usize = 24;

/// A place at which the text before `at` ends and the source goes on at `src`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    at: usize,
    src: usize,
}

/// The kinds of places, best first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Block,
    Line,
    Sentence,
    Word,
}

/// Chooses the end of a share whose text may be `room` bytes long, and lays it out. A place is
/// good if the share, laid out from the source before it alone, shows just the text before it.
pub(crate) fn choose<L: Layout>(
    splitter: &Splitter<'_, L>,
    flow: &Flow<L::Kind>,
    room: usize,
    to: usize,
) -> Option<(usize, Laid<L::Kind>)> {
    let mut second_best = None;
    let mut tries = 0;
    for place in places(splitter.layout, flow, room) {
        if place.src <= splitter.start() || place.src >= to {
            continue;
        }
        let laid = splitter.lay(place.src, End::Cut);
        let fits = splitter.layout.room(&laid.flow) >= laid.flow.text.len();
        if fits && !laid.flow.is_blank() {
            if same_text(&laid.flow.text, slice(&flow.text, 0..place.at)) {
                return Some((place.src, laid));
            }
            second_best.get_or_insert((place.src, laid));
        }
        tries += 1;
        if tries >= MAX_TRIES && second_best.is_some() {
            break;
        }
    }
    second_best
}

/// Equal but for white space and the lines of tables, whose columns are as wide as the rows that
/// are shown need.
fn same_text(a: &str, b: &str) -> bool {
    let shown = |c: &char| !c.is_whitespace() && !matches!(c, '-' | '+' | '|');
    a.chars().filter(shown).eq(b.chars().filter(shown))
}

/// The places to try, best first: by kind, each as late as possible and not in the first third of
/// the room; then the same with earlier places; then through formatted text; then anywhere
/// between two characters.
fn places<L: Layout>(layout: &L, flow: &Flow<L::Kind>, room: usize) -> Vec<Place> {
    let whole: Vec<_> = flow
        .spans
        .iter()
        .filter(|span| layout.whole(&span.kind))
        .map(|span| span.range.clone())
        .collect();
    let inside = |at: usize| whole.iter().any(|range| range.start < at && at < range.end);
    let found = breaks(flow, room);
    let mut places = Vec::new();
    for (early, through) in [(false, false), (true, false), (false, true), (true, true)] {
        for kind in [Kind::Block, Kind::Line, Kind::Sentence, Kind::Word] {
            let mut fitting = found.iter().rev().filter(|(found, place)| {
                *found == kind
                    && (place.at < room / 3) == early
                    && inside(place.at) == through
                    && !slice(&flow.text, 0..place.at).trim().is_empty()
            });
            places.extend(
                fitting
                    .by_ref()
                    .take(MAX_TRIES / 4)
                    .map(|(_, place)| *place),
            );
        }
    }
    places.extend(hard_places(flow, room));
    places
}

/// All block, line, sentence and word ends in the room, in the order of the text.
fn breaks<K>(flow: &Flow<K>, room: usize) -> Vec<(Kind, Place)> {
    let mut found = Vec::new();
    let mut edges = flow.edges.iter().filter(|edge| edge.at <= room).peekable();
    let mut last = ' ';
    for (at, c) in flow.text.char_indices().take_while(|(at, _)| *at <= room) {
        if let Some(edge) = edges.next_if(|edge| edge.at <= at) {
            let kind = match edge.rank {
                Rank::Block => Kind::Block,
                Rank::Line => Kind::Line,
                Rank::Poor => Kind::Word,
            };
            found.push((
                kind,
                Place {
                    at: edge.at,
                    src: edge.src,
                },
            ));
        } else if c.is_whitespace() && !last.is_whitespace() && !is_no_break(c) {
            let kind = match (c, last) {
                ('\n', _) => Kind::Line,
                (_, '.' | '!' | '?' | '…' | ':' | ';') => Kind::Sentence,
                _ => Kind::Word,
            };
            if let Some(src) = flow.source_at(at).filter(|_| is_boundary(&flow.text, at)) {
                found.push((kind, Place { at, src }));
            }
        } else if matches!(last, '。' | '！' | '？')
            && let Some(src) = flow.source_at(at).filter(|_| is_boundary(&flow.text, at))
        {
            found.push((Kind::Sentence, Place { at, src }));
        }
        last = c;
    }
    found
}

fn is_no_break(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{202f}' | '\u{2007}')
}

fn is_boundary(text: &str, at: usize) -> bool {
    GraphemeCursor::new(at, text.len(), true)
        .is_boundary(text, 0)
        .unwrap_or(false)
}

/// The last grapheme ends in the room, for a word that is longer than a message; then, for a
/// cluster that is, the last character ends.
fn hard_places<K>(flow: &Flow<K>, room: usize) -> Vec<Place> {
    let text = flow.text.as_str();
    let ends = || (1..=room).rev().filter(|at| text.is_char_boundary(*at));
    let clusters = ends().filter(|at| is_boundary(text, *at)).take(8);
    let chars = ends().take(8);
    let mut places = Vec::new();
    for at in clusters.chain(chars) {
        let sources = [flow.source_before(at), flow.source_at(at)];
        places.extend(sources.into_iter().flatten().map(|src| Place { at, src }));
    }
    places
}
