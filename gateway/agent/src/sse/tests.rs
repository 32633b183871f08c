use proptest::prelude::*;

use super::{MAX_EVENT, SseEvent, SseParser, TooLarge};

fn event(name: &str, data: &str) -> SseEvent {
    SseEvent {
        name: name.to_owned(),
        data: data.to_owned(),
    }
}

fn parse(chunks: &[&[u8]]) -> Vec<SseEvent> {
    let mut parser = SseParser::new();
    let mut out = Vec::new();
    for chunk in chunks {
        parser.feed(chunk, &mut out).unwrap();
    }
    out.extend(parser.finish());
    out
}

#[test]
fn the_three_line_ends_mean_the_same() {
    let want = vec![event("a", "1"), event("", "2")];
    for eol in ["\n", "\r", "\r\n"] {
        let text = ["event: a", "data: 1", "", "data:2", "", ""].join(eol);
        assert_eq!(parse(&[text.as_bytes()]), want, "{eol:?}");
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(parse(&bytes), want, "{eol:?} byte by byte");
    }
}

#[test]
fn comments_other_fields_and_empty_events_are_nothing() {
    let text = ": hi\n\nretry: 3\nid: 7\n\nevent: x\n\ndata\n\n:\ndata: y\nnew-field: 1\n\n";
    assert_eq!(parse(&[text.as_bytes()]), vec![event("", "y")]);
}

#[test]
fn one_space_and_one_bom_are_dropped() {
    let text = "\u{feff}data:  two\n\n\u{feff}data: not a field\n\ndata:x:y\n\n";
    assert_eq!(
        parse(&[text.as_bytes()]),
        vec![event("", " two"), event("", "x:y")]
    );
}

#[test]
fn data_lines_are_joined_and_names_do_not_leak_into_the_next_event() {
    let text = "event: e\ndata: a\ndata:\ndata: b\n\ndata: c\n\n";
    assert_eq!(
        parse(&[text.as_bytes()]),
        vec![event("e", "a\n\nb"), event("", "c")]
    );
}

#[test]
fn a_character_split_over_chunks_stays_whole() {
    let text = "data: ä€𝄞\n\n";
    for cut in 0..=text.len() {
        let (a, b) = text.as_bytes().split_at(cut);
        assert_eq!(parse(&[a, b]), vec![event("", "ä€𝄞")], "cut at {cut}");
    }
}

#[test]
fn bytes_that_are_no_utf8_do_not_panic() {
    assert_eq!(
        parse(&[b"data: \xff\xfe\n\n"]),
        vec![event("", "\u{fffd}\u{fffd}")]
    );
}

#[test]
fn the_last_event_needs_no_empty_line() {
    assert_eq!(
        parse(&[b"data: a\n\ndata: b"]),
        vec![event("", "a"), event("", "b")]
    );
    assert_eq!(parse(&[b"data: a\n"]), vec![event("", "a")]);
    assert_eq!(parse(&[b"event: a\n"]), vec![]);
    assert_eq!(parse(&[]), vec![]);
}

#[test]
fn lines_and_events_are_bounded() {
    let mut out = Vec::new();
    let long = vec![b'x'; MAX_EVENT / 2 + 1];
    let mut parser = SseParser::new();
    parser.feed(&long, &mut out).unwrap();
    assert_eq!(parser.feed(&long, &mut out), Err(TooLarge));

    let mut parser = SseParser::new();
    let line = [b"data:", long.as_slice(), b"\n"].concat();
    parser.feed(&line, &mut out).unwrap();
    assert_eq!(parser.feed(&line, &mut out), Err(TooLarge));
    assert!(out.is_empty());
}

proptest! {
    /// However the bytes are cut, the same events come out.
    #[test]
    fn chunking_changes_nothing(
        text in "((data|event|id|:)(: ?)?[a-zä€\u{feff}:]{0,4}(\r|\n|\r\n){1,2}){0,12}",
        cuts in prop::collection::vec(0usize..200, 0..8),
    ) {
        let bytes = text.as_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.push(0);
        cuts.push(bytes.len());
        cuts.sort_unstable();
        let chunks: Vec<&[u8]> = cuts.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
        prop_assert_eq!(parse(&chunks), parse(&[bytes]));
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(parse(&[&bytes]).len() <= bytes.len());
    }
}
