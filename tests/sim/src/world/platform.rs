//! The platform: what it shows, what it takes, what it refuses.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use talaria_types::outcome::Proof;
use talaria_types::{
    Action, Body, CallKind, CallOutcome, Certainty, ChatId, CreateClass, Failure, FailureKind,
    FailureScope, Handle, MessageId, Mono, PlatformCall, PostId, Receipt, RemoveClass, Retry,
    UpdateClass, WireKey,
};

use crate::render::LABEL;
use crate::variant::{LIMIT_BURST, LIMIT_CALLS, LIMIT_PER, Variant};
use crate::violation::{Promise, Violation};

/// The first four bytes of the world's ledger id.
pub(crate) const LEDGER: [u8; 4] = [7, 7, 7, 7];

/// A message of ours.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) handle: Handle,
    pub(crate) key: WireKey,
    pub(crate) post: PostId,
    pub(crate) body: Body,
    pub(crate) open: bool,
    pub(crate) visible: bool,
    /// Somebody else removed it.
    pub(crate) taken: bool,
    editable: bool,
    /// The platform refuses to remove it.
    pub(crate) stuck: bool,
    /// The gateway was told of it and lived on.
    pub(crate) told: bool,
    made: Mono,
}

impl Message {
    pub(crate) fn labelled(&self) -> bool {
        self.body.text.starts_with(LABEL)
    }
}

#[derive(Debug)]
pub(crate) struct Platform {
    variant: Variant,
    pub(crate) messages: Vec<Message>,
    by_post: BTreeMap<PostId, Vec<usize>>,
    pub(crate) blocked: BTreeSet<ChatId>,
    sent: BTreeMap<ChatId, VecDeque<Mono>>,
}

impl Platform {
    pub(crate) fn new(variant: Variant) -> Self {
        Self {
            variant,
            messages: Vec::new(),
            by_post: BTreeMap::new(),
            blocked: BTreeSet::new(),
            sent: BTreeMap::new(),
        }
    }

    pub(crate) fn of_post(&self, post: PostId) -> impl Iterator<Item = &Message> {
        self.by_post
            .get(&post)
            .into_iter()
            .flatten()
            .filter_map(|index| self.messages.get(*index))
    }

    pub(crate) fn find(&mut self, handle: &Handle) -> Option<&mut Message> {
        let index: usize = handle.message.as_str().parse().ok()?;
        self.messages.get_mut(index)
    }

    /// P9: a control count of what arrives, over all processes.
    pub(crate) fn count(&mut self, call: &PlatformCall, now: Mono) -> Result<(), Violation> {
        let counted = !matches!(
            call.action.kind(),
            CallKind::Signal | CallKind::Answer | CallKind::Prove
        );
        if !counted {
            return Ok(());
        }
        let sent = self.sent.entry(call.place.chat.clone()).or_default();
        while sent.front().is_some_and(|at| now.since(*at) >= LIMIT_PER) {
            sent.pop_front();
        }
        sent.push_back(now);
        let most = usize::try_from(LIMIT_CALLS + LIMIT_BURST).unwrap_or(usize::MAX);
        if sent.len() > most {
            return Err(Violation::new(
                Promise::P9,
                format!(
                    "{} calls in {LIMIT_PER:?} to chat {}",
                    sent.len(),
                    call.place.chat
                ),
            ));
        }
        Ok(())
    }

    /// The call takes effect, or is refused as the platform's state demands.
    pub(crate) fn apply(
        &mut self,
        call: &PlatformCall,
        now: Mono,
    ) -> Result<CallOutcome, Violation> {
        if self.blocked.contains(&call.place.chat) && call.action.kind() != CallKind::Prove {
            if let Action::Delete { handle } = &call.action
                && let Some(message) = self.find(handle)
            {
                message.stuck = message.visible;
            }
            return Ok(Err(failure(
                FailureKind::TargetGone,
                Certainty::NotSent,
                Retry::Never,
            )));
        }
        match &call.action {
            Action::Create { key, body, .. } => self.create(call, key, body.clone(), now),
            Action::Complete { key, staged } => {
                self.create(call, key, Body::plain(staged.clone()), now)
            }
            Action::Edit { handle, body } => Ok(self.edit(handle, body)),
            Action::Append { handle, delta } => Ok(self.append(handle, delta)),
            Action::Close { handle, .. } => Ok(match self.find(handle).filter(|m| m.visible) {
                Some(message) => {
                    message.open = false;
                    done(handle)
                }
                None => Err(gone()),
            }),
            Action::Delete { handle } => Ok(self.delete(handle, now)),
            Action::Prove { key, .. } => Ok(Ok(Receipt {
                handle: None,
                proof: Some(self.look(key)),
            })),
            Action::Signal(_) | Action::Answer { .. } => Ok(Ok(Receipt::default())),
            Action::React { .. }
            | Action::Upload { .. }
            | Action::Read { .. }
            | Action::Setup { .. } => Ok(Err(Failure::unsupported("no such call here"))),
        }
    }

