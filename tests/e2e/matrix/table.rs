//! The table, and what it must not show.

use super::judge::Row;
use super::kinds::Kind;

/// The rows as a Markdown table.
pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| kind | point | lost | copies unlabelled | copies labelled | asked again after its \
         journal commit | pure tools run again |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        text.push_str(&format!(
            "| {} | `{}#{}`{} | {} | {} | {} | {} | {} |\n",
            row.kind.name(),
            row.point,
            row.occurrence,
            if row.create {
                " (create in flight)"
            } else {
                ""
            },
            row.lost,
            row.unlabelled,
            row.labelled,
            row.asked_again,
            row.tools_again,
        ));
    }
    text
}

/// The sums of each kind, then every row.
pub(crate) fn report(rows: &[Row]) -> String {
    let mut text = String::from(
        "| kind | kills | with a create in flight | lost | copies unlabelled | copies labelled | \
         asked again after its journal commit | pure tools run again |\n|---|---|---|---|---|---|---|---|\n",
    );
    for kind in Kind::ALL {
        let of_kind: Vec<&Row> = rows.iter().filter(|row| row.kind == kind).collect();
        let sum = |figure: fn(&Row) -> usize| of_kind.iter().map(|row| figure(row)).sum::<usize>();
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
            kind.name(),
            of_kind.len(),
            sum(|row| usize::from(row.create)),
            sum(|row| row.lost),
            sum(|row| row.unlabelled),
            sum(|row| row.labelled),
            sum(|row| row.asked_again),
            sum(|row| row.tools_again),
        ));
    }
    format!(
        "A kill at a crash point of one answer, a restart, and what the chat, the model server and \
         the tools saw. A label stands where a create was between its durable intent and its \
         durable receipt (this platform can't say whether it took effect); \"create unanswered\" has \
         one without a kill, and a second such create of a post is given up and the operator told.\n\n\
         {text}\n{}",
        markdown(rows)
    )
}

/// # Panics
/// If a row shows what it must not.
pub(crate) fn assert_good(kind: Kind, rows: &[Row]) {
    assert!(!rows.is_empty(), "no rows");
    let bad: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let problem = row.problem.as_ref()?;
            Some(format!("{}#{}: {problem}", row.point, row.occurrence))
        })
        .collect();
    assert!(
        bad.is_empty(),
        "{} of {} rows of {kind:?}:\n{}",
        bad.len(),
        rows.len(),
        bad.join("\n")
    );
}
