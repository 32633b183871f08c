use std::sync::Arc;

use super::{Log, MAX_LINES, clean, read_lines};

#[test]
fn colours_and_control_characters_are_taken_out() {
    assert_eq!(
        clean(b"\x1b[2m12:00\x1b[0m \x1b[32m INFO\x1b[0m ready\r"),
        "12:00  INFO ready"
    );
    assert_eq!(clean(b"a\tb\x07c\x1b"), "a\tbc");
}

#[tokio::test]
async fn lines_are_split_capped_and_numbered() {
    let log = Arc::new(Log::default());
    let long = "x".repeat(4_500);
    let input = format!("one\n\n{long}\nlast");
    read_lines(input.as_bytes(), Arc::clone(&log)).await;
    let lines = log.lines();
    let lengths: Vec<usize> = lines.iter().map(|line| line.text.len()).collect();
    assert_eq!(lengths, vec![3, 0, 2_000, 2_000, 500, 4]);
    assert_eq!(
        lines.iter().map(|line| line.seq).collect::<Vec<_>>(),
        vec![1, 2, 3, 4, 5, 6]
    );
    assert_eq!(log.last_line(), "last");
}

#[test]
fn the_oldest_lines_leave_first() {
    let log = Log::default();
    for n in 0..MAX_LINES + 3 {
        log.push(format!("{n}"));
    }
    let lines = log.lines();
    assert_eq!(lines.len(), MAX_LINES);
    assert_eq!(lines[0].text, "3");
    assert_eq!(lines[0].seq, 4);
}
