//! The requests that came and the replies that wait.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::watch;

use super::control::RequestLog;
use super::reply::{Matcher, Reply};

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) api_key: Option<String>,
    pub(crate) tokens_per_second: f64,
    pub(crate) chunk_tokens: usize,
    pub(crate) rules: super::check::Rules,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) settings: Settings,
    pub(crate) requests: Vec<RequestLog>,
    pub(crate) script: VecDeque<Scripted>,
}

#[derive(Debug)]
pub(crate) struct Scripted {
    pub(crate) matcher: Matcher,
    pub(crate) reply: Reply,
    /// How many requests it still answers.
    pub(crate) times: u32,
}

impl State {
    /// The scripted reply for a request; counts it.
    pub(crate) fn scripted(&mut self, body: &Value) -> Option<Reply> {
        let index = self
            .script
            .iter()
            .position(|entry| entry.matcher.fits(body))?;
        let entry = self.script.get_mut(index)?;
        entry.times = entry.times.saturating_sub(1);
        let reply = entry.reply.clone();
        if entry.times == 0 {
            self.script.remove(index);
        }
        Some(reply)
    }
}

#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    version: watch::Sender<u64>,
}

impl Shared {
    pub(crate) fn new(settings: Settings) -> Self {
        let state = State {
            settings,
            requests: Vec::new(),
            script: VecDeque::new(),
        };
        Self {
            state: Mutex::new(state),
            version: watch::channel(0).0,
        }
    }

    /// Works on the state and tells everybody who waits.
    pub(crate) fn change<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        let result = self.look(work);
        self.version.send_modify(|version| *version += 1);
        result
    }

    /// Works on the state without telling anybody.
    pub(crate) fn look<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}
