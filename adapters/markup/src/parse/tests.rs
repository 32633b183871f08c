use std::collections::BTreeMap;

use super::parse;
use crate::ir::{BlockKind, Inline, blank_before};

#[test]
fn offsets_are_those_of_the_source() {
    let (blocks, _) = parse("a\n\n**b** c", 10, &BTreeMap::new());
    assert_eq!(blocks[1].src, 13..20);
    assert!(blocks[1].blank_before);
    let BlockKind::Paragraph(inlines) = &blocks[1].kind else {
        panic!("{blocks:?}")
    };
    let Inline::Text(piece) = &inlines[1] else {
        panic!("{inlines:?}")
    };
    assert_eq!((piece.src.clone(), piece.exact), (18..20, true));
}

#[test]
fn definitions_reach_the_texts_after_them() {
    let (_, found) = parse("[One  two]: http://x.test\n\n", 0, &BTreeMap::new());
    let (blocks, _) = parse("see [a][one TWO]", 0, &found);
    let BlockKind::Paragraph(inlines) = &blocks[0].kind else {
        panic!("{blocks:?}")
    };
    assert!(matches!(&inlines[1], Inline::Link(link) if link.url == "http://x.test"));
}

#[test]
fn hostile_nesting_is_bounded() {
    let deep = "> - ".repeat(3000) + "x" + &"*a **b ".repeat(3000);
    let (blocks, _) = parse(&deep, 0, &BTreeMap::new());
    assert!(format!("{:?}", blocks.len()).len() < 5);
    let brackets = "[".repeat(5000) + &"](x)".repeat(5000);
    parse(&brackets, 0, &BTreeMap::new());
}

#[test]
fn blank_lines_are_seen_through_quote_marks() {
    assert!(blank_before("> a\n>\n> - b", 8));
    assert!(!blank_before("> a\n> - b", 6));
    assert!(blank_before("a\n \nb", 4));
    assert!(!blank_before("a", 0));
    assert!(!blank_before("- a", 2));
}
