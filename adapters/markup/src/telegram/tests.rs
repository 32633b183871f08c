use talaria_types::{Body, EntityKind, Part, RenderStage, Renderer, TextUnit};

use super::{LABEL_ROOM, SHORT_LABEL, TEXT_LIMIT, TelegramRenderer};

pub(crate) mod rules;

fn parts(markdown: &str) -> Vec<Part> {
    TelegramRenderer::new().render(markdown, RenderStage::Final, &[])
}

fn one(markdown: &str) -> Body {
    let mut parts = parts(markdown);
    assert_eq!(parts.len(), 1, "{markdown:?}");
    let body = parts.remove(0).body;
    assert_eq!(rules::broken(&body, TEXT_LIMIT), None, "{markdown:?}");
    body
}

fn live(markdown: &str) -> Body {
    let mut parts = TelegramRenderer::new().render(markdown, RenderStage::Live, &[]);
    assert!(parts.len() < 2);
    parts.pop().map(|part| part.body).unwrap_or_default()
}

/// The text, with each entity as `name(covered text)` behind it.
fn shown(body: &Body) -> (String, Vec<String>) {
    let units: Vec<u16> = body.text.encode_utf16().collect();
    let entities = body.entities.iter().map(|entity| {
        let range = entity.offset as usize..(entity.offset + entity.length) as usize;
        let text = String::from_utf16(&units[range]).unwrap();
        let name = match &entity.kind {
            EntityKind::Pre {
                language: Some(language),
            } => format!("pre {language}"),
            EntityKind::TextLink { url } => format!("link {url}"),
            kind => format!("{kind:?}")
                .split(' ')
                .next()
                .unwrap()
                .to_lowercase(),
        };
        format!("{name}({text})")
    });
    (body.text.clone(), entities.collect())
}

fn check(markdown: &str, text: &str, entities: &[&str]) {
    let (shown_text, shown_entities) = shown(&one(markdown));
    assert_eq!(shown_text, text);
    assert_eq!(shown_entities, entities, "{markdown:?}");
}

#[test]
fn inline_formats_nest() {
    check(
        "a **bold *it* `c`** ~~x~~ ***both***",
        "a bold it c x both",
        &[
            "bold(bold it)",
            "italic(it)",
            "code(c)",
            "strikethrough(x)",
            "bold(both)",
            "italic(both)",
        ],
    );
}

#[test]
fn a_heading_is_a_bold_line_and_holds_no_second_bold() {
    check(
        "# A **b** *c*\ntext #tag",
        "A b c\ntext #tag",
        &["bold(A b c)", "italic(c)"],
    );
}

#[test]
fn code_keeps_its_language_and_indentation() {
    check(
        "```rust x\n    let a;\n\n  b\n```",
        "    let a;\n\n  b",
        &["pre rust(    let a;\n\n  b)"],
    );
    check("x\n\n    y\n     z", "x\n\ny\n z", &["pre(y\n z)"]);
}

#[test]
fn lists_nest_with_markers() {
    check(
        "- a\n  - b\n    1. c\n    2. d\n- e",
        "• a\n    ◦ b\n        1. c\n        2. d\n• e",
        &[],
    );
    check("3. a\n\n   more\n4. b", "3. a\n\n    more\n4. b", &[]);
    check(
        "- [x] done\n- [ ] open\n\n- [ ] loose",
        "☑ done\n☐ open\n\n☐ loose",
        &[],
    );
}

#[test]
fn a_numbered_list_goes_on_after_bullets_without_indentation() {
    check(
        "1. a\n- b\n1. c\n- d\n1. e",
        "1. a\n• b\n2. c\n• d\n3. e",
        &[],
    );
    check("1. a\n\ntext\n\n1. b", "1. a\n\ntext\n\n1. b", &[]);
}

#[test]
fn a_quote_is_flat() {
    check(
        "> a\n> > b\n>\n> - c\n\nd",
        "a\nb\n\n• c\n\nd",
        &["blockquote(a\nb\n\n• c)"],
    );
}

#[test]
fn a_quote_holds_the_indentation_of_its_code() {
    check(
        ">      a\n>     b",
        " a\nb",
        &["blockquote( a\nb)", "pre( a\nb)"],
    );
}

