//! Reads: durable, behind earlier commits, in pages.

use super::super::{Batch, Key, MAX_PAGE_BYTES, Store};
use super::{Rig, all, commit, epoch, ok, value};

fn fill(store: &dyn Store, keys: &[&[u8]]) {
    let batch = Batch::new(epoch(store));
    commit(
        store,
        keys.iter().fold(batch, |batch, key| batch.put(*key, *key)),
    );
}

fn keys(store: &dyn Store, prefix: &[u8]) -> Vec<Key> {
    all(store, prefix, 3)
        .into_iter()
        .map(|(key, _)| key)
        .collect()
}

pub(super) fn all_is_there_after_a_restart(rig: &mut dyn Rig) {
    let id = rig.store().ledger_id();
    let epoch = epoch(&*rig.store());
    let mut expected = Vec::new();
    for n in 0..200usize {
        let (key, value) = (format!("key {n:04}").into_bytes(), value(n * 37, 5));
        commit(
            &*rig.store(),
            Batch::new(epoch.clone()).put(key.clone(), value.clone()),
        );
        expected.push((key, value));
    }
    rig.restart();
    assert_eq!(rig.store().ledger_id(), id);
    assert!(all(&*rig.store(), b"", 33) == expected);
}

pub(super) fn behind_earlier_commits(rig: &mut dyn Rig) {
    let store = rig.store();
    let epoch = epoch(&*store);
    for n in 0..50u8 {
        store.submit(
            Batch::new(epoch.clone()).put("k", [n]),
            Box::new(|result| assert!(result.is_ok(), "{result:?}")),
        );
        assert_eq!(ok(store.get(b"k")), Some(vec![n]));
        store.submit(
            Batch::new(epoch.clone()).put("k", [n, n]),
            Box::new(|result| assert!(result.is_ok(), "{result:?}")),
        );
        assert_eq!(ok(store.scan(b"k", None, 9)), [(b"k".to_vec(), vec![n, n])]);
    }
}

pub(super) fn pages(rig: &mut dyn Rig) {
    let store = rig.store();
    fill(&*store, &[b"b", b"a1", b"a3", b"a2", b"c", b"a"]);
    assert_eq!(keys(&*store, b"a"), [&b"a"[..], b"a1", b"a2", b"a3"]);
    assert_eq!(keys(&*store, b"").len(), 6);
    assert!(keys(&*store, b"d").is_empty());
    let page = |after: Option<&[u8]>, limit| -> Vec<Key> {
        ok(store.scan(b"a", after, limit))
            .into_iter()
            .map(|(key, _)| key)
            .collect()
    };
    assert_eq!(page(None, 2), [&b"a"[..], b"a1"]);
    assert_eq!(page(Some(b"a1"), 9), [&b"a2"[..], b"a3"]);
    assert_eq!(
        page(Some(b"a1x"), 1),
        [&b"a2"[..]],
        "`after` need not exist"
    );
    assert_eq!(
        page(Some(b"A"), 1),
        [&b"a"[..]],
        "`after` in front of the prefix"
    );
    assert!(page(Some(b"a3"), 9).is_empty());
    assert!(page(Some(b"zz"), 9).is_empty(), "`after` behind the prefix");
    assert!(page(None, 0).is_empty());
}

pub(super) fn prefix_edges(rig: &mut dyn Rig) {
    let store = rig.store();
    let edges: [&[u8]; 9] = [
        b"",
        b"\0",
        b"\0\0",
        b"\x01",
        b"\x01\0\x01\0",
        b"\x02\0\x01a\0\0\0\0",
        b"\xfe\xff",
        b"\xff",
        b"\xff\xff",
    ];
    fill(&*store, &edges);
    assert_eq!(
        keys(&*store, b""),
        edges,
        "in order, and the empty key is a key"
    );
    assert_eq!(keys(&*store, b"\0"), [&b"\0"[..], b"\0\0"]);
    assert_eq!(keys(&*store, b"\xff"), [&b"\xff"[..], b"\xff\xff"]);
    assert_eq!(keys(&*store, b"\xfe"), [&b"\xfe\xff"[..]]);
    assert_eq!(
        ok(store.scan(b"", Some(b""), 1)).len(),
        1,
        "behind the empty key"
    );
    for key in edges {
        assert_eq!(ok(store.get(key)), Some(key.to_vec()));
    }
}

pub(super) fn a_page_is_one_state(rig: &mut dyn Rig) {
    const ROUNDS: usize = 60;
    let store = rig.store();
    let epoch = epoch(&*store);
    let write = |round: usize| {
        // Two large values, two small ones, and one that comes and goes: all of one round.
        let (large, small) = (value(9000, round as u8), value(10, round as u8));
        let batch = Batch::new(epoch.clone())
            .put("r/1", large.clone())
            .put("r/2", small.clone())
            .put("r/3", large)
            .put("r/4", small);
        match round % 2 {
            0 => batch.put("r/even", ""),
            _ => batch.remove("r/even"),
        }
    };
    commit(&*store, write(0));
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| (1..ROUNDS).for_each(|round| commit(&*store, write(round))));
        let mut finished = false;
        while !finished {
            finished = writing.is_finished();
            let page = ok(store.scan(b"r/", None, 9));
            let first: Vec<u8> = page
                .iter()
                .take(4)
                .filter_map(|(_, value)| value.first().copied())
                .collect();
            assert!(
                first.iter().all(|seed| first.first() == Some(seed)),
                "rounds {first:?}"
            );
            let is_even = first.first().is_some_and(|seed| seed % 2 == 0);
            assert_eq!(page.len(), if is_even { 5 } else { 4 });
        }
    });
}

pub(super) fn pages_are_bounded_in_bytes(rig: &mut dyn Rig) {
    let store = rig.store();
    let epoch = epoch(&*store);
    let size = MAX_PAGE_BYTES / 3;
    for n in 0..7u8 {
        commit(&*store, Batch::new(epoch.clone()).put([n], value(size, n)));
    }
    commit(
        &*store,
        Batch::new(epoch).put([9], value(MAX_PAGE_BYTES + 1, 9)),
    );
    assert_eq!(ok(store.scan(b"", None, 100)).len(), 2);
    assert_eq!(
        all(&*store, b"", 100).len(),
        8,
        "one that is larger than a page is a page"
    );
}
