//! Stored formats: JSON objects with a version. Unknown fields are kept; a record that a newer
//! version wrote is an error that stops the start.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Fields of a stored record that this version does not know. They are written back unchanged.
pub type Unknown = Map<String, Value>;

/// A stored record. Its format is frozen: a change that an older version can't read gets a new
/// version number, and the golden ledger test gets a new file.
pub trait Record: Serialize + DeserializeOwned {
    /// The record's name in errors and listings.
    const KIND: &'static str;
    /// The version that this build writes, and the newest that it reads.
    const VERSION: u64;
}

/// Why a stored record can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// A newer Talaria wrote it.
    #[error(
        "a {kind} record has format {found}, this build knows up to {known}: run the newer version"
    )]
    Newer {
        kind: &'static str,
        found: u64,
        known: u64,
    },
    /// It is not what this build writes.
    #[error("a {kind} record can't be read: {reason}")]
    Malformed { kind: &'static str, reason: String },
}

const VERSION_FIELD: &str = "v";

/// The bytes of a record.
pub fn encode<R: Record>(record: &R) -> Result<Vec<u8>, RecordError> {
    #[derive(Serialize)]
    struct Versioned<'a, R> {
        v: u64,
        #[serde(flatten)]
        record: &'a R,
    }
    serde_json::to_vec(&Versioned {
        v: R::VERSION,
        record,
    })
    .map_err(|error| RecordError::Malformed {
        kind: R::KIND,
        reason: error.to_string(),
    })
}

/// The record in `bytes`.
pub fn decode<R: Record>(bytes: &[u8]) -> Result<R, RecordError> {
    let malformed = |reason: String| RecordError::Malformed {
        kind: R::KIND,
        reason,
    };
    let mut value: Value =
        serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))?;
    let version = value
        .as_object_mut()
        .and_then(|fields| fields.remove(VERSION_FIELD))
        .and_then(|version| version.as_u64())
        .ok_or_else(|| malformed("it has no version".to_owned()))?;
    if version > R::VERSION {
        return Err(RecordError::Newer {
            kind: R::KIND,
            found: version,
            known: R::VERSION,
        });
    }
    serde_json::from_value(value).map_err(|error| malformed(error.to_string()))
}

#[cfg(test)]
mod tests;
