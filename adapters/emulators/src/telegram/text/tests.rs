use serde_json::json;

use super::detect::detect;
use super::{html, markdown_v2};

fn kinds(entities: &[super::entity::Entity]) -> Vec<(&str, i64, i64)> {
    entities
        .iter()
        .map(|e| (e.kind.as_str(), e.offset, e.length))
        .collect()
}

#[test]
fn markdown_v2_is_strict() {
    for (raw, tail) in [
        (
            "a-b",
            "Character '-' is reserved and must be escaped with the preceding '\\'",
        ),
        (
            "a|b",
            "Character '|' is reserved and must be escaped with the preceding '\\'",
        ),
        (
            "wow!",
            "Character '!' is reserved and must be escaped with the preceding '\\'",
        ),
        (
            "a > b",
            "Character '>' is reserved and must be escaped with the preceding '\\'",
        ),
        ("ä *bold", "Can't find end of Bold entity at byte offset 3"),
        ("_it", "Can't find end of Italic entity at byte offset 0"),
        ("__u_", "Can't find end of Italic entity at byte offset 3"),
        (
            "```rust\nx",
            "Can't find end of PreCode entity at byte offset 0",
        ),
        ("`x", "Can't find end of Code entity at byte offset 0"),
        ("[a](http", "Can't find end of a URL at byte offset 4"),
    ] {
        assert_eq!(markdown_v2::parse(raw).unwrap_err(), tail, "{raw}");
    }
}

#[test]
fn markdown_v2_gives_text_and_utf16_entities() {
    let raw = "😀 *b _i_* ~s~ ||x|| `a\\`b`\n```rust\nfn *\n```\n>quote\n>more\nend\\.";
    let (text, entities) = markdown_v2::parse(raw).unwrap();
    assert_eq!(text, "😀 b i s x a`b\nfn *\n\nquote\nmore\nend.");
    assert_eq!(
        kinds(&entities),
        [
            ("italic", 5, 1),
            ("bold", 3, 3),
            ("strikethrough", 7, 1),
            ("spoiler", 9, 1),
            ("code", 11, 3),
            ("pre", 15, 5),
            ("blockquote", 21, 10),
        ]
    );
    assert_eq!(entities[5].language.as_deref(), Some("rust"));
    let (text, entities) = markdown_v2::parse("[a\\]](http://x/\\))").unwrap();
    assert_eq!(text, "a]");
    assert_eq!(entities[0].url.as_deref(), Some("http://x/)"));
    let (_, entities) = markdown_v2::parse(">a\n>b||").unwrap();
    assert_eq!(kinds(&entities), [("expandable_blockquote", 0, 3)]);
}

#[test]
fn html_is_strict() {
    for (raw, tail) in [
        ("a <", "Unclosed start tag at byte offset 2"),
        ("ä<b", "Unclosed start tag \"b\" at byte offset 2"),
        ("<p>x</p>", "Unsupported start tag \"p\" at byte offset 0"),
        (
            "<b>x</i>",
            "Unmatched end tag at byte offset 4, expected \"</b>\", found \"</i>\"",
        ),
        ("x</b>", "Unexpected end tag at byte offset 1"),
        ("<b>x</b", "Unclosed end tag at byte offset 4"),
        (
            "<span>x</span>",
            "Tag \"span\" must have class \"tg-spoiler\" at byte offset 0",
        ),
        (
            "<a =x>",
            "Empty attribute name in the tag \"a\" at byte offset 0",
        ),
    ] {
        assert_eq!(html::parse(raw).unwrap_err(), tail, "{raw}");
    }
}

#[test]
fn html_gives_text_and_utf16_entities() {
    let raw = "😀 <b>b <i>i</i></b> <a href=\"http://x/?a=1&amp;b\">l</a> 1 &lt; 2 &#228;&nbsp;\
               <pre><code class=\"language-rust\">x</code></pre>";
    let (text, entities) = html::parse(raw).unwrap();
    assert_eq!(text, "😀 b i l 1 < 2 ä&nbsp;x");
    assert_eq!(
        kinds(&entities),
        [
            ("italic", 5, 1),
            ("bold", 3, 3),
            ("text_link", 7, 1),
            ("pre", 22, 1)
        ]
    );
    assert_eq!(entities[2].url.as_deref(), Some("http://x/?a=1&b"));
    assert_eq!(json!(entities[3])["language"], "rust");
}

#[test]
fn what_looks_like_a_command_is_one() {
    let found = |text: &str| {
        kinds(&detect(text))
            .iter()
            .map(|e| (e.1, e.2))
            .collect::<Vec<_>>()
    };
    assert_eq!(found("/stop now"), [(0, 5)]);
    assert_eq!(found("😀 (/stop)"), [(4, 5)]);
    assert_eq!(found("a/b and / and //"), []);
    assert_eq!(found("mail@example.org @ab"), []);
}
