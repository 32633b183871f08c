//! The child's log: the last lines, numbered.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;

use crate::view::LogLine;

/// Lines that are kept.
const MAX_LINES: usize = 400;
/// A longer line is cut into pieces of this many bytes.
const MAX_LINE_BYTES: usize = 2_000;

/// The last lines, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Log {
    lines: Mutex<VecDeque<LogLine>>,
    grown: watch::Sender<u64>,
}

impl Log {
    pub(crate) fn push(&self, text: String) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let seq = lines.back().map_or(1, |last| last.seq + 1);
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(LogLine { seq, text });
        drop(lines);
        self.grown.send_replace(seq);
    }

    pub(crate) fn lines(&self) -> Vec<LogLine> {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect()
    }

    /// The text of the newest line; empty where there is none.
    pub(crate) fn last_line(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines
            .back()
            .map(|line| line.text.clone())
            .unwrap_or_default()
    }

    /// Wakes at each new line.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.grown.subscribe()
    }
}

/// Reads lines into `log` until the pipe ends.
pub(super) async fn read_lines(mut pipe: impl AsyncRead + Unpin, log: std::sync::Arc<Log>) {
    let mut line = Vec::new();
    let mut chunk = [0u8; 4096];
    // An error of a pipe is its end: the process is gone.
    while let Ok(count) = pipe.read(&mut chunk).await {
        if count == 0 {
            break;
        }
        for &byte in chunk.iter().take(count) {
            if byte == b'\n' || line.len() >= MAX_LINE_BYTES {
                log.push(clean(&line));
                line.clear();
            }
            if byte != b'\n' {
                line.push(byte);
            }
        }
    }
    if !line.is_empty() {
        log.push(clean(&line));
    }
}

/// The line as text, without terminal colours and other control characters.
fn clean(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // ESC [ parameters letter: skipped up to the letter.
            if chars.next() == Some('[') {
                chars.by_ref().find(char::is_ascii_alphabetic);
            }
        } else if c == '\t' || !c.is_control() {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests;
