//! SIGKILL against the embedded store. A child process commits groups of linked keys from several
//! threads and says each acknowledgement on its standard output; it is killed at some point; what
//! it acknowledged must be there, and every group whole.
//!
//! The child is this test binary again, running the ignored test `child`.

#![expect(clippy::disallowed_methods, reason = "tests of the store itself")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use talaria_ledger::folder;
use talaria_ledger::store::{
    Batch, Epoch, LedgerId, Precondition, SledOptions, SledStore, Store, commit_blocking,
};

const ID: LedgerId = LedgerId([7; 16]);
const THREADS: u64 = 6;
const ROUNDS: usize = 8;
const PATIENCE: Duration = Duration::from_secs(60);
/// The linked values of a group, in bytes: inside one record, at its edge, and in chunks.
const SIZES: [usize; 5] = [1, 1500, 4096, 16_000, 70_000];

fn open(root: &Path) -> SledStore {
    folder::open(root, SledOptions::default(), ID).unwrap()
}

fn counter(thread: u64) -> Vec<u8> {
    format!("{thread}/n").into_bytes()
}

fn key(thread: u64, n: usize) -> Vec<u8> {
    format!("{thread}/v{n}").into_bytes()
}

/// The group's values after `step`: of sizes that grow and shrink, one of them absent by turns.
fn values(thread: u64, step: u64) -> Vec<Option<Vec<u8>>> {
    let shift = usize::try_from(step).unwrap();
    let size = |n: usize| SIZES[(n + shift) % SIZES.len()];
    let seed = (thread * 31 + step) as u8;
    let one = |n: usize| (n != shift % SIZES.len()).then(|| vec![seed; size(n)]);
    (0..SIZES.len()).map(one).collect()
}

fn group(epoch: &Epoch, thread: u64, step: u64) -> Batch {
    let batch = Batch::new(epoch.clone()).put(counter(thread), step.to_be_bytes());
    let batch = match step {
        1 => batch.require(Precondition::Absent(counter(thread))),
        _ => {
            let before = (step - 1).to_be_bytes().to_vec();
            batch.require(Precondition::Equals(counter(thread), before))
        }
    };
    let values = values(thread, step).into_iter().enumerate();
    values.fold(batch, |batch, (n, value)| match value {
        Some(value) => batch.put(key(thread, n), value),
        None => batch.remove(key(thread, n)),
    })
}

fn step(store: &dyn Store, thread: u64) -> u64 {
    let stored = store.get(&counter(thread)).unwrap();
    stored.map_or(0, |bytes| u64::from_be_bytes(bytes.try_into().unwrap()))
}

/// Commits until it is killed. Its working folder is the data folder.
#[test]
#[ignore = "the process that is killed; started by the test below"]
fn child() {
    let store = open(Path::new("data"));
    let epoch = store.open_epoch("a").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, epoch) = (&store, &epoch);
            scope.spawn(move || {
                for step in step(store, thread) + 1.. {
                    commit_blocking(store, group(epoch, thread, step)).unwrap();
                    // One write: lines of different threads stay whole.
                    let line = format!("\nack {thread} {step}\n");
                    std::io::stdout().write_all(line.as_bytes()).unwrap();
                }
            });
        }
    });
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // SIGKILL; both fail only if it has ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Runs a child for `acks` acknowledgements, kills it, and returns the last step that it
/// acknowledged for each thread.
fn run_and_kill(root: &Path, acks: usize) -> BTreeMap<u64, u64> {
    let child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "child",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = Killed(child);
    let output = BufReader::new(child.0.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    let reader = std::thread::Builder::new().name("reader".to_owned());
    let reader = reader.spawn(move || {
        output
            .lines()
            .try_for_each(|line| sender.send(line.unwrap()))
    });

    let mut last = BTreeMap::new();
    let mut note = |line: String| -> usize {
        let Some(ack) = line.strip_prefix("ack ") else {
            return 0;
        };
        let (thread, step) = ack.split_once(' ').unwrap();
        last.insert(thread.parse().unwrap(), step.parse().unwrap());
        1
    };
    let mut seen = 0;
    while seen < acks {
        seen += note(
            lines
                .recv_timeout(PATIENCE)
                .expect("the child writes until it is killed"),
        );
    }
    drop(child);
    // What was said before the kill and is still in the pipe counts too.
    while let Ok(line) = lines.recv_timeout(PATIENCE) {
        note(line);
    }
    reader.unwrap().join().unwrap().unwrap();
    last
}

#[test]
fn acknowledged_groups_survive_a_kill_and_every_group_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut total = 0;
    for round in 0..ROUNDS {
        let acked = run_and_kill(folder.path(), 1 + round * 29);
        let store = open(&data);
        for thread in 0..THREADS {
            let step = step(&store, thread);
            let acked = acked.get(&thread).copied().unwrap_or(0);
            assert!(
                step >= acked,
                "round {round}: step {acked} of {thread} is lost, {step} is there"
            );
            if step == 0 {
                continue;
            }
            for (n, value) in values(thread, step).into_iter().enumerate() {
                let stored = store.get(&key(thread, n)).unwrap();
                assert!(
                    stored == value,
                    "round {round}: value {n} of {thread} is not of step {step}"
                );
            }
            total = total.max(step);
        }
        assert_eq!(
            std::fs::read_dir(store.path().join("blobs"))
                .unwrap()
                .count(),
            0
        );
        let epoch = store.open_epoch("a").unwrap();
        let openings = 2 * (round as u64 + 1);
        assert_eq!(
            epoch.number, openings,
            "every opening of an epoch is durable"
        );
    }
    assert!(total > 1, "the children made progress");
}