    fn create(
        &mut self,
        call: &PlatformCall,
        key: &WireKey,
        body: Body,
        now: Mono,
    ) -> Result<CallOutcome, Violation> {
        let Some((post, _)) = WireKey::parse(LEDGER, key.as_str()) else {
            return Err(Violation::new(
                Promise::P6,
                "a create without a key of ours",
            ));
        };
        if self.variant.create() == CreateClass::Keyed
            && let Some(known) = self.of_post(post).find(|m| m.key == *key && m.visible)
        {
            return Ok(done(&known.handle.clone()));
        }
        let index = self.messages.len();
        let handle = Handle {
            chat: call.place.chat.clone(),
            message: MessageId::new(index.to_string()),
        };
        self.messages.push(Message {
            handle: handle.clone(),
            key: key.clone(),
            post,
            body,
            open: self.variant.capabilities().update == UpdateClass::Append
                && matches!(call.action, Action::Create { .. }),
            visible: true,
            taken: false,
            editable: true,
            stuck: false,
            told: false,
            made: now,
        });
        self.by_post.entry(post).or_default().push(index);
        self.copies(post)?;
        Ok(done(&handle))
    }

    /// P6: one message of a post; a second one only beside the one visible label. (Of two creates
    /// with unknown outcomes the first may be found and given the labelled content.)
    fn copies(&self, post: PostId) -> Result<(), Violation> {
        let shown = || self.of_post(post).filter(|m| m.visible && !m.stuck);
        let labelled = shown().filter(|message| message.labelled()).count();
        let plain = shown().count() - labelled;
        if plain > 1 || plain + labelled > 2 {
            return Err(Violation::new(
                Promise::P6,
                format!("post {post} is shown {plain} times, and {labelled} times with a label"),
            ));
        }
        Ok(())
    }

    fn edit(&mut self, handle: &Handle, body: &Body) -> CallOutcome {
        if self.variant.capabilities().update == UpdateClass::None {
            return Err(Failure::unsupported("nothing can be edited here"));
        }
        match self.find(handle).filter(|message| message.visible) {
            None => Err(gone()),
            Some(message) if !message.editable || message.open => Err(not_editable()),
            Some(message) => {
                message.body = body.clone();
                done(handle)
            }
        }
    }

    fn append(&mut self, handle: &Handle, delta: &Body) -> CallOutcome {
        match self.find(handle).filter(|message| message.visible) {
            None => Err(gone()),
            Some(message) if !message.editable || !message.open => Err(not_editable()),
            Some(message) => {
                message.body.text.push_str(&delta.text);
                done(handle)
            }
        }
    }

    fn delete(&mut self, handle: &Handle, now: Mono) -> CallOutcome {
        let class = self.variant.capabilities().remove;
        let Some(message) = self.find(handle).filter(|message| message.visible) else {
            return done(handle);
        };
        let possible = match class {
            RemoveClass::Yes => true,
            RemoveClass::Within(limit) => now.since(message.made) < limit,
            RemoveClass::No => false,
        };
        if !possible || message.stuck {
            message.stuck = true;
            return Err(failure(
                FailureKind::Refused,
                Certainty::NotSent,
                Retry::Never,
            ));
        }
        message.visible = false;
        done(handle)
    }

    fn look(&self, key: &WireKey) -> Proof {
        let mut found = self.messages.iter().filter(|message| message.key == *key);
        match found.clone().find(|message| message.visible) {
            Some(message) => Proof::Present(message.handle.clone()),
            None if found.next().is_some() => Proof::Deleted,
            None => Proof::Absent,
        }
    }

    /// The message can't be changed any more.
    pub(crate) fn freeze(&mut self, handle: &Handle) {
        if let Some(message) = self.find(handle) {
            message.editable = false;
        }
    }
}

fn done(handle: &Handle) -> CallOutcome {
    Ok(Receipt {
        handle: Some(handle.clone()),
        proof: None,
    })
}

fn gone() -> Failure {
    failure(FailureKind::MessageGone, Certainty::NotSent, Retry::Never)
}

pub(crate) fn not_editable() -> Failure {
    failure(FailureKind::NotEditable, Certainty::NotSent, Retry::Never)
}

pub(crate) fn failure(kind: FailureKind, certainty: Certainty, retry: Retry) -> Failure {
    let scope = match kind {
        FailureKind::RateLimited | FailureKind::TargetGone => FailureScope::Chat,
        _ => FailureScope::Message,
    };
    Failure {
        certainty,
        retry,
        scope,
        detail: format!("scripted {kind:?}"),
        kind,
    }
}

pub(crate) fn seconds(seconds: u8) -> Duration {
    Duration::from_secs(u64::from(seconds))
}
