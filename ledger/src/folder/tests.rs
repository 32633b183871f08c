use super::*;
use crate::store::{MemoryStore, Space};

const ID: LedgerId = LedgerId([0xab; 16]);
const OTHER: LedgerId = LedgerId([0xcd; 16]);

fn open_as(root: &Path, id: LedgerId) -> Result<SledStore, OpenError> {
    open(root, SledOptions::default(), id)
}

fn refusal(root: &Path) -> OpenError {
    open_as(root, OTHER).err().unwrap()
}

/// Every file below `root` with its size: what a refusal must leave alone.
fn listing(root: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let meta = entry.metadata().unwrap();
            if meta.is_dir() {
                open.push(entry.path());
            }
            found.push((entry.path(), meta.len()));
        }
    }
    found.sort();
    found
}

/// A folder with a ledger that has one record.
fn ledger() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = open_as(folder.path(), ID).unwrap();
    store.open_epoch("a").unwrap();
    folder
}

#[test]
fn a_first_start_makes_a_private_ledger_that_later_starts_find() {
    let parent = tempfile::tempdir().unwrap();
    let root = parent.path().join("deep/data");
    assert_eq!(open_as(&root, ID).unwrap().ledger_id(), ID);
    assert_eq!(open_as(&root, OTHER).unwrap().ledger_id(), ID);
    let text = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    assert_eq!(text(MARKER), format!("{}\n", "ab".repeat(16)));
    assert_eq!(text(CURRENT), "ledger-1\n");
    assert!(!root.join(CREATING).exists());
    let mode = |name: &str| fs::metadata(root.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(""), mode(FIRST_STORE)), (0o700, 0o700));
    assert_eq!(
        (mode(MARKER), mode(CURRENT), mode(LOCK)),
        (0o600, 0o600, 0o600)
    );
}

#[test]
fn a_folder_that_is_open_to_others_is_closed() {
    let folder = ledger();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    drop(open_as(folder.path(), ID).unwrap());
    assert_eq!(
        fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777,
        0o700
    );
}

#[test]
fn a_second_opener_is_told_that_it_is_busy_until_the_first_one_closes() {
    let folder = tempfile::tempdir().unwrap();
    let first = open_as(folder.path(), ID).unwrap();
    let error = refusal(folder.path());
    assert_eq!(
        error,
        OpenError::Busy {
            path: folder.path().join(LOCK)
        }
    );
    assert_eq!(error.exit_code(), 75);
    drop(first);
    open_as(folder.path(), ID).unwrap();
}

#[test]
fn one_missing_piece_is_refused_with_its_name_and_nothing_is_changed() {
    let pieces = [MARKER, CURRENT, "ledger-1/db", "ledger-1/conf"];
    for missing in pieces {
        let folder = ledger();
        fs::remove_file(folder.path().join(missing)).unwrap();
        let before = listing(folder.path());
        let error = refusal(folder.path());
        assert!(
            matches!(&error, OpenError::Incomplete { missing: m, .. } if m.ends_with(missing)),
            "{missing}: {error:?}"
        );
        assert_eq!(error.exit_code(), 74);
        assert!(
            error.to_string().contains("restore"),
            "it says the fix: {error}"
        );
        assert_eq!(listing(folder.path()), before);
    }
}

#[test]
fn a_store_alone_or_a_whole_store_missing_is_refused() {
    let folder = ledger();
    fs::remove_file(folder.path().join(MARKER)).unwrap();
    fs::remove_file(folder.path().join(CURRENT)).unwrap();
    let error = refusal(folder.path());
    let found = folder.path().join(FIRST_STORE);
    assert_eq!(
        error,
        OpenError::Incomplete {
            missing: folder.path().join(MARKER),
            found
        }
    );

    let folder = ledger();
    fs::remove_dir_all(folder.path().join(FIRST_STORE)).unwrap();
    assert!(matches!(
        refusal(folder.path()),
        OpenError::Incomplete { .. }
    ));
    assert!(
        !folder.path().join(FIRST_STORE).exists(),
        "no empty store in its place"
    );
}

