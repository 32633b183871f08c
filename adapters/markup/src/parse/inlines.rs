//! Inlines: text, code, breaks, styles and links.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, Tag, TagEnd};

use super::{MAX_DEPTH, Reader, cow};
use crate::ir::{Inline, Link, Piece, Style, slice};

/// What an event is to the readers below.
pub(super) enum Shape {
    /// Text, a break or an inline container's start.
    Inline,
    InlineEnd,
    Block,
}

pub(super) fn shape(event: &Event<'_>) -> Shape {
    match event {
        Event::Text(_)
        | Event::Code(_)
        | Event::InlineMath(_)
        | Event::DisplayMath(_)
        | Event::InlineHtml(_)
        | Event::FootnoteReference(_)
        | Event::SoftBreak
        | Event::HardBreak
        | Event::Start(
            Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::Link { .. }
            | Tag::Image { .. },
        ) => Shape::Inline,
        Event::End(
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image,
        ) => Shape::InlineEnd,
        Event::Start(_)
        | Event::End(_)
        | Event::Html(_)
        | Event::Rule
        | Event::TaskListMarker(_) => Shape::Block,
    }
}

impl<'a, I: Iterator<Item = (Event<'a>, Range<usize>)>> Reader<'a, I> {
    /// A code span's piece: without its backticks, and exact where the span has no prefix of a
    /// quote inside.
    fn code(&self, text: CowStr<'a>, range: Range<usize>) -> Piece<'a> {
        let source = slice(self.text, range.clone());
        let ticks = source.len() - source.trim_start_matches('`').len();
        let inner = source.len().saturating_sub(2 * ticks);
        let pad = inner.saturating_sub(text.len());
        if pad == 0 || pad == 2 {
            let start = range.start + ticks + pad / 2;
            let src = self.at(&(start..start + text.len()));
            return Piece {
                text: cow(text),
                src,
                exact: true,
            };
        }
        Piece {
            text: cow(text),
            src: self.at(&range),
            exact: false,
        }
    }

    pub(super) fn inlines_to_end(&mut self) -> Vec<Inline<'a>> {
        let inlines = self.inlines(0);
        self.events.next();
        inlines
    }

    /// Inlines up to what is none: a block's start or end, or the end of an inline container.
    pub(super) fn inlines(&mut self, depth: usize) -> Vec<Inline<'a>> {
        let mut inlines = Vec::new();
        let mut transparent = 0_usize;
        while let Some((event, _)) = self.events.peek() {
            match shape(event) {
                Shape::Inline => {}
                Shape::InlineEnd if transparent > 0 => {
                    transparent -= 1;
                    self.events.next();
                    continue;
                }
                Shape::InlineEnd | Shape::Block => break,
            }
            let Some((event, range)) = self.events.next() else {
                break;
            };
            match event {
                Event::Code(text) => inlines.push(Inline::Code(self.code(text, range))),
                Event::SoftBreak | Event::HardBreak => {
                    inlines.push(Inline::Break(self.at(&range)));
                }
                Event::Text(text)
                | Event::InlineHtml(text)
                | Event::Html(text)
                | Event::InlineMath(text)
                | Event::DisplayMath(text)
                | Event::FootnoteReference(text) => {
                    inlines.push(Inline::Text(self.piece(text, range)));
                }
                Event::Start(_) if depth >= MAX_DEPTH => transparent += 1,
                Event::Start(tag) => self.inline_container(tag, &range, depth, &mut inlines),
                Event::End(_) | Event::Rule | Event::TaskListMarker(_) => {}
            }
        }
        inlines
    }

    fn inline_container(
        &mut self,
        tag: Tag<'a>,
        range: &Range<usize>,
        depth: usize,
        into: &mut Vec<Inline<'a>>,
    ) {
        let children = self.inlines(depth + 1);
        self.events.next();
        match tag {
            Tag::Strong => into.push(Inline::Styled(Style::Bold, children)),
            Tag::Strikethrough if slice(self.text, range.clone()).starts_with("~~") => {
                into.push(Inline::Styled(Style::Strikethrough, children));
            }
            // In chats a single tilde says "about".
            Tag::Strikethrough => {
                let tilde = |at| self.piece(CowStr::from("~"), at..at + 1);
                into.push(Inline::Text(tilde(range.start)));
                into.extend(children);
                into.push(Inline::Text(tilde(range.end.saturating_sub(1))));
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let src = self.at(range);
                into.push(Inline::Link(Link {
                    url: cow(dest_url),
                    label: children,
                    src,
                }));
            }
            _ => into.push(Inline::Styled(Style::Italic, children)),
        }
    }
}

/// Where an inline's source ends, as far as it shows something.
pub(super) fn inline_end(inline: &Inline<'_>) -> usize {
    match inline {
        Inline::Text(piece) | Inline::Code(piece) => piece.src.end,
        Inline::Break(src) => src.end,
        Inline::Styled(_, children) => children.last().map_or(0, inline_end),
        Inline::Link(link) => link.src.end,
    }
}
