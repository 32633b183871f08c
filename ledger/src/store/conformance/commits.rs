//! Commits: atomic, judged in order, fenced.

use super::super::{
    Batch, CommitError, Epoch, MAX_KEY_BYTES, MAX_VALUE_BYTES, Precondition, Store,
};
use super::{Rig, all, commit, commit_blocking, commit_together, epoch, ok, value};

pub(super) fn refused_leaves_nothing(rig: &mut dyn Rig) {
    let store = rig.store();
    let epoch = epoch(&*store);
    commit(&*store, Batch::new(epoch.clone()).put("old", "1"));
    let refused = Batch::new(epoch)
        .require(Precondition::Present(b"old".to_vec()))
        .require(Precondition::Absent(b"old".to_vec()))
        .put("new", "2")
        .put("old", "2")
        .remove("old");
    let error = commit_blocking(&*store, refused);
    assert_eq!(
        error,
        Err(CommitError::Conflict {
            key: b"old".to_vec()
        })
    );
    assert_eq!(all(&*store, b"", 10), [(b"old".to_vec(), b"1".to_vec())]);
    drop(store);
    rig.restart();
    assert_eq!(
        all(&*rig.store(), b"", 10),
        [(b"old".to_vec(), b"1".to_vec())]
    );
}

pub(super) fn preconditions(rig: &mut dyn Rig) {
    let store = rig.store();
    let epoch = epoch(&*store);
    let large = value(20_000, 1);
    let setup = Batch::new(epoch.clone())
        .put("k", "v")
        .put("empty", "")
        .put("l", large.clone());
    commit(&*store, setup);
    let key = |key: &str| key.as_bytes().to_vec();
    let cases = [
        (Precondition::Absent(key("none")), true),
        (Precondition::Absent(key("k")), false),
        (Precondition::Absent(key("empty")), false),
        (Precondition::Present(key("none")), false),
        (Precondition::Present(key("k")), true),
        (Precondition::Present(key("empty")), true),
        (Precondition::Present(key("l")), true),
        (Precondition::Equals(key("k"), b"v".to_vec()), true),
        (Precondition::Equals(key("k"), b"w".to_vec()), false),
        (Precondition::Equals(key("none"), Vec::new()), false),
        (Precondition::Equals(key("empty"), Vec::new()), true),
        (Precondition::Equals(key("l"), large), true),
        (Precondition::Equals(key("l"), value(20_000, 2)), false),
    ];
    for (precondition, holds) in cases {
        let batch = Batch::new(epoch.clone()).require(precondition.clone());
        let result = commit_blocking(&*store, batch);
        assert_eq!(result.is_ok(), holds, "{precondition:?}: {result:?}");
    }
}

pub(super) fn order_inside_a_batch(rig: &mut dyn Rig) {
    let store = rig.store();
    let epoch = epoch(&*store);
    // The precondition is about the tree before the batch; of two puts the later one stands; a
    // remove comes after the puts; removing what is absent is nothing.
    let batch = Batch::new(epoch)
        .require(Precondition::Absent(b"twice".to_vec()))
        .put("twice", value(9000, 1))
        .put("twice", "second")
        .put("gone", value(9000, 1))
        .remove("gone")
        .remove("never");
    commit(&*store, batch);
    assert_eq!(
        all(&*store, b"", 10),
        [(b"twice".to_vec(), b"second".to_vec())]
    );
}

pub(super) fn queued_commits_see_each_other(rig: &mut dyn Rig) {
    let store = rig.store();
    let epoch = epoch(&*store);
    let step = |from: u32| {
        let (old, new) = (from.to_string().into_bytes(), (from + 1).to_string());
        let batch = Batch::new(epoch.clone())
            .put("n", new)
            .put(format!("seen {from:03}"), "");
        match from {
            0 => batch.require(Precondition::Absent(b"n".to_vec())),
            _ => batch.require(Precondition::Equals(b"n".to_vec(), old)),
        }
    };
    for result in commit_together(&*store, (0..100).map(step).collect()) {
        ok(result);
    }
    assert_eq!(ok(store.get(b"n")), Some(b"100".to_vec()));
    assert_eq!(all(&*store, b"seen ", 7).len(), 100);
}

