//! What a platform call can be made to do wrong, as data.

use serde::{Deserialize, Serialize};

/// Which calls are hit, and by what. `skip` matching calls pass first, then `count` are hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FaultSpec {
    /// The method, case-insensitive; absent: any but getUpdates.
    #[serde(default)]
    pub method: Option<String>,
    /// Only calls for this chat.
    #[serde(default)]
    pub chat: Option<i64>,
    /// How many matching calls pass before the first is hit.
    #[serde(default)]
    pub skip: u32,
    /// How many are hit; absent in JSON: 1.
    #[serde(default = "one")]
    pub count: u32,
    /// What happens to them.
    pub kind: FaultKind,
}

fn one() -> u32 {
    1
}

impl FaultSpec {
    /// The next call of `method` is hit.
    #[must_use]
    pub fn next(method: &str, kind: FaultKind) -> Self {
        Self {
            method: Some(method.to_owned()),
            chat: None,
            skip: 0,
            count: 1,
            kind,
        }
    }

    /// The next `count` calls of any method but getUpdates are hit.
    #[must_use]
    pub fn any(count: u32, kind: FaultKind) -> Self {
        Self {
            method: None,
            chat: None,
            skip: 0,
            count,
            kind,
        }
    }

    /// Only calls for this chat.
    #[must_use]
    pub fn in_chat(self, chat: i64) -> Self {
        Self {
            chat: Some(chat),
            ..self
        }
    }

    /// Lets `skip` matching calls pass first.
    #[must_use]
    pub fn after(self, skip: u32) -> Self {
        Self { skip, ..self }
    }

    /// Hits `count` calls.
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        Self { count, ..self }
    }

    /// Whether this call is hit; counts it.
    pub(crate) fn hit(&mut self, method: &str, chat: Option<i64>) -> bool {
        let method_fits = match &self.method {
            Some(wanted) => wanted.eq_ignore_ascii_case(method),
            None => !method.eq_ignore_ascii_case("getUpdates"),
        };
        if !method_fits || self.count == 0 || (self.chat.is_some() && self.chat != chat) {
            return false;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        self.count -= 1;
        true
    }
}

/// What goes wrong. Durations are milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum FaultKind {
    /// Refused before the effect, in the platform's JSON form.
    Error {
        /// HTTP status and error code.
        status: u16,
        /// The whole description; empty for a 429 gives the platform's own text.
        #[serde(default)]
        description: String,
        /// Whole seconds, body and header.
        #[serde(default)]
        retry_after: Option<u64>,
    },
    /// A proxy's HTML page; the effect happened first if `effect` is set.
    Html {
        /// HTTP status, usually 502.
        status: u16,
        /// The page.
        #[serde(default)]
        body: String,
        /// Whether the call took effect.
        #[serde(default)]
        effect: bool,
    },
    /// The connection is cut before the effect.
    CutBefore,
    /// The effect happens, then the connection is cut.
    CutAfter,
    /// The connection is cut at once, the effect happens `ms` later.
    LateEffect {
        /// Delay of the effect.
        ms: u64,
    },
    /// The effect happens at once, the answer comes `ms` later.
    DelayAnswer {
        /// Delay of the answer.
        ms: u64,
    },
    /// The effect and the answer come `ms` later.
    DelayEffect {
        /// Delay of both.
        ms: u64,
    },
    /// The effect happens; the answer is `{"ok":true,"result":{}}`.
    EmptyResult,
    /// No answer ever; the connection stays open.
    HalfOpen {
        /// Whether the call took effect.
        #[serde(default)]
        effect: bool,
    },
}

impl FaultKind {
    /// The name that the call log shows.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Error { .. } => "error",
            Self::Html { .. } => "html",
            Self::CutBefore => "cut_before",
            Self::CutAfter => "cut_after",
            Self::LateEffect { .. } => "late_effect",
            Self::DelayAnswer { .. } => "delay_answer",
            Self::DelayEffect { .. } => "delay_effect",
            Self::EmptyResult => "empty_result",
            Self::HalfOpen { .. } => "half_open",
        }
    }
}
