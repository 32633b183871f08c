//! A table as aligned lines of monospace text.

use unicode_width::UnicodeWidthStr;

use crate::flow::{Flow, Rank};
use crate::ir::{Align, Inline, Piece, Row, Table};

/// A column is padded up to this width; longer cells stand out of the alignment, so that one long
/// cell does not blow up every row.
const MAX_PADDED: usize = 48;

/// The visible pieces of a cell: no formats inside monospace.
fn cell_pieces<'i, 'a>(cell: &'i [Inline<'a>], into: &mut Vec<&'i Piece<'a>>) {
    for inline in cell {
        match inline {
            Inline::Text(piece) | Inline::Code(piece) => into.push(piece),
            Inline::Break(_) => {}
            Inline::Styled(_, children) => cell_pieces(children, into),
            Inline::Link(link) => cell_pieces(&link.label, into),
        }
    }
}

fn pieces<'i, 'a>(cell: &'i [Inline<'a>]) -> Vec<&'i Piece<'a>> {
    let mut found = Vec::new();
    cell_pieces(cell, &mut found);
    found
}

fn width(cell: &[Inline<'_>]) -> usize {
    pieces(cell).iter().map(|piece| piece.text.width()).sum()
}

/// Writes the rows of `table` that the flow has not passed. The header stands above them in each
/// message: a share that begins inside the table repeats it. A table with lines of more than
/// `widest` columns is not aligned, and its header not repeated.
pub(crate) fn write<K>(flow: &mut Flow<K>, table: &Table<'_>, widest: usize) {
    let from = flow.from();
    let rows: Vec<_> = table.rows.iter().filter(|row| row.src.end > from).collect();
    let mut widths = vec![1_usize; table.aligns.len()];
    for row in std::iter::once(&table.head).chain(rows.iter().copied()) {
        for (cell, width_so_far) in row.cells.iter().zip(&mut widths) {
            *width_so_far = (*width_so_far).max(width(cell).min(MAX_PADDED));
        }
    }
    let aligned = widths.iter().map(|width| width + 3).sum::<usize>() < widest;
    if !aligned {
        widths.fill(0);
    }
    let mut headed = true;
    if table.head.src.end > from {
        write_row(flow, &table.head, table, &widths);
    } else if let Some(first) = rows.first().filter(|row| row.src.start >= from && aligned) {
        repeat_head(flow, table, &widths, first.src.start);
    } else {
        // Not repeated, or cut inside a row that is longer than a message.
        headed = false;
    }
    if headed && aligned {
        write_rule(flow, table, &widths);
    }
    for (nth, row) in rows.into_iter().enumerate() {
        let rank = if nth == 0 && headed {
            Rank::Poor
        } else {
            Rank::Line
        };
        // A repeated header is only repeated again by a cut under it.
        let repeated = nth == 0 && headed && table.head.src.end <= from;
        flow.block_gap(1, 0, row.src.start, (!repeated).then_some(rank));
        write_row(flow, row, table, &widths);
    }
}

fn repeat_head<K>(flow: &mut Flow<K>, table: &Table<'_>, widths: &[usize], src: usize) {
    let mut line = String::new();
    for (column, widest) in widths.iter().enumerate() {
        let cell = table
            .head
            .cells
            .get(column)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let (left, right) = padding(table, column, widest.saturating_sub(width(cell)));
        line.push_str(if column == 0 { "| " } else { " | " });
        line.extend(std::iter::repeat_n(' ', left));
        line.extend(pieces(cell).iter().map(|piece| &*piece.text));
        line.extend(std::iter::repeat_n(' ', right));
    }
    line.push_str(" |");
    flow.mark(&line, src..src);
}

/// The line under the header, as part of the header's source.
fn write_rule<K>(flow: &mut Flow<K>, table: &Table<'_>, widths: &[usize]) {
    let mut line = String::from("\n+");
    for widest in widths {
        line.extend(std::iter::repeat_n('-', widest + 2));
        line.push('+');
    }
    let at = flow.from().max(table.head.src.end);
    flow.mark(&line, at..at);
}

/// Padding to the left and to the right of a cell that is `room` narrower than its column.
fn padding(table: &Table<'_>, column: usize, room: usize) -> (usize, usize) {
    match table.aligns.get(column) {
        Some(Align::Right) => (room, 0),
        Some(Align::Center) => (room / 2, room - room / 2),
        Some(Align::Left) | None => (0, room),
    }
}

fn write_row<K>(flow: &mut Flow<K>, row: &Row<'_>, table: &Table<'_>, widths: &[usize]) {
    let mut at = row.src.start;
    let mut glue = String::from("| ");
    for (column, widest) in widths.iter().enumerate() {
        let cell = row.cells.get(column).map(Vec::as_slice).unwrap_or_default();
        let (left, right) = padding(table, column, widest.saturating_sub(width(cell)));
        glue.extend(std::iter::repeat_n(' ', left));
        flow.mark(&glue, at..at);
        glue.clear();
        for piece in pieces(cell) {
            flow.piece(piece);
            at = piece.src.end;
        }
        glue.extend(std::iter::repeat_n(' ', right));
        glue.push_str(if column + 1 == widths.len() {
            " |"
        } else {
            " | "
        });
    }
    flow.mark(&glue, at..at);
}
