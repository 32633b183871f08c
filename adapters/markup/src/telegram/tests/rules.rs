//! The platform's rules for a body, checked without the renderer's code.

use talaria_types::{Body, EntityKind, TextUnit};

/// The first rule that `body` breaks.
pub(crate) fn broken(body: &Body, limit: usize) -> Option<String> {
    let units: Vec<u16> = body.text.encode_utf16().collect();
    if body.text.trim().is_empty() {
        return Some("blank".into());
    }
    if TextUnit::Utf16.count(&body.text) > limit {
        return Some(format!("{} units", units.len()));
    }
    if body.entities.len() > 100 {
        return Some(format!("{} entities", body.entities.len()));
    }
    let mut ranges = Vec::new();
    for entity in &body.entities {
        let range = entity.offset as usize..entity.offset as usize + entity.length as usize;
        let Some(covered) = units.get(range.clone()) else {
            return Some(format!("{entity:?} outside"));
        };
        let Ok(text) = String::from_utf16(covered) else {
            return Some(format!("{entity:?} cuts a pair"));
        };
        let indented = matches!(entity.kind, EntityKind::Pre { .. } | EntityKind::Blockquote);
        if text.is_empty() || text.trim_end() != text || (!indented && text.trim_start() != text) {
            return Some(format!("{entity:?} covers {text:?}"));
        }
        ranges.push((range, &entity.kind));
    }
    for (nth, (a, kind)) in ranges.iter().enumerate() {
        for (b, other) in ranges.iter().skip(nth + 1) {
            let apart = a.end <= b.start || b.end <= a.start;
            let nested = a.start <= b.start && b.end <= a.end;
            if !apart && !nested {
                return Some(format!(
                    "{kind:?} {a:?} and {other:?} {b:?} overlap or are unsorted"
                ));
            }
            let alone =
                |kind: &EntityKind| matches!(kind, EntityKind::Pre { .. } | EntityKind::Code);
            if !apart && (alone(kind) || alone(other) && !matches!(kind, EntityKind::Blockquote)) {
                return Some(format!("{kind:?} {a:?} holds {other:?} {b:?}"));
            }
            let quote = |kind: &EntityKind| matches!(kind, EntityKind::Blockquote);
            if !apart && quote(kind) && quote(other) {
                return Some("nested quotes".into());
            }
        }
    }
    None
}
