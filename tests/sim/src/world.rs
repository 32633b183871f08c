//! The world: what happens in it, one [`Step`] at a time, and what is checked after each.

mod books;
mod calls;
mod drive;
mod finals;
mod model;
mod platform;
mod process;
mod time;
mod users;

use std::collections::BTreeMap;
use std::time::Duration;

use talaria_core::access::{AccessDefault, AccessTable};
use talaria_core::context::Settings;
use talaria_ledger::store::{LedgerId, MemoryStore, Store};
use talaria_types::crash::CrashPoint;
use talaria_types::{
    AccountId, Capabilities, ChatId, ConversationId, Mono, Now, Place, PlaceKind, UserId, Wall,
};

use crate::rng::Rng;
use crate::step::{Fate, Step};
use crate::variant::Variant;
use crate::violation::{Promise, Violation};
use books::Books;
use calls::Flying;
use platform::Platform;
use process::Process;
use time::Timers;
use users::Users;

pub use finals::Listed;

/// How many chats a world has.
pub const CHATS: u8 = 3;
/// Wall time at the beginning, in milliseconds.
const BEGIN: u64 = 1_800_000_000_000;

/// Why a step ended early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The process died; everything after that point did not happen.
    Died,
    Broken(Violation),
}

impl From<Violation> for Stop {
    fn from(violation: Violation) -> Self {
        Self::Broken(violation)
    }
}

pub(crate) type Flow<T = ()> = Result<T, Stop>;

/// What a run was made of.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    pub counts: BTreeMap<String, u64>,
    pub inputs: u64,
    pub skipped: u64,
}

impl Stats {
    pub(crate) fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    /// Adds another run's counts.
    pub fn add(&mut self, other: &Self) {
        for (what, count) in &other.counts {
            *self.counts.entry(what.clone()).or_default() += count;
        }
        self.inputs += other.inputs;
        self.skipped += other.skipped;
    }
}

/// Everything there is.
#[derive(Debug)]
pub struct World {
    variant: Variant,
    capabilities: Capabilities,
    settings: Settings,
    access: AccessTable,
    account: AccountId,
    now: Mono,
    store: MemoryStore,
    process: Option<Process>,
    /// The last process said goodbye.
    clean: bool,
    platform: Platform,
    users: Users,
    flying: Vec<Flying>,
    timers: Timers,
    books: Books,
    /// Choke points until the process dies, and what decides about its calls.
    doom: Option<(u8, u32)>,
    quiet: bool,
    numbers: u64,
    pub stats: Stats,
    /// What happened, line by line, where somebody wants to read it.
    trace: Option<Vec<String>>,
}

impl World {
    #[must_use]
    pub fn new(variant: Variant) -> Self {
        let account = AccountId::new("sim:1");
        let mut id = [7u8; 16];
        id[4..].copy_from_slice(b"simulation!!");
        let settings = Settings {
            max_steps: 6,
            max_retries: 2,
            ..Settings::default()
        };
        Self {
            variant,
            capabilities: variant.capabilities(),
            settings,
            access: AccessTable {
                default: AccessDefault::Deny,
                allow: (0..CHATS).map(user_of).collect(),
                ..AccessTable::default()
            },
            account,
            now: Mono(0),
            store: MemoryStore::new(LedgerId(id)),
            process: None,
            clean: true,
            platform: Platform::new(variant),
            users: Users::default(),
            flying: Vec::new(),
            timers: Timers::default(),
            books: Books::default(),
            doom: None,
            quiet: false,
            numbers: 0,
            stats: Stats::default(),
            trace: None,
        }
    }

    /// Keeps a line for everything that happens from now on.
    pub fn keep_trace(&mut self) {
        self.trace = Some(Vec::new());
    }

