//! Each `samples/<name>.sse` is the body of a response, `<name>.json` what it becomes.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};
use talaria_types::model::StreamEvent;

use super::replay_anthropic;
use crate::anthropic::decode::StreamDecoder;

fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/replay/samples");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "sse"));
    paths.sort();
    assert!(paths.len() >= 21, "samples are missing");
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths
        .into_iter()
        .map(|path| (name(&path), fs::read(&path).unwrap()))
        .collect()
}

fn expected(name: &str) -> Value {
    let path = format!(
        "{}/src/replay/samples/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_slice(&fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))).unwrap()
}

fn events<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<StreamEvent> {
    let mut decoder = StreamDecoder::new();
    let mut out = Vec::new();
    for chunk in chunks {
        decoder.feed(chunk, &mut out);
    }
    decoder.end(None, &mut out);
    out
}

fn is_last(event: &StreamEvent) -> bool {
    matches!(event, StreamEvent::End { .. } | StreamEvent::Failed(_))
}

#[test]
fn samples_become_what_is_written_beside_them() {
    for (name, bytes) in samples() {
        let replay = serde_json::to_value(replay_anthropic(&bytes)).unwrap();
        assert_eq!(replay, expected(&name), "{name}: {replay:#}");
    }
}

#[test]
fn where_the_bytes_are_cut_changes_nothing() {
    for (name, bytes) in samples() {
        let whole = events([bytes.as_slice()]);
        assert_eq!(events(bytes.chunks(1)), whole, "{name}: byte by byte");
        for cut in 0..=bytes.len() {
            let (a, b) = bytes.split_at(cut);
            assert_eq!(events([a, b]), whole, "{name}: cut at {cut}");
        }
    }
}

/// However early a stream breaks off: one last event, at the end, and what was given as closed is
/// what the whole stream gives.
#[test]
fn a_stream_that_breaks_off_anywhere_is_a_beginning() {
    for (name, bytes) in samples() {
        let whole = events([bytes.as_slice()]);
        for cut in 0..bytes.len() {
            let part = events([&bytes[..cut]]);
            let (last, before) = part.split_last().unwrap();
            assert!(
                is_last(last) && !before.iter().any(is_last),
                "{name}: broken at {cut}"
            );
            for event in before {
                // A call that the full stream shows to be cut off can't be known as such before.
                let known = whole.contains(event) || name.contains("cut_off");
                let beginning = matches!(event, StreamEvent::TextDelta { .. });
                assert!(known || beginning, "{name}: broken at {cut}: {event:?}");
            }
        }
    }
}

#[test]
fn nothing_at_all_is_incomplete() {
    let replay = serde_json::to_value(replay_anthropic(b"")).unwrap();
    assert_eq!(replay["outcome"], "incomplete");
    assert_eq!(replay["blocks"], json!([]));
    assert_eq!(replay["usage"], Value::Null);
}

proptest! {
    /// Damaged streams: no panic, one last event, no event after it.
    #[test]
    fn damage_never_panics(
        which in 0usize..21,
        at in any::<prop::sample::Index>(),
        with in prop::collection::vec(any::<u8>(), 0..4),
        gone in 0usize..40,
    ) {
        let (_, mut bytes) = samples().swap_remove(which);
        let at = at.index(bytes.len());
        let end = (at + gone).min(bytes.len());
        bytes.splice(at..end, with);
        let out = events([bytes.as_slice()]);
        prop_assert_eq!(out.iter().filter(|event| is_last(event)).count(), 1);
        prop_assert!(out.last().is_some_and(is_last));
        prop_assert!(replay_anthropic(&bytes).blocks.len() <= 1024);
    }
}
