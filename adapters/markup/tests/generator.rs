//! Random Markdown of the kind that models write: every construct, well formed.

use proptest::prelude::*;

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-z]{1,9}",
        2 => "[A-Z][a-z]{2,8}",
        1 => "[a-z]{2,5}_[a-z]{2,5}",
        1 => prop_oneof![Just("🙂"), Just("👨‍👩‍👧"), Just("größe"), Just("日本"), Just("é"), Just("x²")]
            .prop_map(str::to_owned),
        1 => "[0-9]{2,4}",
        1 => Just("&amp;".to_owned()),
        1 => Just("\\*".to_owned()),
        1 => Just("a<b".to_owned()),
    ]
}

fn words(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..=most).prop_map(|words| words.join(" "))
}

fn inline() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => words(6),
        1 => words(4).prop_map(|text| format!("**{text}**")),
        1 => words(4).prop_map(|text| format!("*{text}*")),
        1 => words(3).prop_map(|text| format!("~~{text}~~")),
        1 => (words(2), words(2)).prop_map(|(a, b)| format!("**{a} *{b}***")),
        1 => "[a-z_*]{1,9}( [a-z<&]{1,5})?".prop_map(|text| format!("`{text}`")),
        1 => (words(3), "[a-z]{3,8}")
            .prop_map(|(text, host)| format!("[{text}](https://{host}.example.test/a_b)")),
        1 => (words(2), "[a-z]{3,8}").prop_map(|(text, file)| format!("[{text}](src/{file}.rs)")),
        1 => "[a-z]{3,8}".prop_map(|host| format!("<https://{host}.example.test/>")),
    ]
}

fn sentence() -> impl Strategy<Value = String> {
    prop::collection::vec(inline(), 1..6).prop_map(|parts| format!("w {}.", parts.join(" ")))
}

fn paragraph() -> impl Strategy<Value = String> {
    (prop::collection::vec(sentence(), 1..6), any::<bool>())
        .prop_map(|(sentences, lines)| sentences.join(if lines { "\n" } else { " " }))
}

fn list() -> impl Strategy<Value = String> {
    let item = (sentence(), prop::collection::vec(sentence(), 0..3));
    (prop::collection::vec(item, 1..6), 0..4_usize, any::<bool>()).prop_map(
        |(items, kind, loose)| {
            let mut lines = Vec::new();
            for (nth, (text, inner)) in items.into_iter().enumerate() {
                let (marker, indent) = match kind {
                    0 => ("- ".to_owned(), "  "),
                    1 => (format!("{}. ", nth + 1), "   "),
                    2 => ("- [x] ".to_owned(), "  "),
                    _ => ("* ".to_owned(), "  "),
                };
                if loose && nth > 0 {
                    lines.push(String::new());
                }
                lines.push(format!("{marker}{text}"));
                lines.extend(inner.into_iter().map(|text| format!("{indent}- {text}")));
            }
            lines.join("\n")
        },
    )
}

fn code() -> impl Strategy<Value = String> {
    let line = "( {0,8}[a-z*_`|#=(){}]{1,30}( [a-z]{1,6})?)?";
    (
        prop::collection::vec(line, 0..14),
        prop_oneof![Just(""), Just("py"), Just("c++ x")],
    )
        .prop_map(|(lines, language)| format!("~~~~{language}\n{}\n~~~~", lines.join("\n")))
}

fn table() -> impl Strategy<Value = String> {
    let cell = prop_oneof![3 => words(3), 1 => words(2).prop_map(|text| format!("**{text}**")), 1 => Just(String::new())];
    let row = prop::collection::vec(cell, 3);
    (
        prop::collection::vec(words(2), 3),
        prop::collection::vec(row, 0..9),
    )
        .prop_map(|(head, rows)| {
            let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
            let mut lines = vec![line(&head), "|:--|:-:|--:|".to_owned()];
            lines.extend(rows.iter().map(|row| line(row)));
            lines.join("\n")
        })
}

fn block() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => paragraph(),
        1 => (1..5_usize, sentence()).prop_map(|(level, text)| format!("{} {text}", "#".repeat(level))),
        3 => list(),
        2 => code(),
        1 => table(),
        1 => paragraph().prop_map(|text| format!("> {}", text.replace('\n', "\n> "))),
        1 => list().prop_map(|text| format!("> {}", text.replace('\n', "\n> "))),
        1 => Just("---".to_owned()),
        1 => words(3).prop_map(|text| format!("<div>\n{text}\n</div>")),
    ]
}

/// A well-formed text. Lists are kept apart by a paragraph, so that none goes on in the next.
pub(crate) fn document() -> impl Strategy<Value = String> {
    prop::collection::vec((block(), sentence()), 1..9).prop_map(|blocks| {
        let blocks: Vec<_> = blocks
            .into_iter()
            .map(|(block, text)| format!("{block}\n\n{text}"))
            .collect();
        blocks.join("\n\n")
    })
}

/// Anything: the marks of Markdown, letters and control characters in any order.
pub(crate) fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[*_~`>#|+=!-]{1,4}",
        4 => "[a-z ]{1,9}",
        3 => "\\PC{1,4}",
        2 => prop_oneof![
            Just("\n"), Just("\n\n"), Just("\r\n"), Just("\n    "), Just("\n- "), Just("\n1. "),
            Just("\n> "), Just("```"), Just("](http://x.example.test"), Just("["), Just("]: "),
            Just("|---|"), Just("\n| a | b |\n|---|---|\n"), Just("\u{0}"), Just("\u{202e}"),
            Just("\u{2028}"), Just("<div>"), Just("&amp;"), Just("\\"), Just("👨‍👩‍👧"), Just("e\u{301}"),
        ].prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}
