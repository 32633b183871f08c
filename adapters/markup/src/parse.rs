//! Markdown to blocks, by pulldown-cmark: CommonMark with tables, strikethrough and task lists.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::Range;

use pulldown_cmark::{Alignment, BrokenLink, CodeBlockKind, CowStr, Event, Options, Parser, Tag};

use crate::ir::{Align, Block, BlockKind, Item, Piece, Row, Table, blank_before, slice};

mod inlines;
#[cfg(test)]
mod tests;

use inlines::{Shape, inline_end, shape};

/// Containers deeper than this add no further level: their content stays, at this level.
const MAX_DEPTH: usize = 16;

/// Link definitions that were met so far: by normalised label, the target.
pub(crate) type Definitions = BTreeMap<String, String>;

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Labels match without regard to case and to the kind of white space.
fn label_key(label: &str) -> String {
    label
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

/// Parses `text`, which stands at `base` in the source. `known` are the definitions from before
/// `base`; the second result are those in `text`.
pub(crate) fn parse<'a>(
    text: &'a str,
    base: usize,
    known: &Definitions,
) -> (Vec<Block<'a>>, Definitions) {
    let lookup = |link: BrokenLink<'a>| {
        let url = known.get(&label_key(&link.reference))?;
        Some((CowStr::from(url.clone()), CowStr::from("")))
    };
    let parser = Parser::new_with_broken_link_callback(text, options(), Some(lookup));
    let found = parser
        .reference_definitions()
        .iter()
        .map(|(label, def)| (label_key(label), def.dest.to_string()))
        .collect();
    let mut reader = Reader {
        events: parser.into_offset_iter().peekable(),
        text,
        base,
    };
    (reader.blocks(0), found)
}

struct Reader<'a, I: Iterator<Item = (Event<'a>, Range<usize>)>> {
    events: Peekable<I>,
    text: &'a str,
    base: usize,
}

