use super::hold;

#[test]
fn marks_at_the_end_are_held_back() {
    for (text, held) in [
        ("a **", "a "),
        ("a **b**", "a **b"),
        ("a\n- ", "a\n"),
        ("a\n12. ", "a\n"),
        ("a\n\n|--|", "a\n\n"),
        ("a \\", "a "),
        ("a", "a"),
        ("", ""),
    ] {
        assert_eq!(hold(text), held, "{text:?}");
    }
}

#[test]
fn an_unfinished_target_is_closed_but_not_in_code() {
    assert_eq!(hold("see [a](http://x"), "see [a]()");
    assert_eq!(hold("see [a]("), "see [a]()");
    assert_eq!(hold("see [a](b) c"), "see [a](b) c");
    assert_eq!(hold("see `x[a](b"), "see `x[a](b");
    assert_eq!(hold("see a](b"), "see a](b");
}