    /// The lines kept so far.
    pub fn take_trace(&mut self) -> Vec<String> {
        self.trace.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn say(&mut self, line: impl FnOnce() -> String) {
        let at = self.now.0 / 1000;
        if let Some(trace) = &mut self.trace {
            trace.push(format!("{at:>9} ms  {}", line()));
        }
    }

    /// Does one step. Nothing may be done after a violation.
    ///
    /// # Errors
    /// The promise that the step broke.
    pub fn step(&mut self, step: &Step) -> Result<(), Violation> {
        self.stats.count(name_of(step));
        self.say(|| format!("{step:?}"));
        match self.take(step) {
            Ok(true) | Err(Stop::Died) => Ok(()),
            Ok(false) => {
                self.stats.skipped += 1;
                Ok(())
            }
            Err(Stop::Broken(violation)) => Err(violation),
        }
    }

    /// False: there was nothing to do it with.
    fn take(&mut self, step: &Step) -> Flow<bool> {
        match step {
            Step::User { chat, act } => Ok(self.user(*chat, act)),
            Step::Intake { count } => self.intake(usize::from(*count)),
            Step::Handle { pick } => self.handle_one(*pick),
            Step::Call { pick, fate } => self.meet(*pick, *fate),
            Step::Model { pick, act } => Ok(self.model_says(*pick, *act)),
            Step::Tool { pick, error } => Ok(self.tool_returns(*pick, *error)),
            Step::Echo { pick } => self.echo(*pick),
            Step::Remove { pick } => Ok(self.take_away(*pick)),
            Step::File { chat, withdrawn } => self.file(*chat, *withdrawn),
            Step::Access { chat, allowed } => {
                if *allowed {
                    self.access.allow.insert(user_of(*chat))
                } else {
                    self.access.allow.remove(&user_of(*chat))
                };
                Ok(true)
            }
            Step::Block { chat, blocked } => {
                if *blocked {
                    self.platform.blocked.insert(chat_of(*chat))
                } else {
                    self.platform.blocked.remove(&chat_of(*chat))
                };
                Ok(true)
            }
            Step::Advance { millis } => self.advance(Duration::from_millis(u64::from(*millis))),
            Step::Stall { millis } => {
                self.now = self.now + Duration::from_millis(u64::from(*millis));
                self.due()?;
                Ok(true)
            }
            Step::Leave { pick } => Ok(self.leave(*pick)),
            Step::Crash { after, orphans } => Ok(self.arm(*after, *orphans)),
            Step::Shutdown { orphans } => Ok(self.shut_down(*orphans)),
            Step::Restart => self.restart(),
        }
    }

    pub(crate) fn now(&self) -> Now {
        Now {
            mono: self.now,
            wall: Wall(BEGIN + self.now.0 / 1000),
        }
    }

    /// A number that no other thing of the world has.
    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn arm(&mut self, after: u8, orphans: u32) -> bool {
        if self.process.is_none() || self.quiet {
            return false;
        }
        if after == 0 {
            self.stats.count("crash point: between inputs");
            self.die(orphans, false);
        } else {
            self.doom = Some((after, orphans));
        }
        true
    }

    fn shut_down(&mut self, orphans: u32) -> bool {
        if self.process.is_none() {
            return false;
        }
        self.die(orphans, true);
        true
    }

    /// A choke point is passed, or the process dies at it.
    fn pass(&mut self, point: CrashPoint) -> Flow {
        match &mut self.doom {
            Some((after, orphans)) if *after <= 1 => {
                let orphans = *orphans;
                self.stats.count(format!("crash point: {point}"));
                self.die(orphans, false);
                Err(Stop::Died)
            }
            Some((after, _)) => {
                *after -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The process is gone with all its memory. Its calls may still take effect.
    fn die(&mut self, orphans: u32, clean: bool) {
        self.say(|| format!("!!! the process ends, clean: {clean}"));
        self.doom = None;
        self.process = None;
        self.clean = clean;
        self.books.died();
        let mut rng = Rng::new(u64::from(orphans));
        for flying in std::mem::take(&mut self.flying) {
            if !flying.is_out() {
                continue;
            }
            let millis = match rng.below(4) {
                0 => 0,
                1 => 1 + rng.below(999),
                2 => 1000 + rng.below(7000),
                _ => continue,
            };
            self.timers
                .late(self.now + Duration::from_millis(millis), flying.call);
        }
    }

    fn fail(&self, promise: Promise, detail: impl Into<String>) -> Violation {
        Violation::new(promise, detail)
    }

    /// What is durable.
    fn ledger(&self) -> &dyn Store {
        &self.store
    }
}

pub(crate) fn user_of(chat: u8) -> UserId {
    UserId::new(format!("u{}", chat % CHATS))
}

pub(crate) fn chat_of(chat: u8) -> ChatId {
    ChatId::new(format!("{}", chat % CHATS))
}

pub(crate) fn place_of(chat: &ChatId) -> Place {
    Place {
        account: AccountId::new("sim:1"),
        kind: PlaceKind::Direct,
        chat: chat.clone(),
        thread: None,
    }
}

pub(crate) fn conversation_of(chat: u8) -> ConversationId {
    place_of(&chat_of(chat)).conversation(None)
}

fn name_of(step: &Step) -> String {
    match step {
        Step::User { act, .. } => format!("user: {act:?}")
            .split([' ', '{'])
            .take(2)
            .collect::<Vec<_>>()
            .join(" "),
        Step::Call { fate, .. } => format!("fate: {}", fate_name(*fate)),
        Step::Model { act, .. } => format!("model: {act:?}")
            .split([' ', '{'])
            .take(2)
            .collect::<Vec<_>>()
            .join(" "),
        other => format!("step: {other:?}")
            .split([' ', '{'])
            .take(2)
            .collect::<Vec<_>>()
            .join(" "),
    }
}

fn fate_name(fate: Fate) -> &'static str {
    match fate {
        Fate::Done => "done",
        Fate::NotSent => "not sent",
        Fate::LostAfter => "lost after its effect",
        Fate::LostBefore => "lost before its effect",
        Fate::LostLate { .. } => "lost, late effect",
        Fate::Hangs { .. } => "hangs",
        Fate::RateLimited { .. } => "429",
        Fate::Server => "5xx",
        Fate::Format => "format refused",
        Fate::NotEditable => "not editable",
        Fate::Refused => "refused for good",
        Fate::NoId => "no id",
        Fate::Undecided => "undecided",
    }
}

/// What there is to do, for the generator.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub running: bool,
    pub upstream: bool,
    pub mail: bool,
    pub calls: bool,
    pub streams: bool,
    pub tools: bool,
}

impl World {
    #[must_use]
    pub fn look(&self) -> Look {
        let process = self.process.as_ref();
        Look {
            running: process.is_some(),
            upstream: !self.users.upstream.is_empty(),
            mail: process.is_some_and(Process::has_mail),
            calls: self.flying.iter().any(Flying::is_out),
            streams: process.is_some_and(|process| !process.streams.is_empty()),
            tools: process.is_some_and(|process| !process.tools.is_empty()),
        }
    }
}
