//! What the tests of this binary share.

use std::path::{Path, PathBuf};

use talaria_markup::TelegramRenderer;
use talaria_types::{Part, RenderStage, Renderer};

use crate::rules;

pub(crate) const LIMIT: usize = 4096;

/// The files of a folder under `samples`, in order; at least `least`.
pub(crate) fn samples(folder: &str, least: usize) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("samples")
        .join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() >= least, "only {} samples", files.len());
    files
        .into_iter()
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

pub(crate) fn texts(parts: &[Part]) -> Vec<String> {
    parts.iter().map(|part| part.body.text.clone()).collect()
}

/// Renders and checks what holds for every text: the platform's rules, and ends that partition the
/// source.
pub(crate) fn render(
    renderer: &TelegramRenderer,
    limit: usize,
    markdown: &str,
    stage: RenderStage,
    frozen: &[usize],
) -> Vec<Part> {
    let parts = renderer.render(markdown, stage, frozen);
    let mut start = 0;
    for part in &parts {
        let labelled = renderer.labelled(&part.body);
        for body in [&part.body, &labelled] {
            let room = if limit < LIMIT && body == &labelled {
                LIMIT
            } else {
                limit
            };
            if let Some(rule) = rules::broken(body, room) {
                panic!("{rule}\nbody {body:?}\nsource {markdown:?}");
            }
        }
        assert!(part.source_end > start, "ends do not grow: {markdown:?}");
        assert!(markdown.is_char_boundary(part.source_end));
        start = part.source_end;
    }
    if let Some(last) = parts.last() {
        assert_eq!(last.source_end, markdown.len());
    }
    parts
}

/// Lets a text grow through `ends` as a reader sees it, with split points kept as a caller keeps
/// them; checks that what was frozen never changes. Returns the final parts.
pub(crate) fn grow(
    renderer: &TelegramRenderer,
    limit: usize,
    markdown: &str,
    ends: impl IntoIterator<Item = usize>,
) -> Vec<Part> {
    let mut kept: Vec<Part> = Vec::new();
    let stages = ends
        .into_iter()
        .filter(|end| markdown.is_char_boundary(*end));
    let stages = stages.map(|end| (end, RenderStage::Live));
    let mut parts = Vec::new();
    for (end, stage) in stages.chain([(markdown.len(), RenderStage::Final)]) {
        let frozen: Vec<usize> = kept.iter().map(|part| part.source_end).collect();
        let prefix = markdown.get(..end).unwrap();
        parts = render(renderer, limit, prefix, stage, &frozen);
        // A rest that shows nothing belongs to the last part.
        for (old, new) in kept.iter().zip(&parts) {
            assert_eq!(old.body, new.body, "a frozen part changed: {prefix:?}");
        }
        assert!(
            parts.len() >= kept.len(),
            "a frozen part is gone: {prefix:?}"
        );
        let full = parts.len().saturating_sub(1);
        if full > kept.len() {
            kept = parts.get(..full).unwrap().to_vec();
        }
    }
    parts
}