#[test]
fn a_table_is_aligned_by_display_width() {
    check(
        "| Name | n |\n|:-:|--:|\n| 日本 | 1 |\n| **b** | 20 |",
        "| Name |  n |\n+------+----+\n| 日本 |  1 |\n|  b   | 20 |",
        &["pre(| Name |  n |\n+------+----+\n| 日本 |  1 |\n|  b   | 20 |)"],
    );
}

#[test]
fn links_are_active_only_where_the_platform_takes_them() {
    check("[a](https://x.test/y)", "a", &["link https://x.test/y(a)"]);
    check(
        "![alt](https://x.test/i.png)",
        "alt",
        &["link https://x.test/i.png(alt)"],
    );
    check("[a](javascript:alert)", "a (javascript:alert)", &[]);
    check("[u](tg://user?id=5)", "u (tg://user?id=5)", &[]);
    check(
        "[f](src/main.rs) [l](http://localhost:80/)",
        "f (src/main.rs) l (http://localhost:80/)",
        &[],
    );
    check(
        "[mail](mailto:a@x.test) <a@x.test>",
        "mail (a@x.test) a@x.test",
        &[],
    );
    check("<https://x.test/a_b>", "https://x.test/a_b", &[]);
    check(
        "[`a` b](https://x.test/)",
        "a b",
        &["link https://x.test/(a b)"],
    );
}

#[test]
fn html_and_rules_are_text() {
    check(
        "a <b>x</b>\n\n<div>\ny\n</div>\n\n---\nz",
        "a <b>x</b>\n\n<div>\ny\n</div>\n\n────────────\nz",
        &[],
    );
}

#[test]
fn entities_count_in_utf16() {
    let body = one("🙂ab**cde** 👨‍👩‍👧‍👦 `z`");
    let places: Vec<_> = body.entities.iter().map(|e| (e.offset, e.length)).collect();
    assert_eq!(places, [(4, 3), (20, 1)]);
}

#[test]
fn open_markup_at_a_live_end_is_shown_closed() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("a **bold it", "a bold it", &["bold(bold it)"]),
        ("a **bold `co", "a bold co", &["bold(bold)", "code(co)"]),
        ("***x y", "x y", &["bold(x y)", "italic(x y)"]),
        ("see [text](http://x.te", "see text", &[]),
        ("foo\n-", "foo", &[]),
        ("foo\n```ru", "foo", &[]),
        ("```ru\nlet a", "let a", &["pre ru(let a)"]),
        ("```\nlet a\n``", "let a", &["pre(let a)"]),
        ("a **", "a", &[]),
        ("a **b*", "a b", &["bold(b)"]),
        ("2 * 3 and 4_5", "2 * 3 and 4_5", &[]),
        ("a \\*b", "a *b", &[]),
        ("`x[i](y", "x[i](y", &["code(x[i](y)"]),
        ("1", "", &[]),
    ];
    for (markdown, text, entities) in cases {
        let (shown_text, shown_entities) = shown(&live(markdown));
        assert_eq!(shown_text, *text, "{markdown:?}");
        assert_eq!(shown_entities, *entities, "{markdown:?}");
    }
}

#[test]
fn blank_texts_have_no_part() {
    for blank in ["", "  \n\n", "[a]: http://x.test", "\u{0}"] {
        assert!(parts(blank).is_empty(), "{blank:?}");
    }
}

#[test]
fn a_label_never_overflows() {
    let renderer = TelegramRenderer::new();
    assert_eq!(TextUnit::Utf16.count(SHORT_LABEL), LABEL_ROOM);
    for length in [1, 4000, 4080, TEXT_LIMIT - LABEL_ROOM] {
        let body = one(&format!("**{}**", "x".repeat(length)));
        let labelled = renderer.labelled(&body);
        assert!(TextUnit::Utf16.count(&labelled.text) <= TEXT_LIMIT);
        assert_ne!(labelled.text, body.text);
        assert!(labelled.text.ends_with(&body.text));
        assert_eq!(shown(&labelled).1, shown(&body).1);
    }
}

#[test]
fn plainer_drops_the_format_only() {
    let body = one("**a** [b](https://x.test)");
    assert!(!body.entities.is_empty());
    assert_eq!(TelegramRenderer::new().plainer(&body), Body::plain("a b"));
}
