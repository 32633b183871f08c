use super::Cleaned;

#[test]
fn a_clean_text_is_not_copied() {
    let cleaned = Cleaned::new("a\tb\nü");
    assert!(matches!(cleaned.text, std::borrow::Cow::Borrowed(_)));
    assert_eq!(cleaned.to_original(3), 3);
}

#[test]
fn line_ends_are_one_newline() {
    assert_eq!(
        Cleaned::new("a\r\nb\rc\nd\r\n\r\ne").text,
        "a\nb\nc\nd\n\ne"
    );
    assert_eq!(Cleaned::new("a\u{2028}b\u{2029}c").text, "a\nb\nc");
}

#[test]
fn controls_are_dropped_and_tab_stays() {
    assert_eq!(
        Cleaned::new("a\u{0}b\u{7}c\td\u{1b}[1m\u{202e}e\u{7f}").text,
        "abc\td[1me"
    );
}

#[test]
fn offsets_map_both_ways() {
    let source = "ab\r\ncd\u{1}\u{2}ef\u{2028}gh";
    let cleaned = Cleaned::new(source);
    for clean in 0..=cleaned.text.len() {
        let original = cleaned.to_original(clean);
        assert!(source.is_char_boundary(original), "{clean}");
        assert_eq!(cleaned.to_clean(original), clean);
    }
    assert_eq!(cleaned.to_original(cleaned.text.len()), source.len());
}

#[test]
fn a_prefix_cleans_to_a_prefix() {
    let source = "x\r\ny\r\u{0}\nz\u{2029}ü\u{202b}w";
    let whole = Cleaned::new(source);
    for (at, _) in source.char_indices() {
        assert!(
            whole
                .text
                .starts_with(&*Cleaned::new(source.get(..at).unwrap()).text),
            "{at}"
        );
    }
}