#[test]
fn a_store_of_another_ledger_is_refused() {
    let (folder, other) = (ledger(), tempfile::tempdir().unwrap());
    drop(open_as(other.path(), OTHER).unwrap());
    fs::copy(other.path().join(MARKER), folder.path().join(MARKER)).unwrap();
    let error = refusal(folder.path());
    assert!(
        matches!(
            error,
            OpenError::Mismatch {
                expected: OTHER,
                found: ID,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(error.exit_code(), 74);
}

#[test]
fn small_files_that_are_not_what_they_should_be_are_damage() {
    let cases = [
        (MARKER, ""),
        (MARKER, "+0000000000000000000000000000001"),
        (MARKER, "not an id"),
        (CURRENT, ""),
        (CURRENT, "../elsewhere"),
        (CURRENT, "ledger-"),
        (CREATING, "x"),
    ];
    for (name, content) in cases {
        let folder = ledger();
        fs::write(folder.path().join(name), content).unwrap();
        let error = refusal(folder.path());
        assert!(
            matches!(error, OpenError::Damaged { .. }),
            "{name} {content:?}: {error}"
        );
        assert_eq!(error.exit_code(), 74);
    }
}

#[test]
fn a_store_that_is_not_a_store_is_damage_and_stays() {
    for content in ["this is not a database".repeat(100_000), String::new()] {
        let folder = ledger();
        let db = folder.path().join("ledger-1/db");
        fs::write(&db, &content).unwrap();
        let error = refusal(folder.path());
        assert!(
            matches!(error, OpenError::Damaged { .. }),
            "{} bytes: {error}",
            content.len()
        );
        assert_eq!(error.exit_code(), 74);
    }
}

#[test]
fn a_first_start_that_was_cut_anywhere_is_finished_by_the_next() {
    // What the cut left behind, in the order in which it is made.
    let cuts: [&[&str]; 4] = [
        &[CREATING],
        &[CREATING, "ledger-1/"],
        &[CREATING, "ledger-1/", "ledger-1/conf", "ledger-1/db"],
        &[CREATING, MARKER, "ledger.id.tmp"],
    ];
    for cut in cuts {
        let folder = tempfile::tempdir().unwrap();
        for name in cut {
            let path = folder.path().join(name);
            match name {
                name if name.ends_with('/') => fs::create_dir(path).unwrap(),
                name if name.contains('/') => fs::write(path, "").unwrap(),
                _ => fs::write(path, format!("{ID}\n")).unwrap(),
            }
        }
        let store = open_as(folder.path(), OTHER).unwrap();
        assert_eq!(store.ledger_id(), ID, "the id of the first start: {cut:?}");
        drop(store);
        assert_eq!(open_as(folder.path(), OTHER).unwrap().ledger_id(), ID);
    }
}

#[test]
fn a_left_over_of_a_compaction_does_not_disturb() {
    let folder = ledger();
    fs::create_dir(folder.path().join("ledger-2")).unwrap();
    assert_eq!(
        open_as(folder.path(), OTHER).unwrap().path(),
        folder.path().join(FIRST_STORE)
    );
}

#[test]
fn a_folder_that_cannot_be_used_is_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for root in [file.join("below"), file] {
        let error = refusal(&root);
        assert!(matches!(error, OpenError::Unavailable { .. }), "{error:?}");
        assert_eq!(error.exit_code(), 75);
    }
}

#[test]
fn space_is_short_exactly_below_the_mark() {
    let store = MemoryStore::new(ID);
    for (free, ok) in [(9, false), (10, true), (11, true)] {
        store.set_space(Space {
            free,
            low_water: 10,
            used: 0,
        });
        assert_eq!(store.space().unwrap().ok(), ok);
    }
}

#[test]
fn a_log_that_is_none_is_refused_and_left_as_it_is() {
    let folder = ledger();
    let db = folder.path().join(FIRST_STORE).join("db");
    let whole = fs::read(&db).unwrap();
    for broken in [
        vec![b'x'; whole.len()],
        b"not a database".to_vec(),
        vec![0; 1 << 20],
    ] {
        fs::write(&db, &broken).unwrap();
        let error = refusal(folder.path());
        assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
        assert_eq!(fs::read(&db).unwrap(), broken, "it was changed");
    }
    fs::write(&db, &whole).unwrap();
    assert!(open_as(folder.path(), OTHER).is_ok());
}
