//! What a start reads of a ledger that is full of delivered posts:
//! `cargo bench -p talaria-ledger --bench start`. Each line is a process of its own. The data lies
//! under `target/`, or under the folder that is given: `... --bench start -- /mnt/disk`.

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
use std::time::Instant;

use talaria_ledger::keys::{self, Tag};
use talaria_ledger::record::decode;
use talaria_ledger::records::{
    InboundRecord, Known, Phase, PostKind, PostRecord, Rev, Settlement, Wanted,
};
use talaria_ledger::store::{Batch, Epoch, LedgerId, SledOptions, SledStore, Store};
use talaria_ledger::{Changes, folder, store};
use talaria_types::{
    AccountId, Body, ChatId, Content, Handle, Inbound, InboundKey, MessageId, Place, PlaceKind,
    PostId, Sender, Seq, UserId, Wall,
};

const OPEN: u64 = 100;
const OWED: u64 = 100;
/// Conversations that the posts and inbounds belong to.
const CHATS: u64 = 50;
/// How many entries a page of the recovery reads.
const PAGE: usize = 256;
const RUNS: usize = 7;

fn account() -> AccountId {
    AccountId::new("test:7000000001")
}

fn place(n: u64) -> Place {
    Place {
        account: account(),
        kind: PlaceKind::Direct,
        chat: ChatId::new((5_000_000_000 + n % CHATS).to_string()),
        thread: None,
    }
}

fn open(root: &Path) -> SledStore {
    folder::open(root, SledOptions::default(), LedgerId([7; 16])).unwrap()
}

/// A post whose record has about 1 KB.
fn post(n: u64) -> PostRecord {
    let place = place(n);
    let id = PostId {
        origin: Seq(1 << 32 | n),
        ordinal: 0,
    };
    let (conversation, kind) = (place.conversation(None), PostKind::Answer);
    let mut post = PostRecord::new(id, conversation, place, kind, n, Wanted::Live, Wall(n));
    let words: Vec<String> = (0..64)
        .map(|word| format!("{:x}", n * 7919 + word))
        .collect();
    post.seal(Body::plain(words.join(" ")));
    post.reply_to = Some(MessageId::new((2 * n).to_string()));
    post
}

fn delivered(n: u64) -> PostRecord {
    let mut post = post(n);
    let handle = Handle {
        chat: post.place.chat.clone(),
        message: MessageId::new((2 * n + 1).to_string()),
    };
    post.known = Known::Here {
        handle,
        phase: Phase::Closed,
        rev: Rev::Sealed(1),
    };
    post.acknowledged = Some(1);
    post.settle(Settlement::Delivered, Wall(n));
    post
}

fn inbound(n: u64) -> InboundRecord {
    let place = place(n);
    InboundRecord {
        seq: Seq(2 << 32 | n),
        conversation: place.conversation(None),
        accepted: Wall(n),
        inbound: Inbound {
            key: InboundKey::new(format!("new:{}:{n}", place.chat)),
            aliases: Vec::new(),
            place,
            sender: Sender {
                id: UserId::new("5001"),
                name: None,
                is_bot: false,
            },
            content: Content::Text {
                text: "a message that waits".to_owned(),
            },
            message: Some(MessageId::new(n.to_string())),
            reply_to: None,
            sent: None,
        },
        end: None,
        unknown: Default::default(),
    }
}

fn commit(store: &SledStore, epoch: &Epoch, changes: Changes) {
    let batch = Batch {
        preconditions: changes.preconditions,
        puts: changes.puts,
        removes: changes.removes,
        ..Batch::new(epoch.clone())
    };
    store::commit_blocking(store, batch).unwrap();
}

