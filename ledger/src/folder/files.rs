//! The small files beside the store: written whole or not at all, readable by their owner only.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

use super::OpenError;
use crate::store::LedgerId;

/// None of the small files is longer; one that is, is damaged.
const MAX_BYTES: u64 = 256;

/// Takes the lock file; it is free again when the handle closes or its process ends.
pub(super) fn lock(path: &Path) -> Result<File, OpenError> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(|error| OpenError::io("opening", path, &error))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(OpenError::Busy {
            path: path.to_owned(),
        }),
        Err(errno) => Err(OpenError::io("locking", path, &errno.into())),
    }
}

/// Whether something is there; an answer other than yes or no is an error.
pub(super) fn exists(path: &Path) -> Result<bool, OpenError> {
    path.try_exists()
        .map_err(|error| OpenError::io("looking for", path, &error))
}

/// Writes a file so that after a crash it is the old one or the new one: write, sync, rename,
/// sync of the folder.
pub(super) fn write(folder: &Path, name: &str, content: &str) -> Result<(), OpenError> {
    let (path, draft) = (folder.join(name), folder.join(format!("{name}.tmp")));
    let write_draft = || {
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&draft)?;
        file.write_all(content.as_bytes())?;
        file.sync_all()
    };
    write_draft().map_err(|error| OpenError::io("writing", &draft, &error))?;
    fs::rename(&draft, &path).map_err(|error| OpenError::io("renaming", &draft, &error))?;
    sync_folder(folder)
}

pub(super) fn remove(folder: &Path, name: &str) -> Result<(), OpenError> {
    let path = folder.join(name);
    fs::remove_file(&path).map_err(|error| OpenError::io("removing", &path, &error))?;
    sync_folder(folder)
}

/// Makes the folder's own entry durable.
pub(super) fn sync_parent(folder: &Path) -> Result<(), OpenError> {
    match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_folder(parent),
        // A relative path of one name lies in the working folder.
        Some(_) => sync_folder(Path::new(".")),
        None => Ok(()),
    }
}

fn sync_folder(folder: &Path) -> Result<(), OpenError> {
    File::open(folder)
        .and_then(|handle| handle.sync_all())
        .map_err(|error| OpenError::io("syncing", folder, &error))
}

/// The one line of a small file; `None` if it is absent.
fn read_line(path: &Path) -> Result<Option<String>, OpenError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(OpenError::io("opening", path, &error)),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| OpenError::io("reading", path, &error))?;
    let text = String::from_utf8(bytes).map_err(|_| OpenError::damaged(path, "it is not text"))?;
    Ok(Some(text.trim_end().to_owned()))
}

/// The ledger's id in a marker; `None` if the file is absent.
pub(super) fn read_id(path: &Path) -> Result<Option<LedgerId>, OpenError> {
    let Some(line) = read_line(path)? else {
        return Ok(None);
    };
    let is_hex = line.len() == 32 && line.bytes().all(|byte| byte.is_ascii_hexdigit());
    match u128::from_str_radix(&line, 16) {
        Ok(number) if is_hex => Ok(Some(LedgerId(number.to_be_bytes()))),
        Ok(_) | Err(_) => Err(OpenError::damaged(
            path,
            "it is not an id of 32 hexadecimal digits",
        )),
    }
}

/// The store's name in `CURRENT`; `None` if the file is absent.
pub(super) fn read_name(path: &Path, prefix: &str) -> Result<Option<String>, OpenError> {
    match read_line(path)? {
        None => Ok(None),
        Some(name) if is_store_name(&name, prefix) => Ok(Some(name)),
        Some(_) => Err(OpenError::damaged(path, "it does not name a store")),
    }
}

/// `<prefix><n>`: nothing that could lead out of the folder.
pub(super) fn is_store_name(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}
