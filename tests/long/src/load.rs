//! Many chats at once, and one after the other: latency, staleness, refusals, memory, CPU, start.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Parser;
use talaria_emulators::TelegramControl;
use talaria_emulators::anthropic::Outcome;
use talaria_emulators::now_us;
use talaria_harness::{Deadline, Rig};

use crate::floor::floor;
use crate::growth::{Emission, changes, growth};
use crate::latency::{Asked, Latency, Rounds, ask, one_by_one, requests, script, whole};
use crate::options::{Common, user};
use crate::table::{Samples, Table, ms};
use crate::texts::answer;
use crate::{latency, proc};

/// The speed of the model in the load runs, tokens a second.
const SPEED: f64 = 30.0;
/// The emulated model's delta: two tokens of four bytes.
const CHUNK: usize = 8;
/// An answer: about 300 words.
const TOKENS: usize = 400;

/// Answers to many chats at once, their latency and what they cost.
#[derive(Parser, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How many chats ask at once; may be given more than once.
    #[arg(long, default_values_t = [20, 50])]
    pub chats: Vec<usize>,
    /// Questions of the latency run.
    #[arg(long, default_value_t = 50)]
    pub messages: usize,
    /// How often the latency run is repeated; the quickest one is printed beside the rest.
    #[arg(long, default_value_t = 3)]
    pub repeat: usize,
    /// How often the start is measured.
    #[arg(long, default_value_t = 10)]
    pub starts: usize,
}

/// One run of many chats at once.
#[derive(Clone, Debug, Default)]
struct Load {
    chats: usize,
    refused: usize,
    equal: usize,
    requests: usize,
    edits: Samples,
    staleness: Samples,
    wrong: usize,
    to_model: Samples,
    to_screen: Samples,
    cpu: f64,
    idle: f64,
    peak: f64,
    anonymous: f64,
    threads: f64,
    seconds: f64,
    load_average: f64,
}

/// Runs everything and prints the section.
pub async fn run(options: Options, deadline: Deadline) {
    let mut loads = Vec::new();
    for chats in &options.chats {
        eprintln!("{chats} chats at once");
        loads.push(at_once(&options.common, *chats, &deadline).await);
    }
    let (latencies, starts) = one_after_the_other(&options, &deadline).await;
    eprintln!("the emulators' own share");
    let rounds = Rounds {
        messages: options.messages,
        first_number: 40_000,
        chats: 10,
        raw: true,
    };
    let mut floors = Vec::new();
    for _ in 0..options.repeat {
        floors.push(floor(rounds).await);
    }
    println!("## load\n\n{}", load_table(&loads));
    println!("{}", latency_table(&latencies, &floors));
    println!(
        "Start to first poll, {} starts on a small ledger: median {:.0} ms, least {:.0}, most {:.0}.",
        starts.len(),
        starts.median(),
        starts.min(),
        starts.max()
    );
}

async fn at_once(common: &Common, chats: usize, deadline: &Deadline) -> Load {
    let mut rig = Rig::started(common.setup(chats, SPEED), deadline).await;
    let (telegram, model) = (rig.telegram(), rig.model());
    polling(&telegram).await;
    let pid = rig.gateway().pid();
    let idle = proc::settled(pid).await;
    let markdowns: Vec<String> = (0..chats).map(|n| answer(n as u64, TOKENS)).collect();
    for (number, markdown) in markdowns.iter().enumerate() {
        script(&model, number, markdown, SPEED);
    }
    let (cpu, from_call, start) = (proc::cpu(pid), telegram.call_count(), now_us());
    let over = Arc::new(AtomicBool::new(false));
    let watching = tokio::spawn(watch_memory(pid, Arc::clone(&over)));
    let asked: Vec<Asked> = (0..)
        .zip(&markdowns)
        .map(|(number, markdown)| ask(&telegram, user(number), number, markdown))
        .collect();
    finished(&rig, chats).await;
    over.store(true, Ordering::Relaxed);
    let (peak, anonymous) = watching.await.expect("the watch of the memory");
    let mut load = Load {
        chats,
        idle,
        peak: peak.max(proc::peak(pid)),
        anonymous,
        threads: proc::threads(pid),
        cpu: proc::cpu(pid) - cpu,
        seconds: ms(start, now_us()) / 1000.0,
        load_average: proc::load_average(),
        ..Load::default()
    };
    judge(&rig, &asked, from_call, &mut load);
    rig.terminate().await;
    load
}

