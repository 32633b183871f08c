//! Blocks as Telegram shows them.

use talaria_types::EntityKind;

use super::links::{is_linkable, shown_target};
use crate::flow::{Flow, Rank};
use crate::ir::{Block, BlockKind, Inline, Item, Link, Piece, Style};
use crate::table;

/// Spaces by which a level of a list is indented.
const INDENT: usize = 4;

const BULLETS: [&str; 3] = ["• ", "◦ ", "▪ "];

/// A rule is a line of its own.
const RULE: &str = "────────────";

/// The blocks from the source offset `from` on. `widest`: see [`table::write`].
pub(super) fn lay(blocks: &[Block<'_>], from: usize, widest: usize) -> Flow<EntityKind> {
    let mut writer = Writer {
        flow: Flow::new(from),
        open: Open::default(),
        widest,
    };
    writer.blocks(blocks, Place::default());
    writer.flow
}

/// Where a block stands.
#[derive(Clone, Copy, Default)]
struct Place {
    indent: usize,
    /// Lists around it.
    lists: usize,
    /// In an item: its first block goes on the marker's line.
    item: bool,
    nested: bool,
}

/// Formats that are open, since an entity is not nested in one of its own kind.
#[derive(Clone, Copy, Default)]
struct Open {
    bold: bool,
    italic: bool,
    strikethrough: bool,
    link: bool,
    quote: bool,
}

struct Writer {
    flow: Flow<EntityKind>,
    open: Open,
    widest: usize,
}

impl Writer {
    fn blocks(&mut self, blocks: &[Block<'_>], place: Place) {
        let mut after_heading = false;
        let mut numbers = Numbers::default();
        for (nth, block) in blocks.iter().enumerate() {
            let own_line = matches!(
                block.kind,
                BlockKind::Code { .. } | BlockKind::Table(_) | BlockKind::Rule | BlockKind::Html(_)
            );
            let indent = if own_line { 0 } else { place.indent };
            if nth > 0 || !place.item {
                let rank = if place.nested {
                    Rank::Line
                } else {
                    Rank::Block
                };
                let newlines = if block.blank_before { 2 } else { 1 };
                // A heading stays with what it heads.
                let rank = (!after_heading).then_some(rank);
                self.flow.block_gap(newlines, indent, block.src.start, rank);
            } else if own_line {
                self.flow.block_gap(1, indent, block.src.start, None);
            }
            let first_number = numbers.next(&block.kind);
            self.block(
                block,
                Place {
                    item: false,
                    ..place
                },
                first_number,
            );
            after_heading = matches!(block.kind, BlockKind::Heading(_));
        }
    }

    fn block(&mut self, block: &Block<'_>, place: Place, first_number: u64) {
        let start = self.flow.text.len();
        match &block.kind {
            BlockKind::Paragraph(inlines) => self.inlines(inlines, place.indent),
            BlockKind::Heading(inlines) => {
                let outer = self.open;
                self.open.bold = true;
                self.inlines(inlines, place.indent);
                self.open = outer;
                if !outer.bold {
                    self.flow.span(EntityKind::Bold, start);
                }
            }
            BlockKind::Code { language, lines } => {
                self.verbatim(lines);
                self.flow.span(
                    EntityKind::Pre {
                        language: language.clone(),
                    },
                    start,
                );
            }
            BlockKind::Html(lines) => self.verbatim(lines),
            BlockKind::Quote(blocks) => {
                let outer = self.open;
                self.open.quote = true;
                self.blocks(
                    blocks,
                    Place {
                        nested: true,
                        item: true,
                        ..place
                    },
                );
                self.open = outer;
                if !outer.quote {
                    self.flow.span(EntityKind::Blockquote, start);
                }
            }
            BlockKind::List { start, items } => {
                let mut number = start.map(|_| first_number);
                for (nth, item) in items.iter().enumerate() {
                    if nth > 0 {
                        let newlines = if item.blank_before { 2 } else { 1 };
                        let rank = Some(Rank::Line);
                        self.flow
                            .block_gap(newlines, place.indent, item.src.start, rank);
                    }
                    self.item(item, number, place);
                    number = number.map(|n| n.saturating_add(1));
                }
            }
            BlockKind::Table(table) => {
                table::write(&mut self.flow, table, self.widest);
                self.flow.span(EntityKind::Pre { language: None }, start);
            }
            BlockKind::Rule => self.flow.mark(RULE, block.src.start..block.src.start),
        }
    }

    fn item(&mut self, item: &Item<'_>, number: Option<u64>, place: Place) {
        let mut marker = match number {
            Some(number) => format!("{number}. "),
            None if item.task.is_some() => String::new(),
            None => BULLETS
                .get(place.lists.min(2))
                .copied()
                .unwrap_or_default()
                .to_owned(),
        };
        match item.task {
            Some(true) => marker.push_str("☑ "),
            Some(false) => marker.push_str("☐ "),
            None => {}
        }
        self.flow.mark(&marker, item.src.start..item.src.start);
        let inner = Place {
            indent: place.indent + INDENT,
            lists: place.lists + 1,
            item: true,
            nested: true,
        };
        self.blocks(&item.blocks, inner);
    }

    fn verbatim(&mut self, lines: &[Piece<'_>]) {
        self.flow.verbatim(true);
        for (nth, line) in lines.iter().enumerate() {
            // The last line's end belongs to the gap after the block.
            match line.text.strip_suffix('\n') {
                Some(text) if nth + 1 == lines.len() => {
                    let src = line.src.start..line.src.end.saturating_sub(1);
                    self.flow.piece(&Piece {
                        text: text.into(),
                        src,
                        exact: line.exact,
                    });
                }
                Some(_) | None => self.flow.piece(line),
            }
        }
        self.flow.verbatim(false);
    }

    fn inlines(&mut self, inlines: &[Inline<'_>], indent: usize) {
        for inline in inlines {
            match inline {
                Inline::Text(piece) => self.flow.piece(piece),
                Inline::Code(piece) => {
                    let start = self.flow.text.len();
                    self.flow.piece(piece);
                    // A link's target matters more than its font; the two can't be nested.
                    if !self.open.link {
                        self.flow.span(EntityKind::Code, start);
                    }
                }
                Inline::Break(src) => self.flow.line_gap(indent, src.clone()),
                Inline::Styled(style, children) => self.styled(*style, children, indent),
                Inline::Link(link) => self.link(link, indent),
            }
        }
    }

    fn styled(&mut self, style: Style, children: &[Inline<'_>], indent: usize) {
        let outer = self.open;
        let (flag, kind) = match style {
            Style::Bold => (&mut self.open.bold, EntityKind::Bold),
            Style::Italic => (&mut self.open.italic, EntityKind::Italic),
            Style::Strikethrough => (&mut self.open.strikethrough, EntityKind::Strikethrough),
        };
        let nested = std::mem::replace(flag, true);
        let start = self.flow.text.len();
        self.inlines(children, indent);
        self.open = outer;
        if !nested {
            self.flow.span(kind, start);
        }
    }

    fn link(&mut self, link: &Link<'_>, indent: usize) {
        let start = self.flow.text.len();
        let label = plain(&link.label);
        let linked = is_linkable(&link.url) && !self.open.link;
        let outer = self.open;
        self.open.link |= linked;
        self.inlines(&link.label, indent);
        self.open = outer;
        let target = shown_target(&link.url);
        // Behind the label, so that a share which begins after the link does not show it.
        let src = link.src.end.saturating_sub(1)..link.src.end;
        if label.trim().is_empty() {
            self.flow.mark(target, src);
        } else if !linked && !target.is_empty() && target != label && !self.open.link {
            self.flow.mark(&format!(" ({target})"), src);
        }
        // A bare address is found by the platform itself.
        if linked && label != link.url {
            self.flow.span(
                EntityKind::TextLink {
                    url: link.url.clone().into_owned(),
                },
                start,
            );
        }
    }
}

/// The text of inlines.
fn plain(inlines: &[Inline<'_>]) -> String {
    let mut text = String::new();
    for inline in inlines {
        match inline {
            Inline::Text(piece) | Inline::Code(piece) => text.push_str(&piece.text),
            Inline::Break(_) => text.push(' '),
            Inline::Styled(_, children) => text.push_str(&plain(children)),
            Inline::Link(link) => text.push_str(&plain(&link.label)),
        }
    }
    text
}

/// The numbers of ordered lists that follow each other. Models write the sub-points of numbered
/// steps without indentation, which ends the list; the next `1.` then goes on counting.
#[derive(Default)]
struct Numbers {
    /// What the next item of the last ordered list would be.
    next: Option<u64>,
}

impl Numbers {
    fn next(&mut self, kind: &BlockKind<'_>) -> u64 {
        match kind {
            BlockKind::List {
                start: Some(start),
                items,
            } => {
                let first = match self.next {
                    Some(next) if *start == 1 => next,
                    Some(_) | None => *start,
                };
                self.next = Some(first.saturating_add(items.len() as u64));
                first
            }
            BlockKind::List { start: None, .. } => 0,
            BlockKind::Paragraph(_)
            | BlockKind::Heading(_)
            | BlockKind::Code { .. }
            | BlockKind::Html(_)
            | BlockKind::Quote(_)
            | BlockKind::Table(_)
            | BlockKind::Rule => {
                self.next = None;
                0
            }
        }
    }
}
