//! A start on a ledger with a past: how long until it is ready and polls, and that nothing which was
//! delivered is sent again.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Parser;
use talaria_emulators::{TelegramControl, now_us};
use talaria_harness::{Deadline, Rig};

use crate::load::polling;
use crate::options::Common;
use crate::proc;
use crate::seed::{CONVERSATIONS, Past, owed_text, seed};
use crate::table::{Samples, Table, ms};

/// Starts on a ledger with many delivered answers.
#[derive(Parser, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    #[arg(long, default_value_t = 100_000)]
    pub delivered: usize,
    #[arg(long, default_value_t = 100)]
    pub owed: usize,
    /// How many starts; what is owed is delivered after the first one.
    #[arg(long, default_value_t = 5)]
    pub starts: usize,
}

/// Runs everything and prints the section.
///
/// # Panics
/// If something delivered is sent again, or something owed is not sent exactly once.
pub async fn run(options: Options, deadline: Deadline) {
    let mut rig = Rig::new(options.common.setup(CONVERSATIONS, 2000.0), &deadline).await;
    let telegram = rig.telegram();
    let bot_id = talaria_harness::setup::TOKEN
        .split_once(':')
        .and_then(|(id, _)| id.parse().ok())
        .expect("the bot's id");
    eprintln!("writing {} delivered answers", options.delivered);
    let past = Past {
        delivered: options.delivered,
        owed: options.owed,
        now_ms: now_ms(),
    };
    let root = rig.data_dir();
    tokio::task::spawn_blocking(move || seed(&root, bot_id, past))
        .await
        .expect("a ledger with a past");
    let (mut to_ready, mut to_poll, mut memory) =
        (Samples::default(), Samples::default(), Samples::default());
    let mut to_sent = 0.0;
    for start in 0..options.starts {
        eprintln!("start {start}");
        let (from_call, at) = (telegram.call_count(), now_us());
        rig.launch(&[]);
        let ready = ready(&rig).await;
        to_ready.add(ms(at, ready));
        polling(&telegram).await;
        let calls = telegram.calls_from(from_call);
        let poll = calls.iter().find(|call| call.method == "getUpdates");
        to_poll.add(ms(at, poll.expect("a poll").at_us));
        if start == 0 {
            to_sent = ms(at, all_sent(&telegram, options.owed).await) / 1000.0;
        }
        rig.quiet(Duration::from_secs(60)).await;
        memory.add(proc::resident(rig.gateway().pid()));
        rig.kill().await;
    }
    judge(&telegram, past);
    let mut table = Table::new(["what", "first start", "later, median", "later, most"]);
    let mut row = |what: &str, samples: &Samples, unit: &str| {
        let later: Samples = samples.values().skip(1).collect();
        let first = samples.values().next().unwrap_or(f64::NAN);
        let figures = [first, later.median(), later.max()];
        let cells = figures.map(|figure| format!("{figure:.0} {unit}"));
        table.row([what.to_owned()].into_iter().chain(cells).collect());
    };
    row("start to /readyz ok", &to_ready, "ms");
    row("start to first poll", &to_poll, "ms");
    row("resident memory afterwards", &memory, "MiB");
    println!(
        "## start\n\nA ledger with {} delivered answers and {} that are owed, {} starts after SIGKILL. The {} owed ones were sent once each within {to_sent:.1} s of the first start (the platform's limit: 30 a second); nothing that was delivered was sent again. Load average {:.1}; the first start comes right after the ledger was written.\n\n{}",
        options.delivered,
        options.owed,
        options.starts,
        options.owed,
        proc::load_average(),
        table.markdown()
    );
}

fn now_ms() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(0)
}

/// Waits until /readyz says ok; returns when that was.
async fn ready(rig: &Rig) -> u64 {
    let address = rig.address().await;
    loop {
        let (status, body) = rig.get("/readyz", &address).await;
        if status == 200 {
            return now_us();
        }
        assert!(!body.is_empty(), "no answer from /readyz");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Waits until so many messages were created; returns when the last one was.
async fn all_sent(telegram: &TelegramControl, owed: usize) -> u64 {
    let sent = |telegram: &TelegramControl| creates(telegram).len() >= owed;
    let all = telegram.wait_until(Duration::from_secs(60), sent).await;
    assert!(all, "only {} of {owed} were sent", creates(telegram).len());
    now_us()
}

fn creates(telegram: &TelegramControl) -> Vec<String> {
    let calls = telegram.calls();
    calls
        .iter()
        .filter(|call| call.method == "sendMessage" && call.effect)
        .filter_map(|call| call.params["text"].as_str().map(str::to_owned))
        .collect()
}

fn judge(telegram: &TelegramControl, past: Past) {
    let mut sent: BTreeMap<String, usize> = BTreeMap::new();
    for text in creates(telegram) {
        *sent.entry(text).or_default() += 1;
    }
    for number in past.delivered..past.delivered + past.owed {
        let count = sent.remove(&owed_text(number));
        assert_eq!(count, Some(1), "owed answer {number}");
    }
    assert!(sent.is_empty(), "sent without being owed: {sent:?}");
    let changed = telegram
        .calls()
        .iter()
        .filter(|call| matches!(call.method.as_str(), "editMessageText" | "deleteMessage"))
        .count();
    assert_eq!(changed, 0, "something delivered was touched");
}