/// Reads a run from the logs.
fn judge(rig: &Rig, asked: &[Asked], from_call: u64, load: &mut Load) {
    let (telegram, model) = (rig.telegram(), rig.model());
    let requests = requests(&model);
    let changes = changes(&telegram, from_call);
    load.refused = refused(&telegram, from_call);
    load.requests = model.request_count();
    for asked in asked {
        load.equal += usize::from(whole(&telegram, asked));
        let Some(request) = requests
            .get(&asked.number)
            .and_then(|requests| requests.first())
        else {
            continue;
        };
        load.to_model.add(ms(asked.at_us, request.at_us));
        let (Some(changes), Some(emission)) = (
            changes.get(&asked.user),
            Emission::new(&asked.markdown, CHUNK, request),
        ) else {
            continue;
        };
        let growth = growth(changes, &emission);
        load.wrong += growth.wrong;
        load.staleness.extend(growth.staleness.values());
        #[expect(clippy::cast_precision_loss, reason = "a few calls")]
        load.edits.add(growth.calls.saturating_sub(1) as f64);
        let emitted = request.last_delta_us.unwrap_or_default();
        load.to_screen.add(ms(emitted, growth.final_us));
    }
}

/// How many calls since `from_call` were answered 429.
pub(crate) fn refused(telegram: &TelegramControl, from_call: u64) -> usize {
    let calls = telegram.calls_from(from_call);
    calls.iter().filter(|call| call.status == 429).count()
}

/// Waits until the gateway polls.
pub(crate) async fn polling(telegram: &TelegramControl) {
    let is = |telegram: &TelegramControl| telegram.is_polling().unwrap_or(false);
    let polls = telegram.wait_until(Duration::from_secs(30), is).await;
    assert!(polls, "the gateway does not poll");
}

/// Waits until the model has ended so many answers and no call has come for two seconds.
pub(crate) async fn finished(rig: &Rig, answers: usize) {
    let limit = Duration::from_secs(180);
    let all = rig
        .model()
        .wait_until(limit, |model| model.count(Outcome::Finished) >= answers)
        .await;
    assert!(all, "the model was not asked by all chats");
    let telegram = rig.telegram();
    let calls = || {
        let calls = telegram.calls_from(0);
        calls.iter().filter(|call| call.chat.is_some()).count()
    };
    let (mut last, mut quiet) = (calls(), 0);
    for _ in 0..300 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = calls();
        quiet = if now == last { quiet + 1 } else { 0 };
        last = now;
        if quiet >= 10 {
            return;
        }
    }
    panic!("calls go on for ever");
}

