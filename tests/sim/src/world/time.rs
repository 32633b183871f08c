//! Virtual time: what is due, and in which order it happens.

use std::collections::BTreeMap;
use std::time::Duration;

use talaria_core::io::Input;
use talaria_types::{Mono, PlatformCall};

use super::{Flow, World};
use crate::violation::Promise;

/// More inputs than this at one moment: the machines turn in circles.
const BUSY: u32 = 3000;

/// Effects of calls whose connection broke.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    late: BTreeMap<(Mono, u64), PlatformCall>,
    count: u64,
}

impl Timers {
    pub(crate) fn late(&mut self, at: Mono, call: PlatformCall) {
        self.count += 1;
        self.late.insert((at, self.count), call);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.late.is_empty()
    }
}

impl World {
    /// Time passes; what becomes due on the way happens at its time, and is handled.
    pub(crate) fn advance(&mut self, by: Duration) -> Flow<bool> {
        let target = self.now + by;
        loop {
            self.due()?;
            self.drain()?;
            match self.next_due() {
                Some(at) if at <= target => self.now = at.max(self.now + Duration::from_micros(1)),
                Some(_) | None => break,
            }
        }
        self.now = self.now.max(target);
        self.due()?;
        Ok(true)
    }

    /// What is due now happens; what the machines are told waits in their mailboxes.
    pub(crate) fn due(&mut self) -> Flow {
        let now = self.now;
        while let Some(entry) = self.timers.late.first_entry() {
            if entry.key().0 > now {
                break;
            }
            let call = entry.remove();
            self.stats.count("late effect");
            self.say(|| format!("late effect of {call:?}"));
            let _outcome = self.platform.apply(&call, now)?;
        }
        self.late_answers();
        if let Some(process) = &mut self.process {
            for host in process.hosts.values_mut() {
                if host.wake.is_some_and(|at| at <= now) {
                    host.wake = None;
                    host.push(Input::Wake);
                }
            }
            process.grant(now);
        }
        Ok(())
    }

    /// Every mailbox is emptied, also of what comes meanwhile without time passing.
    pub(crate) fn drain(&mut self) -> Flow {
        let mut handled = 0;
        while self.process.as_ref().is_some_and(super::Process::has_mail) {
            self.handle_one(u16::try_from(handled % 7).unwrap_or(0))?;
            self.due()?;
            handled += 1;
            if handled > BUSY {
                return Err(self
                    .fail(Promise::Liveness, "the machines turn in circles")
                    .into());
            }
        }
        Ok(())
    }

    /// The next moment at which something happens by itself.
    pub(crate) fn next_due(&self) -> Option<Mono> {
        let late = self.timers.late.keys().next().map(|(at, _)| *at);
        let answer = self.flying.iter().map(super::Flying::due).min();
        let (wake, grant) = match &self.process {
            Some(process) => (
                process.hosts.values().filter_map(|host| host.wake).min(),
                process.pacing.next_at(self.now),
            ),
            None => (None, None),
        };
        [late, answer, wake, grant].into_iter().flatten().min()
    }
}
