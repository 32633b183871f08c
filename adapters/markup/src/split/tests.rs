use super::{fence_is_closed, goes_on_outside};

#[test]
fn a_fence_is_closed_by_one_as_long() {
    assert!(fence_is_closed("```py\nx\n```\n"));
    assert!(fence_is_closed("~~~\nx\n~~~~"));
    assert!(!fence_is_closed("````\nx\n```\n"));
    assert!(!fence_is_closed("```\n~~~"));
    assert!(!fence_is_closed("```\nx\n"));
    assert!(!fence_is_closed("```"));
}

#[test]
fn only_plain_text_ends_a_list_for_sure() {
    assert!(goes_on_outside("Then"));
    assert!(goes_on_outside("## Head"));
    assert!(!goes_on_outside("2. two"));
    assert!(!goes_on_outside("- x"));
    assert!(!goes_on_outside("  more"));
    assert!(!goes_on_outside(""));
}
