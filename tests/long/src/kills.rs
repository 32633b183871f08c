//! Random kills: chats keep asking, the gateway is killed at random moments and started again at
//! once, and in the end every chat is judged by what it shows.
//!
//! No question is hit by more than two kills: a turn that three processes crash over is given up on
//! purpose (P13), which has a test of its own.

mod findings;

use std::time::Duration;

use clap::Parser;
use serde_json::json;
use talaria_emulators::anthropic::{Block, Matcher, Message};
use talaria_emulators::{TelegramControl, now_us};
use talaria_harness::{Deadline, Rig};

use crate::latency::{Asked, ask};
use crate::options::{Common, user};
use crate::table::{Samples, ms};
use crate::texts::{Rng, mark, marked};
use crate::verdict::{Verdict, Whole, judge};

/// How often the chats are looked at.
const LOOK: Duration = Duration::from_millis(50);
/// Questions of one user, after which another one goes on: chats stay short.
const PER_USER: usize = 8;

/// Kills at random moments.
#[derive(Parser, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    #[arg(long, default_value_t = 200)]
    pub kills: usize,
    /// How many chats ask at the same time.
    #[arg(long, default_value_t = 6)]
    pub chats: usize,
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Short,
    ThreeParts,
    Tool,
    Slow,
}

struct Question {
    asked: Asked,
    kind: Kind,
    /// Kills while it was open.
    kills: usize,
    /// When its answer was first seen whole.
    whole_us: Option<u64>,
}

struct Run {
    rig: Rig,
    telegram: TelegramControl,
    rng: Rng,
    questions: Vec<Question>,
    /// Of each asking chat: its current user, how many questions that one asked, and the open ones.
    chats: Vec<(usize, usize, Vec<usize>)>,
    next_user: usize,
    to_poll: Samples,
    to_whole: Samples,
    /// When each kill was.
    killed_us: Vec<u64>,
}

/// Runs everything, prints the section and panics if a promise was broken.
///
/// # Panics
/// If something was lost, cut, or repeated without a label.
pub async fn run(options: Options, deadline: Deadline) {
    let users = 1000;
    let rig = Rig::new(options.common.setup(users, 2000.0), &deadline).await;
    let telegram = rig.telegram();
    let mut run = Run {
        rig,
        telegram,
        rng: Rng::new(options.seed),
        questions: Vec::new(),
        chats: (0..options.chats)
            .map(|chat| (chat, 0, Vec::new()))
            .collect(),
        next_user: options.chats,
        to_poll: Samples::default(),
        to_whole: Samples::default(),
        killed_us: Vec::new(),
    };
    run.rig.launch(&[]);
    for kill in 0..options.kills {
        if kill % 10 == 0 {
            eprintln!("{kill} kills, {} questions", run.questions.len());
        }
        run.live().await;
        run.kill().await;
    }
    run.all_whole(Duration::from_secs(120)).await;
    run.rig.quiet(Duration::from_secs(120)).await;
    let report = run.report(&options);
    run.rig.terminate().await;
    println!("{}", report.0);
    assert!(report.1, "a promise was broken");
}

impl Run {
    /// Lets the gateway live for a random while; longer if a question was hit twice already.
    async fn live(&mut self) {
        let start = now_us();
        let from_call = self.telegram.call_count();
        let life_ms = match self.rng.below(100) {
            0..15 => self.rng.below(150),
            15..70 => 150 + self.rng.below(1350),
            _ => 1500 + self.rng.below(2500),
        };
        let mut polled = false;
        loop {
            if !polled {
                let calls = self.telegram.calls_from(from_call);
                if let Some(poll) = calls.iter().find(|call| call.method == "getUpdates") {
                    self.to_poll.add(ms(start, poll.at_us));
                    polled = true;
                }
            }
            self.look();
            let hit_twice =
                |question: &&Question| question.whole_us.is_none() && question.kills > 1;
            let waiting = self.questions.iter().filter(hit_twice).count();
            let now = now_us();
            assert!(
                ms(start, now) < 120_000.0,
                "{waiting} answers that were interrupted do not come\n{}",
                self.rig.log().text()
            );
            if waiting > 0 {
                // What was hit is finished first; the other chats pause, or there is no end to it.
                tokio::time::sleep(LOOK).await;
                continue;
            }
            let left = life_ms.saturating_sub((now - start) / 1000);
            if left == 0 {
                return;
            }
            self.go_on_asking();
            tokio::time::sleep(LOOK.min(Duration::from_millis(left))).await;
        }
    }

