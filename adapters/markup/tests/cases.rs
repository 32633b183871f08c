//! Cases from the field: each file holds a text and what is right for it.

use serde::Deserialize;
use talaria_markup::TelegramRenderer;
use talaria_oracle::equal;
use talaria_types::{EntityKind, Part, RenderStage};

use crate::support::{LIMIT, grow, render, samples, texts};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    title: String,
    markdown: Vec<Piece>,
    /// The shown text; the number of blank lines is free.
    text: Option<String>,
    /// All entities, in order, but for those over addresses.
    entities: Option<Vec<Shown>>,
    /// The least and the greatest number of parts.
    parts: Option<(usize, usize)>,
    #[serde(default)]
    contains: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    /// Texts of bold entities.
    #[serde(default)]
    bold: Vec<String>,
    /// The number of links over all parts.
    links: Option<usize>,
    /// The number of code blocks.
    pre: Option<usize>,
    /// The lines of code blocks are equally long.
    #[serde(default)]
    aligned: bool,
    /// Every prefix renders, and the last one as the whole.
    #[serde(default)]
    prefixes: bool,
    /// No part begins or ends with white space.
    #[serde(default)]
    tight: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Piece {
    Text(String),
    /// `{i}` is the number of the repetition.
    Repeat {
        repeat: String,
        times: usize,
    },
}

#[derive(Deserialize, Debug, PartialEq, Eq)]
struct Shown {
    #[serde(rename = "type")]
    kind: String,
    text: String,
    url: Option<String>,
    language: Option<String>,
}

fn markdown(pieces: &[Piece]) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Repeat { repeat, times } => (0..*times)
            .map(|i| repeat.replace("{i}", &i.to_string()))
            .collect(),
    };
    pieces.iter().map(piece).collect()
}

fn shown(part: &Part) -> Vec<Shown> {
    let units: Vec<u16> = part.body.text.encode_utf16().collect();
    let one = |entity: &talaria_types::Entity| {
        let value = serde_json::to_value(&entity.kind).unwrap();
        let field = |name: &str| value.get(name).map(|v| v.as_str().unwrap().to_owned());
        let start = entity.offset as usize;
        let covered = &units[start..start + entity.length as usize];
        Shown {
            kind: field("type").unwrap(),
            text: String::from_utf16(covered).unwrap(),
            url: field("url"),
            language: field("language"),
        }
    };
    part.body.entities.iter().map(one).collect()
}

fn without_blank_lines(text: &str) -> String {
    text.lines()
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

fn check(name: &str, case: &Case) {
    let name = format!("{name} ({})", case.title);
    let source = markdown(&case.markdown);
    let renderer = TelegramRenderer::new();
    let parts = render(&renderer, LIMIT, &source, RenderStage::Final, &[]);
    let entities: Vec<Shown> = parts.iter().flat_map(shown).collect();
    let all = texts(&parts).join("\n");
    if let Err(difference) = equal(&source, &texts(&parts)) {
        panic!("{name}: {difference}");
    }
    if let Some(text) = &case.text {
        assert_eq!(
            without_blank_lines(&all),
            without_blank_lines(text),
            "{name}"
        );
    }
    if let Some(wanted) = &case.entities {
        let found: Vec<_> = entities
            .iter()
            .filter(|e| e.url.as_ref() != Some(&e.text))
            .collect();
        assert_eq!(found, wanted.iter().collect::<Vec<_>>(), "{name}");
    }
    if let Some((least, most)) = case.parts {
        assert!(
            (least..=most).contains(&parts.len()),
            "{name}: {} parts",
            parts.len()
        );
    }
    for text in &case.contains {
        assert!(all.contains(text), "{name}: {text:?} is not in {all:?}");
    }
    for text in &case.lacks {
        assert!(!all.contains(text), "{name}: {text:?} is in {all:?}");
    }
    for text in &case.bold {
        assert!(
            entities.iter().any(|e| e.kind == "bold" && e.text == *text),
            "{name}: {text:?}"
        );
    }
    if let Some(links) = case.links {
        assert_eq!(
            entities.iter().filter(|e| e.kind == "text_link").count(),
            links,
            "{name}"
        );
    }
    let pre: Vec<_> = entities.iter().filter(|e| e.kind == "pre").collect();
    if let Some(count) = case.pre {
        assert_eq!(pre.len(), count, "{name}");
    }
    if case.aligned {
        for block in pre {
            let mut lengths = block.text.lines().map(|line| line.chars().count());
            let first = lengths.next();
            assert!(
                lengths.all(|length| Some(length) == first),
                "{name}: {}",
                block.text
            );
        }
    }
    if case.prefixes {
        assert_eq!(
            grow(&renderer, LIMIT, &source, 0..source.len()),
            parts,
            "{name}"
        );
    }
    if case.tight {
        assert!(
            parts
                .iter()
                .all(|part| part.body.text.trim() == part.body.text),
            "{name}"
        );
    }
}

#[test]
fn cases_are_right() {
    assert!(parts_of_kind_are_told_apart());
    for (path, text) in samples("cases", 19) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        check(&name, &serde_json::from_str(&text).unwrap());
    }
}

/// The names by which cases speak of entities are the platform's.
fn parts_of_kind_are_told_apart() -> bool {
    let kind = EntityKind::TextLink { url: String::new() };
    serde_json::to_value(kind).unwrap().get("type") == Some(&serde_json::json!("text_link"))
}
