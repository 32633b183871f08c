//! The command's side of the admin socket.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::Request;
use crate::exit::{Failure, OTHER};

/// The answer of the gateway that listens on `socket`; `None` if none does.
pub(crate) fn ask(
    socket: &Path,
    request: &Request,
) -> Result<Option<Result<Value, String>>, Failure> {
    let mut stream = match UnixStream::connect(socket) {
        Ok(stream) => stream,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::ConnectionRefused
            ) =>
        {
            return Ok(None);
        }
        Err(error) => {
            return Err(Failure::new(
                OTHER,
                format!("{}: {error}", socket.display()),
            ));
        }
    };
    let cant = |error: std::io::Error| {
        Failure::new(
            OTHER,
            format!(
                "the gateway did not answer on {}: {error}",
                socket.display()
            ),
        )
    };
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .map_err(cant)?;
    let mut line = serde_json::to_string(request).map_err(|error| Failure::other(&error))?;
    line.push('\n');
    stream.write_all(line.as_bytes()).map_err(cant)?;
    let mut answer = String::new();
    BufReader::new(stream)
        .read_line(&mut answer)
        .map_err(cant)?;
    let mut answer: Value =
        serde_json::from_str(&answer).map_err(|error| Failure::other(&error))?;
    if let Some(error) = answer.get("error").and_then(Value::as_str) {
        return Ok(Some(Err(error.to_owned())));
    }
    Ok(Some(Ok(answer
        .get_mut("ok")
        .map(Value::take)
        .unwrap_or_default())))
}
