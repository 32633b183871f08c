//! How keys and values of any size lie in an engine that takes records of at most 4 KiB.
//!
//! Every entry has a head record; a value that does not fit into it lies in chunk records, which
//! the head counts. All of them change in one batch.
//!
//! | record | key | value |
//! |---|---|---|
//! | meta | `00` name | |
//! | head, small value | `01` key | `00` value |
//! | head, large value | `01` key | `01` chunks (u32) length (u64) CRC-32 (u32) |
//! | chunk | `02` length of key (u16) key number (u32) | up to 4096 bytes |
//!
//! Numbers are big-endian. The first byte keeps the three kinds apart, and the length keeps the
//! chunks of one key apart from those of a longer one.

use super::{Key, MAX_VALUE_BYTES, StoreError};

/// The largest record value that the engine is given.
pub(super) const RECORD_BYTES: usize = 4096;

const META: u8 = 0;
const HEAD: u8 = 1;
const CHUNK: u8 = 2;
const SMALL: u8 = 0;
const LARGE: u8 = 1;

pub(super) fn meta_key(name: &str, of: &str) -> Key {
    [&[META], name.as_bytes(), &[0], of.as_bytes()].concat()
}

pub(super) fn head_key(key: &[u8]) -> Key {
    [&[HEAD], key].concat()
}

/// The first key behind all heads.
pub(super) fn heads_end() -> Key {
    vec![CHUNK]
}

/// The user's key in a head's key.
pub(super) fn user_key(head_key: &[u8]) -> &[u8] {
    head_key.get(1..).unwrap_or_default()
}

/// The chunk's key. Keys are at most [`super::MAX_KEY_BYTES`] long, so their length fits.
pub(super) fn chunk_key(key: &[u8], number: u32) -> Key {
    let length = u16::try_from(key.len()).unwrap_or(u16::MAX);
    [
        &[CHUNK],
        length.to_be_bytes().as_slice(),
        key,
        number.to_be_bytes().as_slice(),
    ]
    .concat()
}

/// A value, taken apart.
pub(super) struct Split<'a> {
    pub(super) head: Vec<u8>,
    pub(super) chunks: std::slice::Chunks<'a, u8>,
}

pub(super) fn split(value: &[u8]) -> Split<'_> {
    if value.len() < RECORD_BYTES {
        return Split {
            head: [&[SMALL], value].concat(),
            chunks: [].chunks(RECORD_BYTES),
        };
    }
    let chunks = value.chunks(RECORD_BYTES);
    let count = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
    let mut head = vec![LARGE];
    head.extend(count.to_be_bytes());
    head.extend((value.len() as u64).to_be_bytes());
    head.extend(crc32fast::hash(value).to_be_bytes());
    Split { head, chunks }
}

/// A head record, read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Head<'a> {
    Small(&'a [u8]),
    Large(Large),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Large {
    pub(super) chunks: u32,
    pub(super) length: usize,
    crc: u32,
}

impl Head<'_> {
    pub(super) fn chunks(&self) -> u32 {
        match self {
            Self::Small(_) => 0,
            Self::Large(large) => large.chunks,
        }
    }
}

pub(super) fn read_head(record: &[u8]) -> Result<Head<'_>, StoreError> {
    match record.split_first() {
        Some((&SMALL, value)) => Some(Head::Small(value)),
        Some((&LARGE, numbers)) => read_large(numbers).map(Head::Large),
        Some(_) | None => None,
    }
    .ok_or_else(|| damaged("a head record has an unknown form"))
}

fn read_large(numbers: &[u8]) -> Option<Large> {
    let (chunks, rest) = numbers.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (crc, []) = rest.split_first_chunk::<4>()? else {
        return None;
    };
    let chunks = u32::from_be_bytes(*chunks);
    let length = usize::try_from(u64::from_be_bytes(*length)).ok()?;
    let fits = length <= MAX_VALUE_BYTES && length.div_ceil(RECORD_BYTES) == chunks as usize;
    fits.then_some(Large {
        chunks,
        length,
        crc: u32::from_be_bytes(*crc),
    })
}

impl Large {
    /// Checks the joined chunks.
    pub(super) fn check(&self, value: &[u8]) -> Result<(), StoreError> {
        if value.len() != self.length || crc32fast::hash(value) != self.crc {
            return Err(damaged("the chunks of a value do not make up the value"));
        }
        Ok(())
    }
}

pub(super) fn damaged(reason: &str) -> StoreError {
    StoreError::Damaged {
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests;
