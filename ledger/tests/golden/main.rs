//! A ledger of each format that was ever released, and the proof that this build reads it: from
//! its entries in both stores, and from a data folder as a process left it.
//!
//! `cargo test -p talaria-ledger --test golden -- --ignored write_golden_v1` writes `v1` again.
//! That is right only while format 1 is not released: a later format gets a folder of its own,
//! and this one stays as it is.

#![expect(clippy::disallowed_methods, reason = "tests of the store itself")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod dump;
mod makers;
mod read;
mod scene;

use std::fs;
use std::path::{Path, PathBuf};

use talaria_ledger::folder;
use talaria_ledger::store::{
    Batch, LedgerId, MemoryStore, SledOptions, SledStore, Store, commit_blocking,
};

/// The id of the golden ledger.
const ID: LedgerId = LedgerId([0x42; 16]);
const ACCOUNT: &str = "test:1";

fn v1() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1")
}

fn stored() -> dump::Entries {
    dump::parse(&fs::read_to_string(v1().join("dump.txt")).unwrap())
}

fn open(root: &Path) -> SledStore {
    let other = LedgerId([9; 16]);
    let store = folder::open(root, SledOptions::default(), other).unwrap();
    assert_ne!(store.ledger_id(), other, "an empty ledger was made");
    store
}

fn entries(store: &dyn Store) -> dump::Entries {
    let mut all = dump::Entries::new();
    loop {
        let after = all.last_key_value().map(|(key, _)| key.clone());
        let page = store.scan(b"", after.as_deref(), 7).unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

/// Puts the dump into a store, as one commit.
fn load(store: &dyn Store) {
    let mut batch = Batch::new(store.open_epoch(ACCOUNT).unwrap());
    batch.puts = stored().into_iter().collect();
    commit_blocking(store, batch).unwrap();
}

/// Copies files; like a version control system or a backup it leaves out empty folders.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::create_dir_all(to).unwrap();
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn the_entries_of_v1_are_read_from_the_memory_store() {
    let store = MemoryStore::new(ID);
    load(&store);
    read::everything(&store, stored().len());
}

#[test]
fn the_entries_of_v1_are_read_from_a_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    {
        let store = folder::open(folder.path(), SledOptions::default(), ID).unwrap();
        load(&store);
        read::everything(&store, stored().len());
    }
    read::everything(&open(folder.path()), stored().len());
}

#[test]
fn the_data_folder_of_v1_opens_is_read_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    copy(&v1().join("data"), folder.path());
    {
        let store = open(folder.path());
        assert_eq!(store.ledger_id(), ID);
        assert_eq!(entries(&store), stored());
        read::everything(&store, stored().len());
        // A restart's first commits: the next epoch, and a new inbound.
        let epoch = store.open_epoch(ACCOUNT).unwrap();
        assert_eq!(epoch.number, scene::EPOCHS + 1);
        let batch = scene::another_inbound().into_batch(epoch);
        commit_blocking(&store, batch).unwrap();
    }
    let found = entries(&open(folder.path()));
    // The record and its place in the index.
    assert_eq!(found.len(), stored().len() + 2);
    assert!(
        stored()
            .iter()
            .all(|entry| found.get(entry.0) == Some(entry.1))
    );
}

/// The formats are those of v1 still. When this fails, an older build can't read what this one
/// writes, or the scene changed.
#[test]
fn this_build_writes_v1() {
    let store = MemoryStore::new(ID);
    scene::play(&store);
    assert_eq!(dump::text(&entries(&store)), dump::text(&stored()));
}

#[test]
#[ignore = "writes the golden ledger; see the top of this file"]
fn write_golden_v1() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder::open(folder.path(), SledOptions::default(), ID).unwrap();
    scene::play(&store);
    let text = dump::text(&entries(&store));
    drop(store);
    if v1().exists() {
        fs::remove_dir_all(v1()).unwrap();
    }
    copy(folder.path(), &v1().join("data"));
    fs::remove_file(v1().join("data/ledger.lock")).unwrap();
    fs::write(v1().join("dump.txt"), text).unwrap();
}
