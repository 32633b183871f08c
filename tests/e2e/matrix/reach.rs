//! Which crash points the matrix reaches, and which it can't yet.

use std::collections::BTreeMap;

use talaria_types::crash;

/// Points without a row, by their choke and variant, each with the reason.
const WITHOUT_ROW: &[(&str, &str)] = &[
    (
        "commit:pairing",
        "no answer passes it; pairing.rs kills there",
    ),
    (
        "call:complete",
        "no platform of this build uploads in two steps",
    ),
    (
        "call:append",
        "no platform of this build has messages that grow",
    ),
    (
        "call:close",
        "no platform of this build has messages that are closed",
    ),
    (
        "call:prove",
        "no platform of this build can look for a create",
    ),
    ("call:react", "no receipts by reaction yet"),
    (
        "call:answer",
        "only a pressed button is answered, and no post has buttons yet",
    ),
    ("call:upload", "no files yet"),
    (
        "call:read",
        "no platform of this build is read for what was missed",
    ),
];

/// # Panics
/// If a point has no row and is not listed, or is listed and has a row.
pub(crate) fn check(reached: &BTreeMap<String, Vec<&str>>) {
    let mut wrong = Vec::new();
    for point in crash::all() {
        let name = point.to_string();
        let listed = WITHOUT_ROW.iter().any(|(prefix, _)| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with(':'))
        });
        match (reached.get(&name), listed) {
            (None, false) => wrong.push(format!("{name} is reached by no kind")),
            (Some(kinds), true) => {
                wrong.push(format!("{name} is listed, and reached by {kinds:?}"))
            }
            (Some(_), false) | (None, true) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
