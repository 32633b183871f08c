//! The end of a text that still grows, or of a share that was cut inside a paragraph: markup that
//! is open there is shown as if it were closed.

use std::borrow::Cow;
use std::ops::Range;

use crate::ir::{Block, BlockKind, Inline, Piece, Style, slice};

#[cfg(test)]
mod tests;

/// How the end of a parsed text is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The end of the whole text.
    Final,
    /// The text may go on here: marks that may become markup are held back.
    Live,
    /// A frozen split point. Whether it lies inside a paragraph is seen by the white space before
    /// it (a cut inside a paragraph is placed before it).
    Cut,
}

/// The part of a growing text that can be shown without taking anything back: without marks at
/// the very end, without a last line that is only marks (a rule, a fence or a list item may come
/// of them), and with an unfinished link target closed.
pub(crate) fn hold(text: &str) -> Cow<'_, str> {
    let held = text.trim_end_matches(['*', '_', '~', '`', '\\', '!', '[']);
    let line = held.rfind('\n').map_or(0, |at| at + 1);
    let last = slice(held, line..held.len());
    let marks = |c: char| c.is_ascii_digit() || "-=+#>|:.) \t*_~`<".contains(c);
    if last.chars().all(marks) {
        return Cow::Borrowed(slice(held, 0..line));
    }
    match open_target(last) {
        Some(at) => Cow::Owned(format!("{}]()", slice(held, 0..line + at))),
        None => Cow::Borrowed(held),
    }
}

/// Where, in the last line, the `](` of an unfinished link target stands, outside code.
fn open_target(line: &str) -> Option<usize> {
    let at = line.rfind("](")?;
    let before = slice(line, 0..at);
    let target = slice(line, at + 2..line.len());
    let open = !target.contains([')', ' ', '\t']) && before.contains('[');
    (open && before.matches('`').count().is_multiple_of(2)).then_some(at)
}

/// Whether the text ends in code or HTML, where [`hold`] may not close a link.
pub(crate) fn ends_verbatim(blocks: &[Block<'_>]) -> bool {
    match blocks.last().map(|block| &block.kind) {
        Some(BlockKind::Code { .. } | BlockKind::Html(_)) => true,
        Some(BlockKind::Quote(inner)) => ends_verbatim(inner),
        Some(BlockKind::List { items, .. }) => {
            items.last().is_some_and(|item| ends_verbatim(&item.blocks))
        }
        Some(
            BlockKind::Paragraph(_) | BlockKind::Heading(_) | BlockKind::Table(_) | BlockKind::Rule,
        )
        | None => false,
    }
}

/// Closes what is open in the last paragraph. `source` is what the blocks' offsets point into.
pub(crate) fn close(blocks: &mut [Block<'_>], source: &str) {
    let Some(last) = blocks.last_mut() else {
        return;
    };
    match &mut last.kind {
        BlockKind::Paragraph(inlines) | BlockKind::Heading(inlines) => {
            close_inlines(inlines, source);
        }
        BlockKind::Quote(inner) => close(inner, source),
        BlockKind::List { items, .. } => {
            if let Some(item) = items.last_mut() {
                close(&mut item.blocks, source);
            }
        }
        BlockKind::Code { .. } | BlockKind::Html(_) | BlockKind::Table(_) | BlockKind::Rule => {}
    }
}

/// What an unmatched run of marks opens.
enum Opener {
    Styles(&'static [Style]),
    Code,
}

/// An unmatched run: what it opens, where it stands, and how many inlines it is (the parser gives
/// unmatched marks one by one).
struct Run {
    opens: Opener,
    src: Range<usize>,
    inlines: usize,
}

/// The run of one kind of mark that begins at `at`.
fn run<'i>(inlines: &'i [Inline<'_>], at: usize, source: &'i str) -> Option<(usize, Range<usize>)> {
    let mut src: Option<Range<usize>> = None;
    let mut count = 0;
    for inline in inlines.get(at..).unwrap_or_default() {
        let Inline::Text(piece) = inline else { break };
        let marks = ['*', '_', '~', '`'];
        let mark = piece.text.chars().next().filter(|c| marks.contains(c));
        let Some(mark) = mark.filter(|m| piece.exact && piece.text.chars().all(|c| c == *m)) else {
            break;
        };
        src = match src {
            None => Some(piece.src.clone()),
            Some(old)
                if old.end == piece.src.start && slice(source, old.clone()).starts_with(mark) =>
            {
                Some(old.start..piece.src.end)
            }
            Some(old) => {
                src = Some(old);
                break;
            }
        };
        count += 1;
    }
    src.map(|src| (count, src))
}

fn opener(inlines: &[Inline<'_>], at: usize, source: &str) -> Option<Run> {
    let (count, src) = run(inlines, at, source)?;
    let before = slice(source, 0..src.start).chars().next_back();
    let after = slice(source, src.end..source.len()).chars().next()?;
    let marks = slice(source, src.clone());
    // Escaped, or the rest of a longer run.
    if before == Some('\\') || before.is_some_and(|c| marks.starts_with(c)) {
        return None;
    }
    let opens = match marks {
        "*" | "_" => Opener::Styles(&[Style::Italic]),
        "**" | "__" => Opener::Styles(&[Style::Bold]),
        "***" | "___" => Opener::Styles(&[Style::Bold, Style::Italic]),
        "~~" => Opener::Styles(&[Style::Strikethrough]),
        text if !text.is_empty() && text.bytes().all(|b| b == b'`') => Opener::Code,
        _ => return None,
    };
    // Left-flanking, as CommonMark says; `_` opens no emphasis inside a word.
    let inside_word = before.is_some_and(char::is_alphanumeric);
    let flanking = match opens {
        Opener::Code => true,
        Opener::Styles(_) => {
            let closed_in = inside_word && (marks.starts_with('_') || after.is_ascii_punctuation());
            !after.is_whitespace() && !closed_in
        }
    };
    flanking.then_some(Run {
        opens,
        src,
        inlines: count,
    })
}

fn close_inlines(inlines: &mut Vec<Inline<'_>>, source: &str) {
    let found = (0..inlines.len()).find_map(|at| Some((at, opener(inlines, at, source)?)));
    let Some((at, run)) = found else { return };
    let mut rest = inlines.split_off((at + run.inlines).min(inlines.len()));
    match run.opens {
        Opener::Code => {
            let code = slice(source, run.src.end..source.len()).trim_end();
            if code.is_empty() || code.contains('\n') {
                inlines.append(&mut rest);
                return;
            }
            inlines.truncate(at);
            let src = run.src.end..run.src.end + code.len();
            inlines.push(Inline::Code(Piece {
                text: Cow::Owned(code.to_owned()),
                src,
                exact: true,
            }));
        }
        Opener::Styles(styles) => {
            if rest.is_empty() {
                return;
            }
            inlines.truncate(at);
            close_inlines(&mut rest, source);
            for style in styles.iter().rev() {
                rest = vec![Inline::Styled(*style, rest)];
            }
            inlines.append(&mut rest);
        }
    }
}