fn cow(text: CowStr<'_>) -> Cow<'_, str> {
    match text {
        CowStr::Borrowed(text) => Cow::Borrowed(text),
        CowStr::Boxed(text) => Cow::Owned(text.into_string()),
        CowStr::Inlined(text) => Cow::Owned(text.to_string()),
    }
}

impl<'a, I: Iterator<Item = (Event<'a>, Range<usize>)>> Reader<'a, I> {
    fn at(&self, range: &Range<usize>) -> Range<usize> {
        range.start + self.base..range.end + self.base
    }

    fn piece(&self, text: CowStr<'a>, range: Range<usize>) -> Piece<'a> {
        let text = cow(text);
        let exact = slice(self.text, range.clone()) == text;
        Piece {
            text,
            src: self.at(&range),
            exact,
        }
    }

    fn block(&self, kind: BlockKind<'a>, range: &Range<usize>) -> Block<'a> {
        let blank_before = blank_before(self.text, range.start);
        Block {
            kind,
            src: self.at(range),
            blank_before,
        }
    }

    /// Blocks up to the end of their container, which is consumed.
    fn blocks(&mut self, depth: usize) -> Vec<Block<'a>> {
        let mut blocks = Vec::new();
        let mut transparent = 0_usize;
        loop {
            if let Some((event, range)) = self.events.peek()
                && matches!(shape(event), Shape::Inline)
            {
                let start = range.start;
                let inlines = self.inlines(0);
                let end = inlines
                    .last()
                    .map_or(start, |last| inline_end(last).saturating_sub(self.base));
                blocks.push(self.block(BlockKind::Paragraph(inlines), &(start..end.max(start))));
                continue;
            }
            let Some((event, range)) = self.events.next() else {
                return blocks;
            };
            match event {
                Event::Start(tag) => match self.container(tag, &range, depth) {
                    Some(block) => blocks.push(block),
                    None => transparent += 1,
                },
                Event::End(_) if transparent > 0 => transparent -= 1,
                Event::End(_) => return blocks,
                Event::Rule => blocks.push(self.block(BlockKind::Rule, &range)),
                Event::Html(text) => {
                    let piece = self.piece(text, range.clone());
                    blocks.push(self.block(BlockKind::Html(vec![piece]), &range));
                }
                // Read by `items`; the rest is inline and was read above.
                Event::TaskListMarker(_)
                | Event::Text(_)
                | Event::Code(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::InlineHtml(_)
                | Event::FootnoteReference(_)
                | Event::SoftBreak
                | Event::HardBreak => {}
            }
        }
    }

    /// The block that `tag` starts, read to its end; `None` where its content belongs to the
    /// surrounding level, which then meets the end.
    fn container(&mut self, tag: Tag<'a>, range: &Range<usize>, depth: usize) -> Option<Block<'a>> {
        let kind = match tag {
            Tag::Paragraph => BlockKind::Paragraph(self.inlines_to_end()),
            Tag::Heading { .. } => BlockKind::Heading(self.inlines_to_end()),
            Tag::CodeBlock(kind) => BlockKind::Code {
                language: language(&kind),
                lines: self.pieces(),
            },
            Tag::HtmlBlock => BlockKind::Html(self.pieces()),
            Tag::Table(aligns) => BlockKind::Table(self.table(&aligns)),
            Tag::List(start) if depth < MAX_DEPTH => BlockKind::List {
                start,
                items: self.items(depth + 1),
            },
            Tag::BlockQuote(_) if depth < MAX_DEPTH => BlockKind::Quote(self.blocks(depth + 1)),
            _ => return None,
        };
        Some(self.block(kind, range))
    }

    fn items(&mut self, depth: usize) -> Vec<Item<'a>> {
        let mut items = Vec::new();
        while let Some((Event::Start(_), range)) = self.events.next() {
            let (task, first) = self.item_head();
            let mut blocks = Vec::from_iter(first);
            blocks.extend(self.blocks(depth));
            items.push(Item {
                task,
                blocks,
                src: self.at(&range),
                blank_before: blank_before(self.text, range.start),
            });
        }
        items
    }

    fn task(&mut self) -> Option<bool> {
        let Some((Event::TaskListMarker(done), _)) = self.events.peek() else {
            return None;
        };
        let done = *done;
        self.events.next();
        Some(done)
    }

    /// An item's task marker, and its first paragraph where the marker stands inside of it.
    fn item_head(&mut self) -> (Option<bool>, Option<Block<'a>>) {
        if let Some(done) = self.task() {
            return (Some(done), None);
        }
        if !matches!(self.events.peek(), Some((Event::Start(Tag::Paragraph), _))) {
            return (None, None);
        }
        let Some((_, range)) = self.events.next() else {
            return (None, None);
        };
        let task = self.task();
        let inlines = self.inlines_to_end();
        (
            task,
            Some(self.block(BlockKind::Paragraph(inlines), &range)),
        )
    }

    /// The texts of a leaf block up to its end, which is consumed.
    fn pieces(&mut self) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                    pieces.push(self.piece(text, range));
                }
                Event::End(_) => break,
                Event::Start(_)
                | Event::Code(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::FootnoteReference(_)
                | Event::SoftBreak
                | Event::HardBreak
                | Event::Rule
                | Event::TaskListMarker(_) => {}
            }
        }
        pieces
    }

    fn table(&mut self, aligns: &[Alignment]) -> Table<'a> {
        let aligns = aligns.iter().map(|align| match align {
            Alignment::Center => Align::Center,
            Alignment::Right => Align::Right,
            Alignment::Left | Alignment::None => Align::Left,
        });
        let mut table = Table {
            aligns: aligns.collect(),
            head: Row::default(),
            rows: Vec::new(),
        };
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::Start(Tag::TableHead) => table.head = self.row(&range),
                Event::Start(_) => {
                    let row = self.row(&range);
                    table.rows.push(row);
                }
                _ => break,
            }
        }
        table
    }

    fn row(&mut self, range: &Range<usize>) -> Row<'a> {
        let mut cells = Vec::new();
        while let Some((Event::Start(_), _)) = self.events.next() {
            cells.push(self.inlines_to_end());
        }
        Row {
            cells,
            src: self.at(range),
        }
    }
}

/// The language of a fenced block: the first word of its info string.
fn language(kind: &CodeBlockKind<'_>) -> Option<String> {
    match kind {
        CodeBlockKind::Fenced(info) => info.split_whitespace().next().map(str::to_owned),
        CodeBlockKind::Indented => None,
    }
}
