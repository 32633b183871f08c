use crate::{Difference, Kind, equal, equal_cutting, plain_text};

fn shown(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| (*part).to_owned()).collect()
}

fn fault(markdown: &str, parts: &[&str]) -> Difference {
    equal(markdown, &shown(parts)).expect_err("a difference")
}

fn accept(markdown: &str, parts: &[&str]) {
    if let Err(difference) = equal(markdown, &shown(parts)) {
        panic!("{difference}");
    }
}

const TEXT: &str =
    "# Plan\n\nOne **two** three, [four](https://x.test/4).\n\n- five\n- six\n\nSeven *eight*.";
const SHOWN: &str = "Plan\n\nOne two three, four.\n\n• five\n• six\n\nSeven eight.";

#[test]
fn the_same_text_is_equal_whole_and_in_parts() {
    accept(TEXT, &[SHOWN]);
    accept(
        TEXT,
        &[
            "Plan\n\nOne two",
            "three, four.\n• five",
            "• six\n\n\nSeven eight.",
        ],
    );
}

#[test]
fn a_lost_word_is_found() {
    let difference = fault(TEXT, &[&SHOWN.replace("two ", "")]);
    assert_eq!(
        (difference.kind, difference.expected.as_str()),
        (Kind::Text, "two")
    );
    assert!(difference.shown.starts_with("three"));
    assert!(difference.before.ends_with("One "));
}

#[test]
fn a_lost_end_is_found() {
    assert_eq!(
        fault(TEXT, &[&SHOWN.replace(" eight.", "")]).kind,
        Kind::Missing
    );
    assert_eq!(fault(TEXT, &[]).kind, Kind::Missing);
}

#[test]
fn a_doubled_paragraph_is_found() {
    fault(
        TEXT,
        &[&SHOWN.replace(
            "One two three, four.",
            "One two three, four.\n\nOne two three, four.",
        )],
    );
    let doubled = format!("{SHOWN}\n\nSeven eight.");
    assert_eq!(fault(TEXT, &[&doubled]).kind, Kind::Surplus);
    assert_eq!(fault(TEXT, &[SHOWN, "Seven eight."]).kind, Kind::Surplus);
}

#[test]
fn a_cut_word_is_found() {
    assert_eq!(
        fault(
            TEXT,
            &["Plan One two thr", "ee, four. • five • six Seven eight."]
        )
        .kind,
        Kind::CutWord
    );
    assert_eq!(
        fault(TEXT, &[&SHOWN.replace("three", "th ree")]).kind,
        Kind::CutWord
    );
    fault(TEXT, &[&SHOWN.replace("One two", "Onetwo")]);
}

#[test]
fn a_long_word_may_be_cut_at_a_part_only() {
    let word = "x".repeat(50);
    let (a, b) = word.split_at(30);
    assert!(equal_cutting(&word, &shown(&[a, b]), 40).is_ok());
    assert!(equal_cutting(&word, &shown(&[a, b]), 60).is_err());
    assert!(equal_cutting(&word, &shown(&[&format!("{a} {b}")]), 40).is_err());
    assert!(equal_cutting(&word, &shown(&[a]), 40).is_err());
}

#[test]
fn another_order_is_found() {
    fault(TEXT, &[&SHOWN.replace("• five\n• six", "• six\n• five")]);
    fault(
        TEXT,
        &["• five\n• six", "Plan One two three, four. Seven eight."],
    );
}

#[test]
fn marks_that_are_left_over_are_found() {
    for (from, to) in [
        ("two", "**two**"),
        ("Plan", "# Plan"),
        ("eight", "*eight*"),
        ("four", "[four]"),
        ("four.", "four](https://x.test/4)."),
        ("four.", "four.**"),
    ] {
        fault(TEXT, &[&SHOWN.replacen(from, to, 1)]);
    }
}

#[test]
fn lost_and_invented_markers_are_found() {
    fault(TEXT, &[&SHOWN.replace("• six", "six")]);
    fault(TEXT, &[&SHOWN.replace("Seven", "• Seven")]);
    fault("3. a\n4. b", &["1. a\n2. b"]);
    fault("- [x] a", &["☐ a"]);
    fault("a\n\n---\n\nb", &["a\nb"]);
}

#[test]
fn code_is_compared_with_its_indentation() {
    let code = "x\n\n```py\nif a:\n    b  = 1\n```\ny";
    accept(code, &["x\n\nif a:\n    b  = 1\ny"]);
    accept(code, &["x\n\nif a:", "    b  = 1\ny"]);
    for wrong in [
        "x\nif a:\nb  = 1\ny",
        "x\nif a:\n    b = 1\ny",
        "x\nif a: b  = 1\ny",
    ] {
        fault(code, &[wrong]);
    }
    fault(code, &["x\n```py\nif a:\n    b  = 1\n```\ny"]);
}

#[test]
fn tables_may_be_laid_out_and_their_header_repeated() {
    let table = "| k | v |\n|---|---|\n| a | 1 |\n| b | 2 |";
    accept(table, &["| k | v |\n+---+---+\n| a | 1 |\n| b | 2 |"]);
    accept(table, &["k | v\n--+--\na | 1\nb | 2"]);
    accept(
        table,
        &[
            "| k | v |\n+---+---+\n| a | 1 |",
            "| k | v |\n+---+---+\n| b | 2 |",
        ],
    );
    fault(
        table,
        &["| k | v |\n+---+---+\n| a | 1 |\n| k | v |\n+---+---+\n| b | 2 |"],
    );
    fault(table, &["| k | v |\n+---+---+\n| a | 1 |\n| b |"]);
    fault(table, &["| k | v |\n| --- | --- |\n| a | 1 |\n| b | 2 | |"]);
}

#[test]
fn a_target_may_follow_its_label() {
    accept("see [a](src/a.rs), b", &["see a (src/a.rs), b"]);
    accept("see [a](src/a.rs), b", &["see a, b"]);
    fault("see [a](src/a.rs), b", &["see a (src/b.rs), b"]);
    accept("![](https://x.test/i.png)", &["https://x.test/i.png"]);
    fault("![](https://x.test/i.png)", &["image"]);
}

#[test]
fn a_reference_may_stay_as_written_in_several_messages_only() {
    let text = "see [a b][1] here\n\n[1]: https://x.test/\n\nend";
    accept(text, &["see a b here\n\nend"]);
    accept(text, &["see [a b][1] here", "end"]);
    fault(text, &["see [a b][1] here\nend"]);
    fault(text, &["see [a][1] here", "end"]);
}

#[test]
fn plain_text_reads_like_the_text() {
    assert_eq!(
        plain_text(TEXT),
        "Plan\nOne two three, four.\n- five\n- six\nSeven eight."
    );
    assert_eq!(
        plain_text("- [x] a\n\n```\n  b\n```\n| k |\n|---|\n| v |"),
        "- [x] a\n  b\n| k |\n| v |"
    );
}

#[test]
fn two_tildes_strike_out_and_one_is_text() {
    accept("H~2~O ~~gone~~", &["H~2~O gone"]);
    fault("H~2~O", &["H2O"]);
    fault("~~gone~~", &["~~gone~~"]);
}