/// Fills a ledger; returns the bytes of its last post.
fn fill(root: &Path, count: u64) -> usize {
    let store = open(root);
    let epoch = store.open_epoch(account().as_str()).unwrap();
    let mut size = 0;
    for start in (0..count).step_by(250) {
        let mut changes = Changes::new(account());
        for n in start..(start + 250).min(count) {
            changes.post(&delivered(n)).unwrap();
        }
        size = changes.puts.last().map_or(size, |(_, value)| value.len());
        commit(&store, &epoch, changes);
    }
    let mut changes = Changes::new(account());
    for n in 0..OWED {
        changes.post(&post(count + n)).unwrap();
    }
    for n in 0..OPEN {
        changes.inbound(&inbound(n)).unwrap();
    }
    commit(&store, &epoch, changes);
    size
}

/// Every entry under a prefix, page by page, as the recovery reads them.
fn scan(store: &dyn Store, prefix: &[u8]) -> Vec<(store::Key, store::Value)> {
    let mut all: Vec<(store::Key, store::Value)> = Vec::new();
    loop {
        let after = all.last().map(|(key, _)| key.clone());
        let page = store.scan(prefix, after.as_deref(), PAGE).unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

/// Opens the ledger and reads what a start reads; prints the milliseconds of each.
fn start(root: &Path) {
    let began = Instant::now();
    let store = open(root);
    let opened = began.elapsed();
    let index = |tag| scan(&store, &keys::prefix(&account(), tag));
    let (waiting, running, owed) = (index(Tag::Open), index(Tag::Running), index(Tag::Owed));
    let indexed = began.elapsed();
    assert_eq!(
        (waiting.len() as u64, running.len(), owed.len() as u64),
        (OPEN, 0, OWED)
    );
    for (_, key) in waiting {
        let key = InboundKey::new(String::from_utf8(key).unwrap());
        let bytes = store.get(&keys::inbound(&account(), &key)).unwrap();
        decode::<InboundRecord>(&bytes.unwrap()).unwrap();
    }
    for (key, _) in owed {
        let parts = keys::parts(&key);
        let id = PostId {
            origin: Seq(u64::from_str_radix(&parts[3], 16).unwrap()),
            ordinal: 0,
        };
        let bytes = store.get(&keys::post(&account(), id)).unwrap();
        decode::<PostRecord>(&bytes.unwrap()).unwrap();
    }
    let all = began.elapsed();
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    print!(
        "{:.1} {:.1} {:.1}",
        ms(opened),
        ms(indexed - opened),
        ms(all - indexed)
    );
}

/// The median and the largest of each column over `RUNS` processes.
fn measure(root: &Path) -> String {
    let run = || {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .arg("--start")
            .arg(root)
            .output()
            .unwrap();
        assert!(child.status.success(), "{child:?}");
        let text = String::from_utf8(child.stdout).unwrap();
        text.split(' ').map(|ms| ms.parse().unwrap()).collect()
    };
    let runs: Vec<Vec<f64>> = (0..RUNS).map(|_| run()).collect();
    let columns = (0..3).map(|column| {
        let mut values: Vec<f64> = runs.iter().map(|run| run[column]).collect();
        values.sort_by(f64::total_cmp);
        format!("{:>9.1} {:>8.1}", values[RUNS / 2], values[RUNS - 1])
    });
    columns.collect::<Vec<_>>().join("  ")
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if let [mode, root] = arguments.as_slice() {
        assert_eq!(mode, "--start");
        return start(Path::new(root));
    }
    let base = arguments
        .first()
        .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    std::fs::create_dir_all(&base).unwrap();

    println!(
        "a ledger with delivered posts, {OWED} owed ones and {OPEN} waiting inbounds in {CHATS} conversations;"
    );
    println!(
        "ms in {RUNS} processes, median and largest: opening, the three indexes, the {} records",
        OWED + OPEN
    );
    println!("delivered  bytes  disk MiB    opening           indexes            records");
    for count in [0, 1000, 100_000] {
        let folder = tempfile::tempdir_in(&base).unwrap();
        let size = fill(folder.path(), count);
        let columns = measure(folder.path());
        let used = open(folder.path()).space().unwrap().used >> 20;
        println!("{count:>9} {size:>6} {used:>9} {columns}");
    }
}
