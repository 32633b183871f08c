use super::{Secret, scrub};

#[test]
fn a_token_inside_a_url_is_scrubbed_and_the_host_stays() {
    let line = "error sending request for url (https://api.example.org/bot123456789:AAExampleExampleExampleExampleExample0/getUpdates)";
    let out = scrub(line);
    assert!(!out.contains("AAExample"), "{out}");
    assert!(out.contains("api.example.org"), "{out}");
    assert!(out.contains("getUpdates"), "{out}");
}

#[test]
fn an_escaped_colon_does_not_hide_a_token() {
    let out = scrub("/bot123456789%3AAAExampleExampleExampleExample/x");
    assert!(!out.contains("AAExample"), "{out}");
}

#[test]
fn registered_values_and_provider_keys_are_scrubbed() {
    Secret::new("a-registered-value").register();
    let out = scrub("x a-registered-value y sk-ant-api03-abcdefghijklmnop z");
    assert_eq!(out, "x [redacted] y [redacted] z");
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "task-list",
        "12:34:56.789012Z hello",
        "risk-averse-and-long-words-here",
        "é😀",
    ] {
        assert_eq!(scrub(text), text);
    }
}

#[test]
fn debug_and_display_never_print_the_value() {
    let secret = Secret::new("value-of-secret");
    assert_eq!(format!("{secret} {secret:?}"), "[redacted] [redacted]");
}