pub(super) fn neighbours_of_a_refused_commit(rig: &mut dyn Rig) {
    let store = rig.store();
    let epoch = epoch(&*store);
    // Every third one claims the same key; only the first of them gets it.
    let claim = |n: usize| {
        let batch = Batch::new(epoch.clone()).put(format!("done {n:03}"), value(n * 300, 0));
        match n % 3 {
            0 => batch
                .require(Precondition::Absent(b"claim".to_vec()))
                .put("claim", "taken"),
            _ => batch,
        }
    };
    let results = commit_together(&*store, (0..60).map(claim).collect());
    for (n, result) in results.iter().enumerate() {
        assert_eq!(
            result.is_ok(),
            n == 0 || n % 3 != 0,
            "commit {n}: {result:?}"
        );
        let found = ok(store.get(format!("done {n:03}").as_bytes()));
        assert_eq!(
            found,
            result.is_ok().then(|| value(n * 300, 0)),
            "commit {n}"
        );
    }
}

fn fenced(store: &dyn Store, account: &str, number: u64) -> Option<u64> {
    let epoch = Epoch {
        account: account.to_owned(),
        number,
    };
    match commit_blocking(
        store,
        Batch::new(epoch).put(format!("by {account} {number}"), ""),
    ) {
        Ok(_) => None,
        Err(CommitError::Fenced { current, .. }) => Some(current),
        Err(other) => panic!("{other:?}"),
    }
}

pub(super) fn epochs(rig: &mut dyn Rig) {
    let store = rig.store();
    assert_eq!(
        fenced(&*store, "a", 0),
        Some(0),
        "an account that nobody opened"
    );
    assert_eq!(fenced(&*store, "a", 1), Some(0));
    assert_eq!(
        ok(store.open_epoch("a")),
        Epoch {
            account: "a".to_owned(),
            number: 1
        }
    );
    assert_eq!(ok(store.open_epoch("a")).number, 2);
    assert_eq!(ok(store.open_epoch("")).number, 1, "accounts are apart");
    assert_eq!(fenced(&*store, "a", 1), Some(2));
    assert_eq!(
        fenced(&*store, "a", 3),
        Some(2),
        "an epoch that nobody gave out"
    );
    assert_eq!(fenced(&*store, "a", 2), None);
    assert_eq!(fenced(&*store, "", 1), None);
    assert_eq!(
        all(&*store, b"by ", 10).len(),
        2,
        "a fenced commit leaves nothing"
    );
    assert_eq!(all(&*store, b"", 10).len(), 2, "epochs are no entries");
}

pub(super) fn epochs_survive(rig: &mut dyn Rig) {
    assert_eq!(ok(rig.store().open_epoch("a")).number, 1);
    rig.restart();
    assert_eq!(fenced(&*rig.store(), "a", 1), None, "nobody took over");
    assert_eq!(ok(rig.store().open_epoch("a")).number, 2);
    rig.restart();
    assert_eq!(fenced(&*rig.store(), "a", 1), Some(2));
    assert_eq!(fenced(&*rig.store(), "a", 2), None);
}

pub(super) fn epoch_between_queued_commits(rig: &mut dyn Rig) {
    let store = rig.store();
    let old = epoch(&*store);
    let (answers, answer) = std::sync::mpsc::channel();
    let submit = |key: &str| {
        let answers = answers.clone();
        let batch = Batch::new(old.clone()).put(key, "");
        store.submit(batch, Box::new(move |result| ok(answers.send(result))));
    };
    submit("before");
    let new = ok(store.open_epoch("a"));
    submit("after");
    assert!(ok(answer.recv()).is_ok(), "submitted before the takeover");
    assert!(matches!(ok(answer.recv()), Err(CommitError::Fenced { .. })));
    commit(&*store, Batch::new(new).put("new", ""));
    assert_eq!(all(&*store, b"", 10).len(), 2);
}

