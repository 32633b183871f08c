//! What a commit and an opening cost on this machine's disk. Prints a table:
//! `cargo bench -p talaria-ledger`. The data lies under `target/`, or under the folder that is
//! given: `cargo bench -p talaria-ledger -- /mnt/disk`.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark of the store itself, by the clock"
)]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints or dies"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use talaria_ledger::folder;
use talaria_ledger::store::{
    Batch, Epoch, LedgerId, Precondition, SledOptions, SledStore, Store, commit_blocking,
};

const SECONDS: u64 = 4;
const DELIVERED: u32 = 100_000;
const MIB: u64 = 1 << 20;

fn open(root: &Path, cache_mib: u64) -> SledStore {
    let options = SledOptions {
        cache_bytes: cache_mib * MIB,
        ..SledOptions::default()
    };
    folder::open(root, options, LedgerId([7; 16])).unwrap()
}

/// A fresh data folder that goes when the benchmark does.
fn fresh(base: &Path) -> tempfile::TempDir {
    tempfile::tempdir_in(base).unwrap()
}

/// Bytes that do not compress and differ from record to record.
fn body(size: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    std::iter::repeat_with(next).take(size).collect()
}

/// One commit as the gateway makes them: a new record with a body, an index entry, a counter.
fn commit(store: &SledStore, epoch: &Epoch, writer: usize, n: u64, body: &[u8]) {
    let record = format!("a/post/{writer:03}/{n:012}").into_bytes();
    let batch = Batch::new(epoch.clone())
        .require(Precondition::Absent(record.clone()))
        .put(record, body)
        .put(format!("a/owed/{writer:03}/{n:012}"), "")
        .put(format!("a/at/{writer:03}"), n.to_be_bytes());
    commit_blocking(store, batch).unwrap();
}

/// The resident memory of this process, in MiB: (all, anonymous).
fn resident() -> (f64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let kib = |name: &str| -> f64 {
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    (kib("VmRSS:") / 1024.0, kib("RssAnon:") / 1024.0)
}

fn quantile(sorted: &[Duration], q: f64) -> f64 {
    let at = ((sorted.len() - 1) as f64 * q) as usize;
    sorted[at].as_secs_f64() * 1e3
}

fn commits(base: &Path, writers: usize, size: usize, cache_mib: u64) {
    let folder = fresh(base);
    let store = open(folder.path(), cache_mib);
    let epoch = store.open_epoch("a").unwrap();
    let body = body(size, 1);
    let began = Instant::now();
    let end = began + Duration::from_secs(SECONDS);
    let mut latencies: Vec<Duration> = std::thread::scope(|scope| {
        let (store, epoch, body) = (&store, &epoch, &body);
        let run = move |writer: usize| {
            let mut latencies = Vec::new();
            for n in 0.. {
                let began = Instant::now();
                if began >= end {
                    break;
                }
                commit(store, epoch, writer, n, body);
                latencies.push(began.elapsed());
            }
            latencies
        };
        let threads: Vec<_> = (0..writers).map(|w| scope.spawn(move || run(w))).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    let per_second = latencies.len() as f64 / began.elapsed().as_secs_f64();
    latencies.sort();
    let (p50, p99) = (quantile(&latencies, 0.5), quantile(&latencies, 0.99));
    let used = store.space().unwrap().used as f64;
    let times = used / (latencies.len() * size) as f64;
    println!(
        "{writers:>7} {size:>7} {cache_mib:>9} {per_second:>10.0} {p50:>8.2} {p99:>8.2} {times:>10.1}",
    );
}

/// Fills a ledger with delivered posts, as retention keeps them: post, index entry.
fn fill(root: &Path, count: u32) {
    let store = open(root, 8);
    let epoch = store.open_epoch("a").unwrap();
    for start in (0..count).step_by(500) {
        let posts = start..(start + 500).min(count);
        let batch = posts.fold(Batch::new(epoch.clone()), |batch, n| {
            batch
                .put(format!("a/post/{n:012}"), body(1500, u64::from(n)))
                .put(
                    format!("a/handle/{:012}", n.wrapping_mul(2_654_435_761)),
                    n.to_be_bytes(),
                )
        });
        commit_blocking(&store, batch).unwrap();
    }
}

/// Opens and reads what a start reads, here a prefix with nothing in it; the milliseconds of it.
fn opening(root: &Path, cache_mib: u64) -> (SledStore, f64) {
    let began = Instant::now();
    let store = open(root, cache_mib);
    assert!(store.scan(b"a/due/", None, 100).unwrap().is_empty());
    (store, began.elapsed().as_secs_f64() * 1e3)
}

/// Runs this program again for one opening, as a start would: a process of its own.
fn alone(mode: &str, root: &Path, cache_mib: u64) -> String {
    let this = std::env::current_exe().unwrap();
    let child = std::process::Command::new(this)
        .args([mode, &cache_mib.to_string()])
        .arg(root)
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    String::from_utf8(child.stdout).unwrap()
}

/// Opens, then works, then ends as a crash would: nothing is closed or dropped.
fn open_and_crash(root: &Path, cache_mib: u64) -> ! {
    let before = resident();
    let (store, took) = opening(root, cache_mib);
    let idle = resident();
    // A busy while: every record read once, then 2000 commits.
    let mut after: Option<Vec<u8>> = None;
    loop {
        let page = store.scan(b"", after.as_deref(), 500).unwrap();
        let Some((key, _)) = page.last() else { break };
        after = Some(key.clone());
    }
    let epoch = store.open_epoch("b").unwrap();
    let body = body(1500, 2);
    (0..2000).for_each(|n| commit(&store, &epoch, 0, n, &body));
    let busy = resident();
    let (idle_own, busy_own) = (idle.1 - before.1, busy.1 - before.1);
    print!(
        "{took:>8.1} {:>8.1} {idle_own:>8.1} {:>8.1} {busy_own:>8.1}",
        idle.0, busy.0
    );
    std::process::exit(0);
}

fn openings(base: &Path, name: &str, count: u32) {
    for cache_mib in [8, 32] {
        let folder = fresh(base);
        fill(folder.path(), count);
        let line = alone("--open", folder.path(), cache_mib);
        let unclean = alone("--reopen", folder.path(), cache_mib);
        let used = open(folder.path(), cache_mib).space().unwrap().used / MIB;
        println!("{name:<16} {cache_mib:>9} {line} {unclean:>8} {used:>9}");
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if let [mode, cache, root] = arguments.as_slice() {
        let (root, cache_mib) = (Path::new(root), cache.parse().unwrap());
        match mode.as_str() {
            "--open" => open_and_crash(root, cache_mib),
            "--reopen" => return print!("{:.1}", opening(root, cache_mib).1),
            other => panic!("unknown mode {other}"),
        }
    }
    let base = arguments
        .first()
        .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    std::fs::create_dir_all(&base).unwrap();

    println!("commits for {SECONDS} s each; a commit is a record, an index entry and a counter");
    println!("writers   bytes cache MiB  commits/s   p50 ms   p99 ms  disk/data");
    for cache_mib in [8, 32] {
        for size in [1500, 16_000] {
            for writers in [1, 64] {
                commits(&base, writers, size, cache_mib);
            }
        }
    }

    println!();
    println!(
        "opening in a fresh process until the first read is answered: after a clean close, and"
    );
    println!("after a crash; resident MiB of the process, and the store's share of it");
    println!(
        "store            cache MiB clean ms     idle    store     busy    store crash ms  disk MiB"
    );
    openings(&base, "10 records", 10);
    openings(&base, "1,000 records", 1000);
    openings(&base, "100,000 records", DELIVERED);
}
