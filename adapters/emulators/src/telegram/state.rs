//! Everything the emulated server knows.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::limits::Limits;
use super::text::entity::Entity;
use super::views::{CallLog, CallbackAnswer, DraftView, EditView};
use crate::bucket::Bucket;
use crate::clock::Now;
use crate::fault::{FaultKind, FaultSpec};

/// Calls that the log keeps; older ones are forgotten.
const MAX_CALLS: usize = 200_000;

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) bots: BTreeMap<i64, Bot>,
    pub(crate) users: BTreeMap<i64, User>,
    /// By (bot, chat): a private chat exists once per bot.
    pub(crate) chats: BTreeMap<(i64, i64), Chat>,
    pub(crate) limits: Limits,
    pub(crate) faults: Vec<FaultSpec>,
    pub(crate) calls: VecDeque<CallLog>,
    pub(crate) next_call: u64,
    /// What a client did that the real service would swallow silently.
    pub(crate) warnings: Vec<String>,
}

impl State {
    /// The fault for this call, if one is due.
    pub(crate) fn take_fault(&mut self, method: &str, chat: Option<i64>) -> Option<FaultKind> {
        let kind = self
            .faults
            .iter_mut()
            .find_map(|f| f.hit(method, chat).then(|| f.kind.clone()));
        self.faults.retain(|fault| fault.count > 0);
        kind
    }

    pub(crate) fn log_call(&mut self, mut call: CallLog) -> u64 {
        call.number = self.next_call;
        self.next_call += 1;
        if self.calls.len() >= MAX_CALLS {
            self.calls.pop_front();
        }
        let number = call.number;
        self.calls.push_back(call);
        number
    }

    pub(crate) fn call_mut(&mut self, number: u64) -> Option<&mut CallLog> {
        let first = self.calls.front()?.number;
        self.calls
            .get_mut(usize::try_from(number.checked_sub(first)?).ok()?)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct User {
    pub(crate) id: i64,
    pub(crate) first_name: String,
    pub(crate) username: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Bot {
    pub(crate) id: i64,
    pub(crate) token: String,
    pub(crate) username: String,
    /// Message ids of private chats are counted per bot account (platforms.md 1.10.5).
    pub(crate) next_message: i64,
    pub(crate) queue: Queue,
    pub(crate) commands: BTreeMap<String, Value>,
    pub(crate) heavy: Bucket,
    pub(crate) light: Bucket,
}

/// The updates of one bot that wait for getUpdates.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) waiting: VecDeque<Update>,
    /// The id of the next update.
    pub(crate) next_id: i64,
    /// The highest offset that a getUpdates call confirmed; 0 before the first.
    pub(crate) confirmed: i64,
    /// The sticky `allowed_updates`; `None`: the default set.
    pub(crate) allowed: Option<Vec<String>>,
    /// The poll that waits now.
    pub(crate) poller: Option<u64>,
    pub(crate) next_poll: u64,
    pub(crate) last_offset: i64,
    pub(crate) last_start_us: Option<u64>,
    pub(crate) last_conflict_us: Option<u64>,
    pub(crate) withheld: Option<Vec<NewUpdate>>,
    pub(crate) faults: VecDeque<UpdateFault>,
    /// Updates that wait for the rest of their reordered group.
    pub(crate) reordering: Vec<NewUpdate>,
}

/// An update without an id: it gets one when it enters the queue, so ids are in queue order.
#[derive(Debug, Clone)]
pub(crate) struct NewUpdate {
    pub(crate) kind: String,
    pub(crate) body: Value,
    pub(crate) expires_us: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Update {
    pub(crate) id: i64,
    pub(crate) json: Value,
    pub(crate) expires_us: u64,
}

/// What happens to coming updates of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum UpdateFault {
    /// The next update is delivered twice: under the same update id, or a second one.
    Duplicate {
        /// Whether the copy has an update id of its own.
        #[serde(default)]
        new_id: bool,
    },
    /// The next `count` updates are delivered in reverse order.
    Reorder {
        /// How many; at least 2 for an effect.
        count: usize,
    },
}

/// What a chat is. Groups, supergroups with topics and channels come as further variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChatKind {
    /// One user and the bot; the chat's id is the user's.
    Private {
        /// The user.
        user: i64,
    },
}

#[derive(Debug)]
pub(crate) struct Chat {
    pub(crate) id: i64,
    pub(crate) kind: ChatKind,
    pub(crate) blocked: bool,
    pub(crate) messages: BTreeMap<i64, Message>,
    pub(crate) typing_until_us: u64,
    pub(crate) typing: Vec<u64>,
    pub(crate) draft: Option<Draft>,
    pub(crate) drafts: Vec<DraftView>,
    pub(crate) callbacks: Vec<Callback>,
    pub(crate) bucket: Bucket,
}

impl Chat {
    pub(crate) fn private(user: i64) -> Self {
        Self {
            id: user,
            kind: ChatKind::Private { user },
            blocked: false,
            messages: BTreeMap::new(),
            typing_until_us: 0,
            typing: Vec::new(),
            draft: None,
            drafts: Vec::new(),
            callbacks: Vec::new(),
            bucket: Bucket::default(),
        }
    }

    /// A message that is still there.
    pub(crate) fn living(&mut self, id: i64) -> Option<&mut Message> {
        self.messages
            .get_mut(&id)
            .filter(|message| message.deleted_us.is_none())
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) view: DraftView,
    pub(crate) until_us: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Callback {
    pub(crate) id: String,
    pub(crate) message_id: i64,
    pub(crate) data: String,
    pub(crate) at_us: u64,
    pub(crate) answer: Option<CallbackAnswer>,
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// The chat's bot.
    Bot,
    /// A user.
    User(i64),
}

#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) id: i64,
    pub(crate) author: Author,
    pub(crate) at_us: u64,
    pub(crate) date: i64,
    pub(crate) edit_date: Option<i64>,
    pub(crate) text: String,
    pub(crate) entities: Vec<Entity>,
    pub(crate) reply_to: Option<i64>,
    /// The inline keyboard as it was given; `None` without one.
    pub(crate) markup: Option<Value>,
    pub(crate) edits: Vec<EditView>,
    pub(crate) deleted_us: Option<u64>,
}

impl Bot {
    pub(crate) fn new(id: i64, token: &str, username: &str) -> Self {
        Self {
            id,
            token: token.to_owned(),
            username: username.to_owned(),
            next_message: 1,
            queue: Queue::new(),
            commands: BTreeMap::new(),
            heavy: Bucket::default(),
            light: Bucket::default(),
        }
    }

    pub(crate) fn take_message_id(&mut self) -> i64 {
        let id = self.next_message;
        self.next_message += 1;
        id
    }
}

/// One second in microseconds.
pub(crate) const SECOND_US: u64 = 1_000_000;

/// When a message update expires: 24 hours after its date (server source: Client, "expires").
pub(crate) fn day_later(now: Now) -> u64 {
    now.us.saturating_add(86_400 * SECOND_US)
}
