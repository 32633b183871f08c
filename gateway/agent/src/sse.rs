//! Server-sent events, cut out of bytes in any chunking. Pure.
//!
//! WHATWG HTML, "Server-sent events", parsing and interpreting an event stream: lines end in CR, LF
//! or CRLF; one leading BOM is dropped; a line that starts with a colon is a comment; one space
//! after the colon of a field is dropped; `data` lines are joined by LF; an empty line ends the
//! event; an event without data is no event. `id` and `retry` are ignored: a model stream can't be
//! resumed.

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The longest event (its data, and any one line), in bytes.
pub const MAX_EVENT: usize = 4 * 1024 * 1024;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event` field; empty if there was none.
    pub name: String,
    /// The data lines, joined by LF. Bytes that are not UTF-8 are replaced.
    pub data: String,
}

/// An event or line grew beyond [`MAX_EVENT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than {MAX_EVENT} bytes")]
pub struct TooLarge;

/// The parser. Holds at most one unfinished line and one unfinished event.
#[derive(Debug, Default)]
pub struct SseParser {
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    past_first_line: bool,
    /// The last byte was a CR that ended a line: an LF that follows belongs to it.
    after_cr: bool,
}

impl SseParser {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes; appends the events that they completed to `out`.
    ///
    /// # Errors
    /// [`TooLarge`]. The events before it are in `out`; the parser must not be fed again.
    pub fn feed(&mut self, mut bytes: &[u8], out: &mut Vec<SseEvent>) -> Result<(), TooLarge> {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|&b| b == b'\n' || b == b'\r') {
            let (head, rest) = bytes.split_at(end);
            self.grow(head)?;
            self.end_line(out)?;
            bytes = match rest {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        self.grow(bytes)
    }

    /// The bytes are over. The standard drops an event that no empty line ended; this gives it, for
    /// a capture or a proxy that lost the last line end. A cut in its middle shows: its JSON is not
    /// whole.
    #[must_use]
    pub fn finish(mut self) -> Option<SseEvent> {
        let mut out = Vec::new();
        self.end_line(&mut out).ok()?;
        if out.is_empty() && self.has_data {
            self.end_event(&mut out);
        }
        out.pop()
    }

    fn grow(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        if self.line.len() + bytes.len() > MAX_EVENT {
            return Err(TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, out: &mut Vec<SseEvent>) -> Result<(), TooLarge> {
        let mut line = std::mem::take(&mut self.line);
        let text = if self.past_first_line {
            line.as_slice()
        } else {
            line.strip_prefix(BOM).unwrap_or(&line)
        };
        self.past_first_line = true;
        if text.is_empty() {
            self.end_event(out);
        } else {
            self.field(text)?;
        }
        line.clear();
        self.line = line;
        Ok(())
    }

    fn field(&mut self, line: &[u8]) -> Result<(), TooLarge> {
        let colon = line.iter().position(|&b| b == b':').unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.data.len() + value.len() + 1 > MAX_EVENT {
                    return Err(TooLarge);
                }
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // A comment (empty field name), `id`, `retry` or something newer.
            _ => {}
        }
        Ok(())
    }

    fn end_event(&mut self, out: &mut Vec<SseEvent>) {
        if self.has_data && !self.data.is_empty() {
            out.push(SseEvent {
                name: String::from_utf8_lossy(&self.name).into_owned(),
                data: String::from_utf8_lossy(&self.data).into_owned(),
            });
        }
        self.name.clear();
        self.data.clear();
        self.has_data = false;
    }
}

#[cfg(test)]
mod tests;