    async fn kill(&mut self) {
        self.look();
        self.rig.kill().await;
        self.killed_us.push(now_us());
        for question in &mut self.questions {
            question.kills += usize::from(question.whole_us.is_none());
        }
        self.rig.launch(&[]);
    }

    /// Notes which answers are whole now.
    fn look(&mut self) {
        let now = now_us();
        for (_, _, open) in &mut self.chats {
            open.retain(|index| {
                let Some(question) = self.questions.get_mut(*index) else {
                    return false;
                };
                let verdict = verdict(&self.telegram, question);
                let over = matches!(verdict.whole, Whole::Yes | Whole::GivenUp);
                if over {
                    question.whole_us = Some(now);
                    if question.kills > 0 {
                        self.to_whole.add(ms(question.asked.at_us, now) / 1000.0);
                    }
                }
                !over
            });
        }
    }

    fn go_on_asking(&mut self) {
        for chat in 0..self.chats.len() {
            let Some((_, _, open)) = self.chats.get(chat) else {
                continue;
            };
            let chance = match open.len() {
                0 => 25,
                // Now and then somebody does not wait for the answer.
                1 => 2,
                _ => 0,
            };
            if self.rng.chance(chance) {
                self.ask(chat);
            }
        }
    }

    fn ask(&mut self, chat: usize) {
        let number = self.questions.len();
        let kind = match self.rng.below(100) {
            0..40 => Kind::Short,
            40..60 => Kind::ThreeParts,
            60..80 => Kind::Tool,
            _ => Kind::Slow,
        };
        let markdown = self.script(number, kind);
        let Some((current, count, open)) = self.chats.get_mut(chat) else {
            return;
        };
        if *count >= PER_USER && open.is_empty() {
            *current = self.next_user;
            *count = 0;
            self.next_user += 1;
        }
        *count += 1;
        open.push(number);
        let asked = ask(&self.telegram, user(*current), number, &markdown);
        self.questions.push(Question {
            asked,
            kind,
            kills: 0,
            whole_us: None,
        });
    }

    fn script(&self, number: usize, kind: Kind) -> String {
        let model = self.rig.model();
        let (paragraphs, speed) = match kind {
            Kind::Short => (2, 1000.0),
            Kind::ThreeParts => (62, 4000.0),
            Kind::Tool => (3, 400.0),
            Kind::Slow => (10, 200.0),
        };
        let markdown = marked(number, paragraphs);
        let answer = Message::text(&markdown).at(speed);
        let asked = Matcher::LastUserContains(mark(number));
        if kind == Kind::Tool {
            let id = format!("toolu_{}", mark(number));
            let input = json!({"expression": format!("{number} * 2")});
            let call = Message::blocks(vec![Block::tool(&id, "calculator", input)]).at(400.0);
            model.script_times(asked, u32::MAX, call);
            model.script_times(Matcher::HasToolResult(id), u32::MAX, answer);
        } else {
            model.script_times(asked, u32::MAX, answer);
        }
        markdown
    }

    async fn all_whole(&mut self, limit: Duration) {
        let until = tokio::time::Instant::now() + limit;
        while tokio::time::Instant::now() < until {
            self.look();
            if self.chats.iter().all(|(_, _, open)| open.is_empty()) {
                return;
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// The bot's messages that belong to a question: by its mark, or as a reply to it.
fn shown(telegram: &TelegramControl, question: &Question) -> Vec<String> {
    let mark = mark(question.asked.number);
    let chat = telegram.chat(question.asked.user).expect("a chat");
    chat.from_bot()
        .filter(|shown| {
            shown.text.contains(&mark) || shown.reply_to == Some(question.asked.message)
        })
        .map(|shown| shown.text.clone())
        .collect()
}

fn verdict(telegram: &TelegramControl, question: &Question) -> Verdict {
    judge(&question.asked.markdown, &shown(telegram, question))
}
