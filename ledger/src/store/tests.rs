//! Both stores against the suite, and against each other.

#![expect(clippy::disallowed_methods, reason = "tests of the store itself")]

use std::sync::Arc;

use proptest::prelude::*;

use super::conformance::{self, Rig};
use super::*;

const ID: LedgerId = LedgerId([7; 16]);

struct MemoryRig(Arc<MemoryStore>);

impl MemoryRig {
    fn new() -> Self {
        Self(Arc::new(MemoryStore::new(ID)))
    }
}

impl Rig for MemoryRig {
    fn store(&self) -> Arc<dyn Store> {
        self.0.clone()
    }
    fn restart(&mut self) {
        self.0 = Arc::new(MemoryStore::from_state(self.0.state()));
    }
    fn restart_short_of_space(&mut self) {
        self.restart();
        self.0.set_space(Space {
            free: 1,
            low_water: 2,
            used: 0,
        });
    }
}

struct SledRig {
    folder: tempfile::TempDir,
    store: Option<Arc<SledStore>>,
}

impl SledRig {
    fn new() -> Self {
        let mut this = Self {
            folder: tempfile::tempdir().unwrap(),
            store: None,
        };
        this.open(SledOptions::default());
        this
    }

    fn open(&mut self, options: SledOptions) {
        if let Some(store) = self.store.take() {
            assert!(
                Arc::into_inner(store).is_some(),
                "somebody kept the store over a restart"
            );
        }
        let store = crate::folder::open(self.folder.path(), options, ID).unwrap();
        self.store = Some(Arc::new(store));
    }
}

impl Rig for SledRig {
    fn store(&self) -> Arc<dyn Store> {
        self.store.clone().unwrap()
    }
    fn restart(&mut self) {
        self.open(SledOptions::default());
    }
    fn restart_short_of_space(&mut self) {
        self.open(SledOptions {
            low_water_bytes: u64::MAX,
            ..SledOptions::default()
        });
    }
}

impl Drop for SledRig {
    fn drop(&mut self) {
        // No case may have made a file that no sync covers.
        let blobs = self.folder.path().join("ledger-1/blobs");
        let strays = std::fs::read_dir(blobs).unwrap().count();
        assert!(strays == 0 || std::thread::panicking());
    }
}

#[test]
fn the_memory_store_conforms() {
    conformance::run_all(MemoryRig::new);
}

#[test]
fn the_sled_store_conforms() {
    conformance::run_all(SledRig::new);
}

#[test]
fn a_failed_memory_store_answers_its_failure() {
    let store = MemoryStore::new(ID);
    let epoch = store.open_epoch("").unwrap();
    store.fail(StoreError::Panicked);
    store.fail(StoreError::Closed);
    let failed = Err(CommitError::Failed(StoreError::Panicked));
    assert_eq!(commit_blocking(&store, Batch::new(epoch)), failed);
    assert_eq!(store.get(b"k"), Err(StoreError::Panicked));
    assert_eq!(
        store.failure(),
        Some(StoreError::Panicked),
        "the first failure stays"
    );
}

#[test]
fn a_ledger_id_is_32_digits_and_shares_its_first_four_bytes() {
    let id = LedgerId([0, 1, 2, 0xff, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    assert_eq!(id.to_string(), "000102ff0405060708090a0b0c0d0e0f");
    assert_eq!(id.short(), [0, 1, 2, 0xff]);
}

#[derive(Clone, Debug)]
enum Op {
    /// Commits that are queued together; an epoch's number says how far it lags behind.
    Commits(Vec<Batch>),
    OpenEpoch,
    Scan {
        prefix: Key,
        after: Option<Key>,
        limit: usize,
    },
    Restart,
}

fn key() -> impl Strategy<Value = Key> {
    // Few keys, so that they meet; some begin alike.
    prop_oneof![
        prop::collection::vec(0u8..3, 0..3),
        prop::collection::vec(254u8.., 1..3),
        Just(vec![b'k'; MAX_KEY_BYTES]),
    ]
}

fn stored() -> impl Strategy<Value = Value> {
    let size = prop_oneof![Just(0), 1usize..20, 4090usize..4100, 8000usize..20_000];
    (size, any::<u8>()).prop_map(|(size, seed)| vec![seed; size])
}

fn batch() -> impl Strategy<Value = Batch> {
    let precondition = prop_oneof![
        key().prop_map(Precondition::Absent),
        key().prop_map(Precondition::Present),
        (key(), stored()).prop_map(|(key, value)| Precondition::Equals(key, value)),
    ];
    (
        prop_oneof![9 => Just(0u64), 1 => 1u64..3],
        prop::collection::vec(precondition, 0..2),
        prop::collection::vec((key(), stored()), 0..4),
        prop::collection::vec(key(), 0..3),
    )
        .prop_map(|(number, preconditions, puts, removes)| {
            let epoch = Epoch {
                account: "a".to_owned(),
                number,
            };
            Batch {
                preconditions,
                puts,
                removes,
                ..Batch::new(epoch)
            }
        })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => prop::collection::vec(batch(), 1..5).prop_map(Op::Commits),
        1 => Just(Op::OpenEpoch),
        3 => (key(), proptest::option::of(key()), 0usize..6)
            .prop_map(|(prefix, after, limit)| Op::Scan { prefix, after, limit }),
        1 => Just(Op::Restart),
    ]
}

fn queue(store: &dyn Store, batches: &[Batch]) -> Vec<Result<Durable, CommitError>> {
    let (sender, receiver) = mpsc::channel();
    for (n, batch) in batches.iter().enumerate() {
        let sender = sender.clone();
        let done: Done = Box::new(move |result| sender.send((n, result)).unwrap());
        store.submit(batch.clone(), done);
    }
    drop(sender);
    let mut answers: Vec<_> = receiver.iter().collect();
    answers.sort_by_key(|(n, _)| *n);
    answers.into_iter().map(|(_, result)| result).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_sled_store_does_what_the_oracle_does(mut ops in prop::collection::vec(op(), 1..40)) {
        ops.insert(0, Op::OpenEpoch);
        let (mut sled, mut oracle) = (SledRig::new(), MemoryRig::new());
        let mut current = 0u64;
        for op in ops {
            match op {
                Op::Commits(mut batches) => {
                    for batch in &mut batches {
                        batch.epoch.number = current.saturating_sub(batch.epoch.number);
                    }
                    prop_assert_eq!(
                        queue(&*sled.store(), &batches),
                        queue(&*oracle.store(), &batches)
                    );
                }
                Op::OpenEpoch => {
                    let opened = sled.store().open_epoch("a").unwrap();
                    current += 1;
                    prop_assert_eq!(opened.number, current);
                    prop_assert_eq!(opened, oracle.store().open_epoch("a").unwrap());
                }
                Op::Scan { prefix, after, limit } => prop_assert_eq!(
                    sled.store().scan(&prefix, after.as_deref(), limit),
                    oracle.store().scan(&prefix, after.as_deref(), limit)
                ),
                Op::Restart => {
                    sled.restart();
                    oracle.restart();
                }
            }
        }
        let everything = sled.store().scan(b"", None, usize::MAX);
        prop_assert_eq!(everything, oracle.store().scan(b"", None, usize::MAX));
    }
}
