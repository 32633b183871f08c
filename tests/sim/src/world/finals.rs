//! The quiet at the end: no more faults, no more people. Everything settles, and what is shown is
//! what was wanted, once.

use std::time::Duration;

use talaria_core::snapshot::{Entry, scan_all};
use talaria_ledger::keys::{self, Tag};
use talaria_ledger::records::{InboundRecord, PostRecord, Settlement, Wanted};
use talaria_types::PostId;

use super::users::PATIENCE;
use super::{CHATS, Flow, Stop, World, user_of};
use crate::step::{Fate, ModelAct};
use crate::violation::{Promise, Violation};

/// A post that is not delivered, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub post: PostId,
    pub how: Settlement,
}

impl World {
    /// Faults end, people are silent; then the whole world is judged.
    ///
    /// # Errors
    /// The promise that is not kept.
    pub fn finish(&mut self) -> Result<Vec<Listed>, Violation> {
        match self.calm_down() {
            Ok(()) => {}
            Err(Stop::Broken(violation)) => return Err(violation),
            Err(Stop::Died) => return Err(self.fail(Promise::Liveness, "a crash in the quiet")),
        }
        self.judge()
    }

    fn calm_down(&mut self) -> Flow {
        self.quiet = true;
        self.doom = None;
        self.platform.blocked.clear();
        self.access.allow = (0..CHATS).map(user_of).collect();
        self.restart()?;
        let end = self.now + PATIENCE;
        loop {
            while self.intake(4)? {}
            self.due()?;
            self.drain()?;
            if self.work()? {
                continue;
            }
            if self.is_calm() {
                return Ok(());
            }
            match self.next_due() {
                Some(at) if at <= end => self.now = self.now.max(at),
                _ => return Err(self.restless().into()),
            }
        }
    }

    /// One call, one model stream, one tool: each does what it should.
    fn work(&mut self) -> Flow<bool> {
        if let Some(index) = self.flying.iter().position(super::Flying::is_out) {
            self.decide(index, Fate::Done)?;
            return Ok(true);
        }
        if self.process.as_ref().is_some_and(|p| !p.streams.is_empty()) {
            self.model_says(0, ModelAct::Words { count: 2 });
            self.model_says(0, ModelAct::End);
            return Ok(true);
        }
        Ok(self.tool_returns(0, false))
    }

    fn is_calm(&self) -> bool {
        let Some(process) = &self.process else {
            return false;
        };
        self.users.upstream.is_empty()
            && self.flying.is_empty()
            && self.timers.is_empty()
            && process.hosts.values().all(|host| {
                host.machine
                    .as_ref()
                    .is_some_and(talaria_core::Conversation::is_idle)
            })
    }

    fn restless(&self) -> Violation {
        let mut owed = Vec::new();
        if let Ok(entries) = scan_all(&self.store, &keys::prefix(&self.account, Tag::Owed)) {
            for (key, _) in entries {
                if let Some(post) =
                    talaria_core::snapshot::post_of_key(&key).and_then(|id| self.post(id))
                {
                    owed.push(format!("{post:?}"));
                }
            }
        }
        let detail = format!(
            "after {PATIENCE:?} of quiet something is still open; {} calls out; owed: {owed:?}",
            self.flying.len()
        );
        self.fail(Promise::Liveness, detail)
    }

    /// What the ledger and the chats are in the end.
    fn judge(&self) -> Result<Vec<Listed>, Violation> {
        for (tag, promise, what) in [
            (Tag::Open, Promise::P0, "an inbound has no end"),
            (Tag::Running, Promise::P3, "a turn is not settled"),
            (Tag::Owed, Promise::Liveness, "a post is owed"),
        ] {
            let left = self.scan(tag)?;
            if let Some((key, _)) = left.first() {
                let detail = format!("{what}: {:?}", keys::parts(key));
                return Err(self.fail(promise, detail));
            }
        }
        for (_, bytes) in self.scan(Tag::Inbound)? {
            let record: InboundRecord = self.read(&bytes)?;
            let name = &record.inbound.key;
            if record.end.is_none() || record.end.as_ref() != self.books.end_of(name) {
                return Err(self.fail(Promise::P0, format!("{name} has no end")));
            }
        }
        let mut listed = Vec::new();
        for (_, bytes) in self.scan(Tag::Post)? {
            let record: PostRecord = self.read(&bytes)?;
            listed.extend(self.judge_post(&record)?);
        }
        for message in self
            .platform
            .messages
            .iter()
            .filter(|message| message.visible)
        {
            if self.post(message.post).is_none() {
                let detail = format!("{} belongs to no post", message.handle);
                return Err(self.fail(Promise::P6, detail));
            }
        }
        Ok(listed)
    }

    fn judge_post(&self, post: &PostRecord) -> Result<Option<Listed>, Violation> {
        let Some(settled) = &post.settled else {
            return Err(self.fail(
                Promise::Liveness,
                format!("post {} is not settled", post.id),
            ));
        };
        let shown: Vec<_> = self
            .platform
            .of_post(post.id)
            .filter(|message| message.visible && !message.stuck)
            .collect();
        let told = shown.iter().filter(|message| message.told).count();
        // What is too old or was crashed over too often is left as it is, and said.
        let left = matches!(settled.how, Settlement::Expired | Settlement::GivenUp);
        if told > 1 && !left {
            let detail = format!(
                "post {}: {told} messages that it knows of are shown",
                post.id
            );
            return Err(self.fail(Promise::P7, detail));
        }
        let seen: Vec<&str> = shown.iter().map(|m| m.body.text.as_str()).collect();
        match (&settled.how, &post.wanted) {
            (Settlement::Delivered, Wanted::Sealed { body, .. }) => {
                let taken = post.handle().is_some_and(|handle| {
                    self.platform
                        .of_post(post.id)
                        .any(|message| message.handle == *handle && message.taken)
                });
                let right = self
                    .platform
                    .of_post(post.id)
                    .filter(|m| m.visible && post.handle() == Some(&m.handle))
                    .any(|m| self.same_text(&m.body.text, &body.text));
                if !right && !taken {
                    let detail = format!(
                        "post {} should show {:?}, shown is {seen:?}",
                        post.id, body.text
                    );
                    return Err(self.fail(Promise::P6, detail));
                }
                if shown.len() > 1 && !post.labelled {
                    let detail = format!("post {} is delivered and shown as {seen:?}", post.id);
                    return Err(self.fail(Promise::P6, detail));
                }
                Ok(None)
            }
            (Settlement::DeliveredUnseen, _) => Ok(None),
            (Settlement::Withdrawn, _) => {
                if shown.iter().any(|message| message.told) {
                    let detail = format!("post {} is withdrawn and shown as {seen:?}", post.id);
                    return Err(self.fail(Promise::P6, detail));
                }
                Ok(None)
            }
            (how, _) => Ok(Some(Listed {
                post: post.id,
                how: how.clone(),
            })),
        }
    }

    fn scan(&self, tag: Tag) -> Result<Vec<Entry>, Violation> {
        scan_all(&self.store, &keys::prefix(&self.account, tag))
            .map_err(|error| self.fail(Promise::Ledger, error.to_string()))
    }

    /// How many inbounds were accepted.
    #[must_use]
    pub fn events_behind(&self) -> Duration {
        Duration::from_micros(self.now.0)
    }
}
