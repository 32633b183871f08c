#![expect(clippy::disallowed_methods, reason = "tests of the store itself")]

use super::super::{MAX_KEY_BYTES, commit_blocking};
use super::*;

const ID: LedgerId = LedgerId([7; 16]);

fn open(path: &Path) -> Result<SledStore, StoreError> {
    SledStore::open(path, SledOptions::default(), Some(ID), None)
}

fn blobs(path: &Path) -> usize {
    fs::read_dir(path.join("blobs")).unwrap().count()
}

#[test]
fn no_commit_makes_a_file_in_blobs() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    let epoch = store.open_epoch("").unwrap();
    // The rounds that made 17 to 180 files when bodies were stored whole.
    for size in [1, 1500, 4090, 7000, 9000, 12_000, 140_000, 1 << 20] {
        for round in 0..4u8 {
            let batch = (0..15).fold(Batch::new(epoch.clone()), |batch, n| {
                batch.put(format!("{size} {n}"), vec![round; size])
            });
            commit_blocking(&store, batch).unwrap();
        }
    }
    assert_eq!(blobs(folder.path()), 0);
}

#[test]
fn the_longest_keys_with_nothing_in_common_make_no_file_in_blobs() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    let epoch = store.open_epoch("").unwrap();
    // An index page keeps up to 256 keys, each cut behind the first byte that tells two leaves
    // apart, and what all of them begin with is stored once. So: families of 16 keys that differ
    // in their last byte only, and families that differ in their first bytes. Records of the
    // largest size fill the leaves. (With keys of 1024 bytes this makes files.)
    let key = |n: u32| {
        let mut key = vec![b'k'; MAX_KEY_BYTES];
        key[..4].copy_from_slice(&(n / 16).wrapping_mul(2_654_435_761).to_be_bytes());
        key[MAX_KEY_BYTES - 1] = (n % 16) as u8;
        key
    };
    for round in 0..60 {
        let batch = (0..100).fold(Batch::new(epoch.clone()), |batch, n| {
            batch.put(key(round * 100 + n), vec![1; 4095])
        });
        commit_blocking(&store, batch).unwrap();
    }
    assert_eq!(blobs(folder.path()), 0);
}

#[test]
fn a_file_in_blobs_stops_a_start() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()).unwrap());
    let stray = folder.path().join("blobs/4711");
    fs::write(&stray, "x").unwrap();
    let error = open(folder.path()).err().unwrap();
    assert_eq!(
        error,
        StoreError::Blob {
            path: stray.clone()
        }
    );
    assert!(error.is_damage());
    assert!(stray.exists(), "nothing is deleted");
}

#[test]
fn a_file_in_blobs_stops_the_commit_that_may_rest_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    let epoch = store.open_epoch("").unwrap();
    let stray = folder.path().join("blobs/4711");
    fs::write(&stray, "x").unwrap();
    let failure = StoreError::Blob { path: stray };
    let result = commit_blocking(&store, Batch::new(epoch).put("k", "v"));
    assert_eq!(result, Err(CommitError::Failed(failure.clone())));
    assert_eq!(store.get(b"k"), Err(failure));
}

#[test]
fn a_store_without_an_id_is_damage_unless_it_is_being_made() {
    let folder = tempfile::tempdir().unwrap();
    let none = SledStore::open(folder.path(), SledOptions::default(), None, None);
    assert!(none.err().unwrap().is_damage());
    assert_eq!(open(folder.path()).unwrap().ledger_id(), ID);
    let other = Some(LedgerId([8; 16]));
    let store = SledStore::open(folder.path(), SledOptions::default(), other, None).unwrap();
    assert_eq!(store.ledger_id(), ID, "an id is never replaced");
}

#[test]
fn a_second_handle_on_the_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let _store = open(folder.path()).unwrap();
    assert!(matches!(
        open(folder.path()).err(),
        Some(StoreError::Io { .. })
    ));
}

#[test]
fn space_counts_the_store_and_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let options = SledOptions {
        low_water_bytes: 1,
        ..SledOptions::default()
    };
    let store = SledStore::open(folder.path(), options, Some(ID), None).unwrap();
    let space = store.space().unwrap();
    assert!(space.ok() && space.free > 1 && space.used > 0);
    assert_eq!(space.low_water, 1);
}

#[test]
fn a_torn_log_gives_a_whole_earlier_state_or_is_refused() {
    const STEPS: u8 = 30;
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    let epoch = store.open_epoch("").unwrap();
    for step in 1..=STEPS {
        let batch = (0..4).fold(Batch::new(epoch.clone()), |batch, n| {
            batch.put(format!("k{n}"), vec![step; 1 + 3000 * n])
        });
        commit_blocking(&store, batch).unwrap();
    }
    // As a crash leaves it: copied while it is open.
    let log = fs::read(folder.path().join("db")).unwrap();
    let end = log.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    let (mut earlier, mut complete) = (0, 0);
    for cut in 0..24 {
        let torn = tempfile::tempdir().unwrap();
        fs::create_dir(torn.path().join("blobs")).unwrap();
        fs::copy(folder.path().join("conf"), torn.path().join("conf")).unwrap();
        let mut bytes = log.clone();
        // Every third one loses its end, every third one has a hole, every third one a flipped bit.
        let at = end - 1 - cut * end / 40;
        match cut % 3 {
            0 => bytes.truncate(at),
            1 => bytes[at.saturating_sub(512)..at].fill(0),
            _ => bytes[at] ^= 1,
        }
        fs::write(torn.path().join("db"), bytes).unwrap();
        let Ok(store) = SledStore::open(torn.path(), SledOptions::default(), None, None) else {
            continue;
        };
        let values: Vec<Value> = (0..4)
            .filter_map(|n| store.get(format!("k{n}").as_bytes()).unwrap())
            .collect();
        let Some(step) = values.first().map(|value| value[0]) else {
            continue;
        };
        let whole: Vec<Value> = (0..4).map(|n| vec![step; 1 + 3000 * n]).collect();
        assert!(values == whole, "cut {cut}: values of different steps");
        (earlier, complete) = (
            earlier + usize::from(step < STEPS),
            complete + usize::from(step == STEPS),
        );
    }
    assert!(earlier > 0, "no cut hit a commit; {complete} were complete");
}
