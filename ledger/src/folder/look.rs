//! A look at the store's log before the engine opens it. The engine makes whatever it finds into
//! an empty log if it knows nothing of it, and so deletes what could still be examined or restored.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::OpenError;

/// sled 0.34: a log is made of segments of this size (`Config::segment_size`), each with a header:
/// the inverted CRC-32 of the rest, the segment's number, the highest stable number.
const SEGMENT: u64 = 512 * 1024;
const HEADER: usize = 20;

/// Refuses a log in which no segment is one. A log that was cut or torn has others that are.
pub(super) fn is_a_log(path: &Path) -> Result<(), OpenError> {
    let failed = |error: &std::io::Error| OpenError::io("reading", path, error);
    let file = File::open(path).map_err(|error| failed(&error))?;
    let length = file.metadata().map_err(|error| failed(&error))?.len();
    let mut header = [0; HEADER];
    let mut at = 0;
    while at < length {
        match file.read_exact_at(&mut header, at) {
            Ok(()) if is_segment(&header) => return Ok(()),
            Ok(()) => at += SEGMENT,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(failed(&error)),
        }
    }
    if length == 0 {
        return Ok(());
    }
    Err(OpenError::damaged(path, "it is not a store's log"))
}

fn is_segment(header: &[u8; HEADER]) -> bool {
    let (stored, rest) = header.split_at(4);
    <[u8; 4]>::try_from(stored)
        .is_ok_and(|stored| crc32fast::hash(rest) == !u32::from_le_bytes(stored))
}
