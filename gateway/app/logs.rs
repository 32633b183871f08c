//! Log lines go to stderr, one event a line, with every secret scrubbed on the way: at the
//! boundary, not at each call.

use std::io::{self, Write};

use talaria_types::secret::scrub;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::exit::{CONFIGURATION, Failure};

struct Scrubbing;

impl MakeWriter<'_> for Scrubbing {
    type Writer = ScrubbingWriter;
    fn make_writer(&self) -> ScrubbingWriter {
        ScrubbingWriter
    }
}

struct ScrubbingWriter;

impl Write for ScrubbingWriter {
    /// The formatter writes a whole line at once, so a secret is never split over two writes.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(scrub(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Starts logging.
pub(crate) fn start(filter: &str, json: bool) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(filter)
        .map_err(|error| Failure::new(CONFIGURATION, format!("--log {filter}: {error}")))?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(Scrubbing);
    let started = if json {
        builder.json().flatten_event(true).try_init()
    } else {
        builder.with_ansi(false).try_init()
    };
    started.map_err(|error| Failure::new(crate::exit::OTHER, error.to_string()))?;
    std::panic::set_hook(Box::new(|panic| {
        tracing::error!(panic = %scrub(&panic.to_string()), "panic");
    }));
    Ok(())
}
