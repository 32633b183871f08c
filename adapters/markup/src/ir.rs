//! Blocks and inlines as every renderer reads them. Offsets are bytes of the cleaned source.

use std::borrow::Cow;
use std::ops::Range;

/// A stretch of visible text and where it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) src: Range<usize>,
    /// Byte for byte the source's bytes at `src`, so that it can be cut anywhere.
    pub(crate) exact: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Italic,
    Strikethrough,
}

#[derive(Clone, Debug)]
pub(crate) enum Inline<'a> {
    Text(Piece<'a>),
    Code(Piece<'a>),
    /// A soft or hard line break.
    Break(Range<usize>),
    Styled(Style, Vec<Inline<'a>>),
    Link(Link<'a>),
}

/// A link, or an image as a link with its alternative text.
#[derive(Clone, Debug)]
pub(crate) struct Link<'a> {
    pub(crate) url: Cow<'a, str>,
    pub(crate) label: Vec<Inline<'a>>,
    pub(crate) src: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Block<'a> {
    pub(crate) kind: BlockKind<'a>,
    pub(crate) src: Range<usize>,
    /// A blank line stands before it.
    pub(crate) blank_before: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum BlockKind<'a> {
    Paragraph(Vec<Inline<'a>>),
    Heading(Vec<Inline<'a>>),
    Code {
        language: Option<String>,
        lines: Vec<Piece<'a>>,
    },
    /// HTML is never obeyed: its source is the text.
    Html(Vec<Piece<'a>>),
    Quote(Vec<Block<'a>>),
    List {
        start: Option<u64>,
        items: Vec<Item<'a>>,
    },
    Table(Table<'a>),
    Rule,
}

#[derive(Clone, Debug)]
pub(crate) struct Item<'a> {
    pub(crate) task: Option<bool>,
    pub(crate) blocks: Vec<Block<'a>>,
    pub(crate) src: Range<usize>,
    pub(crate) blank_before: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Center,
    Right,
}

#[derive(Clone, Debug)]
pub(crate) struct Table<'a> {
    pub(crate) aligns: Vec<Align>,
    pub(crate) head: Row<'a>,
    pub(crate) rows: Vec<Row<'a>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Row<'a> {
    pub(crate) cells: Vec<Vec<Inline<'a>>>,
    pub(crate) src: Range<usize>,
}

/// A slice that is empty where the range does not fit, instead of a panic.
pub(crate) fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The start of the line of `at`, if only white space and quote marks stand between them.
pub(crate) fn line_start(source: &str, at: usize) -> Option<usize> {
    let before = slice(source, 0..at).trim_end_matches([' ', '\t', '>']);
    (before.is_empty() || before.ends_with('\n')).then_some(before.len())
}

/// Whether the line before the one that starts with the block at `at` is blank.
pub(crate) fn blank_before(source: &str, at: usize) -> bool {
    let Some(line) = line_start(source, at) else {
        return false;
    };
    let Some(before) = slice(source, 0..line).strip_suffix('\n') else {
        return false;
    };
    let before = before.trim_end_matches([' ', '\t', '>']);
    before.is_empty() || before.ends_with('\n')
}