pub(super) fn values_of_every_size(rig: &mut dyn Rig) {
    let sizes = [
        0,
        1,
        100,
        4095,
        4096,
        4097,
        8191,
        8192,
        8193,
        16 << 10,
        128 << 10,
        1 << 20,
    ];
    let epoch = epoch(&*rig.store());
    // Each size is overwritten by each of the others in turn, between two keys that begin alike.
    for (round, shift) in (0..sizes.len()).enumerate() {
        let store = rig.store();
        let seed = u8::try_from(round).unwrap_or(0);
        let at = |n: usize| {
            (
                format!("k{n}"),
                value(sizes[(n + shift) % sizes.len()], seed),
            )
        };
        let batch = Batch::new(epoch.clone());
        let batch = (0..sizes.len())
            .map(at)
            .fold(batch, |batch, (key, value)| batch.put(key, value));
        commit(&*store, batch);
        if round % 4 == 3 {
            drop(store);
            rig.restart();
        }
        let store = rig.store();
        for (key, value) in (0..sizes.len()).map(at) {
            assert!(
                ok(store.get(key.as_bytes())) == Some(value),
                "{key} in round {round}"
            );
        }
        assert_eq!(
            all(&*store, b"", 5).len(),
            sizes.len(),
            "a large value is one entry"
        );
    }
    let store = rig.store();
    let removed =
        (0..sizes.len()).fold(Batch::new(epoch.clone()), |b, n| b.remove(format!("k{n}")));
    commit(&*store, removed);
    assert!(all(&*store, b"", 5).is_empty());
    commit(&*store, Batch::new(epoch).put("k7", "small again"));
    assert_eq!(ok(store.get(b"k7")), Some(b"small again".to_vec()));
}

pub(super) fn too_long_is_refused(rig: &mut dyn Rig) {
    let store = rig.store();
    let epoch = epoch(&*store);
    let new = || Batch::new(epoch.clone()).put("beside", "");
    let long = vec![b'k'; MAX_KEY_BYTES + 1];
    let refused = [
        new().put(long.clone(), ""),
        new().remove(long.clone()),
        new().require(Precondition::Absent(long.clone())),
        new().put("v", vec![0; MAX_VALUE_BYTES + 1]),
    ];
    for batch in refused {
        let result = commit_blocking(&*store, batch);
        assert!(
            matches!(result, Err(CommitError::TooLong { .. })),
            "{result:?}"
        );
    }
    assert!(store.open_epoch(&"a".repeat(MAX_KEY_BYTES + 1)).is_err());
    assert_eq!(
        ok(store.get(&long)),
        None,
        "reading what can't be there is no error"
    );
    assert!(all(&*store, b"", 10).is_empty());
    let longest = vec![b'k'; MAX_KEY_BYTES];
    commit(&*store, new().put(longest.clone(), value(10_000, 3)));
    assert_eq!(ok(store.get(&longest)), Some(value(10_000, 3)));
    assert_eq!(store.failure(), None, "a refusal finishes nothing");
}

pub(super) fn low_space_refuses_intake_only(rig: &mut dyn Rig) {
    let epoch = epoch(&*rig.store());
    assert!(ok(rig.store().space()).ok());
    commit(
        &*rig.store(),
        Batch::intake(epoch.clone()).put("before", ""),
    );
    rig.restart_short_of_space();
    let store = rig.store();
    assert!(!ok(store.space()).ok());
    let intake = Batch::intake(epoch.clone()).put("intake", "");
    let settle = Batch::new(epoch).put("settle", "");
    let mut results = commit_together(&*store, vec![settle, intake]);
    let refused = results.pop();
    assert!(
        matches!(refused, Some(Err(CommitError::LowSpace { .. }))),
        "{refused:?}"
    );
    assert!(matches!(results.pop(), Some(Ok(_))));
    assert_eq!(ok(store.get(b"intake")), None);
    assert!(
        store.open_epoch("a").is_ok(),
        "an owner may still take over"
    );
    drop(store);
    rig.restart();
    assert!(ok(rig.store().get(b"settle")).is_some());
}

pub(super) fn concurrent_counters(rig: &mut dyn Rig) {
    const THREADS: usize = 8;
    const STEPS: u64 = 40;
    let store = rig.store();
    let epoch = epoch(&*store);
    commit(
        &*store,
        Batch::new(epoch.clone()).put("n", 0u64.to_be_bytes()),
    );
    let increment = || {
        let mut done = 0;
        while done < STEPS {
            let old = ok(store.get(b"n")).unwrap_or_default();
            let number = ok(<[u8; 8]>::try_from(old.as_slice()));
            let batch = Batch::new(epoch.clone())
                .require(Precondition::Equals(b"n".to_vec(), old))
                .put("n", (u64::from_be_bytes(number) + 1).to_be_bytes());
            match commit_blocking(&*store, batch) {
                Ok(_) => done += 1,
                Err(CommitError::Conflict { .. }) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(increment);
        }
    });
    let total = (THREADS as u64 * STEPS).to_be_bytes().to_vec();
    assert_eq!(ok(store.get(b"n")), Some(total));
}
