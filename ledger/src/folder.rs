//! The data folder: which store is the ledger, who holds it, and whether it is whole.
//!
//! | name | what |
//! |---|---|
//! | `ledger.lock` | held (flock) by the process that has the ledger open |
//! | `ledger.id` | the marker: the ledger's id, 32 hexadecimal digits and a line end |
//! | `CURRENT` | the name of the store's folder and a line end |
//! | `ledger-<n>/` | a store; one that `CURRENT` does not name is a left-over of a compaction |
//! | `ledger.creating` | the new ledger's id, while a first start makes the three above |
//!
//! An empty ledger is made only where marker, `CURRENT` and every store are absent. One of them
//! missing means that something outside touched the folder (a half restored backup, a volume
//! that is not mounted): that is refused, with the fix, and nothing is written or deleted.

mod error;
mod files;
mod look;

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

pub use error::OpenError;

use crate::store::{LedgerId, SledOptions, SledStore, Store};

const LOCK: &str = "ledger.lock";
const MARKER: &str = "ledger.id";
const CURRENT: &str = "CURRENT";
const CREATING: &str = "ledger.creating";
const STORE_PREFIX: &str = "ledger-";
const FIRST_STORE: &str = "ledger-1";

/// Opens the ledger in the data folder `root`, or makes an empty one with the id `fresh` (16
/// random bytes, used only then). The folder is made private (mode 0700); the store holds the
/// folder's lock for as long as it lives.
///
/// # Errors
/// See [`OpenError`]; each names the file and the fix, and [`OpenError::exit_code`] its class.
pub fn open(root: &Path, options: SledOptions, fresh: LedgerId) -> Result<SledStore, OpenError> {
    make_private(root)?;
    let lock = files::lock(&root.join(LOCK))?;
    if let Some(id) = files::read_id(&root.join(CREATING))? {
        // An earlier first start was cut before anyone could use the ledger: go on from there.
        return create(root, options, id, lock);
    }
    let marker = files::read_id(&root.join(MARKER))?;
    let current = files::read_name(&root.join(CURRENT), STORE_PREFIX)?;
    let (marker, current) = match (marker, current) {
        (Some(marker), Some(current)) => (marker, current),
        (None, None) => {
            return match any_store(root)? {
                None => create(root, options, fresh, lock),
                Some(found) => Err(OpenError::Incomplete {
                    missing: root.join(MARKER),
                    found,
                }),
            };
        }
        (Some(_), None) => {
            let (missing, found) = (root.join(CURRENT), root.join(MARKER));
            return Err(OpenError::Incomplete { missing, found });
        }
        (None, Some(_)) => {
            let (missing, found) = (root.join(MARKER), root.join(CURRENT));
            return Err(OpenError::Incomplete { missing, found });
        }
    };
    let path = root.join(current);
    // sled makes what it does not find, so look first: its log and its settings.
    for needed in [path.join("db"), path.join("conf")] {
        if !files::exists(&needed)? {
            return Err(OpenError::Incomplete {
                missing: needed,
                found: root.join(CURRENT),
            });
        }
    }
    look::is_a_log(&path.join("db"))?;
    let store = SledStore::open(&path, options, None, Some(lock))
        .map_err(|error| OpenError::from_store(&path, error))?;
    if store.ledger_id() == marker {
        return Ok(store);
    }
    Err(OpenError::Mismatch {
        marker: root.join(MARKER),
        expected: marker,
        store: path,
        found: store.ledger_id(),
    })
}

/// Makes the first store, marker and `CURRENT`. Can be cut anywhere and goes on at the next
/// start: `ledger.creating` comes first and goes last.
fn create(
    root: &Path,
    options: SledOptions,
    id: LedgerId,
    lock: fs::File,
) -> Result<SledStore, OpenError> {
    let path = root.join(FIRST_STORE);
    files::write(root, CREATING, &format!("{id}\n"))?;
    make_private(&path)?;
    let store = SledStore::open(&path, options, Some(id), Some(lock))
        .map_err(|error| OpenError::from_store(&path, error))?;
    if store.ledger_id() != id {
        let (marker, found) = (root.join(CREATING), store.ledger_id());
        return Err(OpenError::Mismatch {
            marker,
            expected: id,
            store: path,
            found,
        });
    }
    files::write(root, MARKER, &format!("{id}\n"))?;
    files::write(root, CURRENT, &format!("{FIRST_STORE}\n"))?;
    files::remove(root, CREATING)?;
    Ok(store)
}

/// The first store folder in `root`, if there is any.
fn any_store(root: &Path) -> Result<Option<PathBuf>, OpenError> {
    let entries = fs::read_dir(root).map_err(|e| OpenError::io("listing", root, &e))?;
    for entry in entries {
        let entry = entry.map_err(|e| OpenError::io("listing", root, &e))?;
        if files::is_store_name(&entry.file_name().to_string_lossy(), STORE_PREFIX) {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

/// Makes the folder if it is absent, and closes it to other users.
fn make_private(folder: &Path) -> Result<(), OpenError> {
    let made = !files::exists(folder)?;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| OpenError::io("making", folder, &error))?;
    if made {
        return files::sync_parent(folder);
    }
    let meta = fs::metadata(folder).map_err(|error| OpenError::io("reading", folder, &error))?;
    if meta.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(folder, Permissions::from_mode(0o700))
            .map_err(|error| OpenError::io("closing to other users", folder, &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
