//! The control of the limits: a client that keeps 95 % of them is never refused, one at 105 % is,
//! and the gateway under more than it may send is not.

use std::time::Duration;

use clap::Parser;
use serde_json::json;
use talaria_emulators::{TelegramEmulator, TelegramOptions};
use talaria_harness::setup::TOKEN;
use talaria_harness::{Deadline, Rig};

use crate::floor::Client;
use crate::latency::{ask, script, whole};
use crate::load::{finished, polling, refused};
use crate::options::{Common, user};
use crate::table::Table;
use crate::texts::answer;

/// What the emulated platform permits a bot, calls a second (Bots FAQ).
const PERMITTED: f64 = 30.0;
/// How many calls it takes at once; they are used up before the rate is measured.
const BURST: u32 = 30;
const CHATS: usize = 60;

/// Shows that the emulated limits bite, and that the gateway keeps them.
#[derive(Parser, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How long the client sends at each rate.
    #[arg(long, default_value_t = 30)]
    pub seconds: u64,
}

/// Runs everything and prints the section.
///
/// # Panics
/// If 95 % is refused, 105 % is not, or the gateway is.
pub async fn run(options: Options, deadline: Deadline) {
    let mut table = Table::new(["who", "message calls", "a second", "answered 429"]);
    let low = client(0.95, options.seconds).await;
    let high = client(1.05, options.seconds).await;
    let gateway = gateway(&options.common, &deadline).await;
    let rows = [
        ("a client at 95 % of the bot's limit", &low),
        ("a client at 105 %", &high),
        ("the gateway, 60 answers at once", &gateway),
    ];
    for (who, found) in rows {
        table.row(vec![
            who.to_owned(),
            found.calls.to_string(),
            format!("{:.1}", found.rate),
            found.refused.to_string(),
        ]);
    }
    println!("## control\n\n{}", table.markdown());
    assert_eq!(low.refused, 0, "95 % of the limit was refused");
    assert!(high.refused > 0, "105 % of the limit was not refused");
    assert_eq!(gateway.refused, 0, "the gateway went over a limit");
}

struct Found {
    calls: usize,
    rate: f64,
    refused: usize,
}

/// Sends to many chats in turn, at `share` of the bot's limit, after its burst is used up.
async fn client(share: f64, seconds: u64) -> Found {
    let telegram = TelegramEmulator::start(TelegramOptions::with_bot(TOKEN, "control_bot"))
        .await
        .expect("the platform");
    for chat in 0..CHATS {
        telegram.control().add_user(user(chat), "User", None);
    }
    let client = Client::new(&telegram.api_url());
    let start = tokio::time::Instant::now();
    let mut sent = 0u32;
    let mut calls = tokio::task::JoinSet::new();
    while start.elapsed() < Duration::from_secs(seconds) {
        // The burst at once but for two calls of leeway, then evenly.
        let due = f64::from((sent + 3).saturating_sub(BURST)) / (PERMITTED * share);
        tokio::time::sleep_until(start + Duration::from_secs_f64(due)).await;
        let chat = user(usize::try_from(sent).unwrap_or(0) % CHATS);
        let (client, body) = (
            client.clone(),
            json!({"chat_id": chat, "text": format!("{sent}")}),
        );
        calls.spawn(async move {
            client
                .call("sendMessage", &body)
                .await
                .map(|(status, _)| status)
        });
        sent += 1;
    }
    calls.join_all().await;
    let log = telegram.control().calls();
    let refused = log.iter().filter(|call| call.status == 429).count();
    Found {
        calls: log.len(),
        rate: rate(log.len().saturating_sub(30), start.elapsed()),
        refused,
    }
}

fn rate(calls: usize, time: Duration) -> f64 {
    f64::from(u32::try_from(calls).unwrap_or(u32::MAX)) / time.as_secs_f64()
}

/// Sixty streams: twice the edits that the bot's limit permits.
async fn gateway(common: &Common, deadline: &Deadline) -> Found {
    let mut rig = Rig::started(common.setup(CHATS, 30.0), deadline).await;
    let (telegram, model) = (rig.telegram(), rig.model());
    polling(&telegram).await;
    let mut asked = Vec::new();
    for chat in 0..CHATS {
        let markdown = answer(chat as u64, 500);
        script(&model, chat, &markdown, 30.0);
        asked.push(ask(&telegram, user(chat), chat, &markdown));
    }
    finished(&rig, CHATS).await;
    for asked in &asked {
        assert!(
            whole(&telegram, asked),
            "question {} has no whole answer",
            asked.number
        );
    }
    let calls: Vec<u64> = telegram
        .calls()
        .iter()
        .filter(|call| matches!(call.method.as_str(), "sendMessage" | "editMessageText"))
        .map(|call| call.at_us)
        .collect();
    let found = Found {
        calls: calls.len(),
        rate: match (calls.first(), calls.last()) {
            (Some(first), Some(last)) => rate(
                calls.len().saturating_sub(30),
                Duration::from_micros(last - first),
            ),
            _ => 0.0,
        },
        refused: refused(&telegram, 0),
    };
    rig.terminate().await;
    found
}
