//! What a process wrote to its standard error, line by line, and waiting for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::sync::watch;

/// Clones show the same lines.
#[derive(Clone, Debug)]
pub struct Log(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    lines: Mutex<Vec<String>>,
    /// How many lines there are, and whether it ended.
    seen: watch::Sender<(usize, bool)>,
}

impl Log {
    /// Reads a stream to its end.
    pub(crate) fn read(stream: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let log = Self(Arc::new(Inner {
            lines: Mutex::default(),
            seen: watch::Sender::new((0, false)),
        }));
        let reading = log.clone();
        tokio::spawn(async move {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            while matches!(stream.read_until(b'\n', &mut line).await, Ok(read) if read > 0) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                reading.lock().push(text);
                reading.0.seen.send_modify(|(count, _)| *count += 1);
                line.clear();
            }
            reading.0.seen.send_modify(|(_, ended)| *ended = true);
        });
        log
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.lock().clone()
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        self.lock().join("\n")
    }

    /// The lines with this text in them.
    #[must_use]
    pub fn with(&self, text: &str) -> Vec<String> {
        let lines = self.lock();
        lines
            .iter()
            .filter(|line| line.contains(text))
            .cloned()
            .collect()
    }

    #[must_use]
    pub fn has(&self, text: &str) -> bool {
        self.lock().iter().any(|line| line.contains(text))
    }

    /// Waits for a line with this text; `None` if the log ends or the time is over before.
    pub async fn wait_for(&self, limit: Duration, text: &str) -> Option<String> {
        let mut seen = self.0.seen.subscribe();
        let until = tokio::time::Instant::now() + limit;
        let mut from = 0;
        loop {
            let (_, ended) = *seen.borrow_and_update();
            {
                let lines = self.lock();
                if let Some(line) = lines.iter().skip(from).find(|line| line.contains(text)) {
                    return Some(line.clone());
                }
                from = lines.len();
            }
            if ended
                || !matches!(
                    tokio::time::timeout_at(until, seen.changed()).await,
                    Ok(Ok(()))
                )
            {
                return None;
            }
        }
    }

    /// Waits until the stream has ended: nothing comes any more.
    pub async fn ended(&self, limit: Duration) -> bool {
        let mut seen = self.0.seen.subscribe();
        matches!(
            tokio::time::timeout(limit, seen.wait_for(|(_, ended)| *ended)).await,
            Ok(Ok(_))
        )
    }
}