/// The highest resident memory, and the anonymous part then.
async fn watch_memory(pid: i32, over: Arc<AtomicBool>) -> (f64, f64) {
    let mut highest = (0.0, 0.0);
    while !over.load(Ordering::Relaxed) {
        let now = proc::resident(pid);
        if now > highest.0 {
            highest = (now, proc::anonymous(pid));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    highest
}

async fn one_after_the_other(options: &Options, deadline: &Deadline) -> (Vec<Latency>, Samples) {
    let chats = 10;
    let mut rig = Rig::started(options.common.setup(chats, SPEED), deadline).await;
    let (telegram, model) = (rig.telegram(), rig.model());
    polling(&telegram).await;
    let mut latencies = Vec::new();
    for round in 0..options.repeat {
        eprintln!("one after the other, round {round}");
        let rounds = Rounds {
            messages: options.messages,
            first_number: 10_000 + round * options.messages,
            chats,
            raw: false,
        };
        let before = proc::sync_ms(rig.folder()).expect("a write to the disk");
        let mut latency = one_by_one(&telegram, &model, rounds).await;
        let after = proc::sync_ms(rig.folder()).expect("a write to the disk");
        latency.sync = before.midpoint(after);
        latencies.push(latency);
    }
    let mut starts = Samples::default();
    for _ in 0..options.starts {
        rig.terminate().await;
        let (from_call, start) = (telegram.call_count(), now_us());
        rig.launch(&[]);
        polling(&telegram).await;
        let poll = telegram
            .calls_from(from_call)
            .into_iter()
            .find(|call| call.method == "getUpdates")
            .expect("a poll");
        starts.add(ms(start, poll.at_us));
    }
    rig.terminate().await;
    (latencies, starts)
}

fn load_table(loads: &[Load]) -> String {
    let head = ["what".to_owned()]
        .into_iter()
        .chain(loads.iter().map(|load| format!("{} chats", load.chats)));
    let mut table = Table::of(head.collect());
    let mut row = |what: &str, cell: &dyn Fn(&Load) -> String| {
        let cells = loads.iter().map(cell);
        table.row([what.to_owned()].into_iter().chain(cells).collect());
    };
    row("calls answered 429", &|load| load.refused.to_string());
    row("answers equal to the model's", &|load| {
        format!("{} of {}", load.equal, load.chats)
    });
    row("model requests", &|load| load.requests.to_string());
    row("screens that showed something else on the way", &|load| {
        load.wrong.to_string()
    });
    row("edits an answer, median (most)", &|load| {
        format!("{:.0} ({:.0})", load.edits.median(), load.edits.max())
    });
    row("staleness, median / p95", &|load| {
        let (median, high) = (load.staleness.median(), load.staleness.percentile(95.0));
        format!("{median:.2} / {high:.2} s")
    });
    row("message to first model request, p50 / p99", &|load| {
        two(&load.to_model)
    });
    row("last token to final text, p50 / p99", &|load| {
        two(&load.to_screen)
    });
    row("CPU of the gateway", &|load| format!("{:.2} s", load.cpu));
    row("resident memory, idle", &|load| {
        format!("{:.1} MiB", load.idle)
    });
    row("resident memory, most (anonymous)", &|load| {
        format!("{:.1} ({:.1}) MiB", load.peak, load.anonymous)
    });
    row("threads", &|load| format!("{:.0}", load.threads));
    row("the run took", &|load| format!("{:.1} s", load.seconds));
    row("load average of the machine", &|load| {
        format!("{:.1}", load.load_average)
    });
    table.markdown()
}

fn two(samples: &Samples) -> String {
    format!(
        "{:.1} / {:.1} ms",
        samples.median(),
        samples.percentile(99.0)
    )
}

fn latency_table(latencies: &[Latency], floors: &[Latency]) -> String {
    let mut table = Table::new([
        "one question at a time",
        "message to model, p50 / p99",
        "last token to final text, p50 / p99",
        "load average",
        "a durable write of 4 KiB",
    ]);
    let mut add = |what: &str, latency: &latency::Latency| {
        table.row(vec![
            what.to_owned(),
            two(&latency.to_model),
            two(&latency.to_screen),
            format!("{:.1} to {:.1}", latency.load.0, latency.load.1),
            if latency.sync > 0.0 {
                format!("{:.1} ms", latency.sync)
            } else {
                "none".to_owned()
            },
        ]);
    };
    for latency in latencies {
        add("gateway", latency);
    }
    for floor in floors {
        add(
            "emulators' own share (a loop that polls, asks, sends)",
            floor,
        );
    }
    let least = |all: &[Latency], of: fn(&Latency) -> &Samples| -> f64 {
        let medians = all.iter().map(|latency| of(latency).median());
        medians.fold(f64::NAN, f64::min)
    };
    let beside = |of: fn(&Latency) -> &Samples| least(latencies, of) - least(floors, of);
    format!(
        "{}\nBeside the emulators' own share, p50 of the quickest round: {:.1} ms to the model, {:.1} ms to the screen.\n",
        table.markdown(),
        beside(|latency| &latency.to_model),
        beside(|latency| &latency.to_screen),
    )
}
