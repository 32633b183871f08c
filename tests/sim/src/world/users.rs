//! People: what they send, and how the platform delivers it.

use std::collections::VecDeque;
use std::time::Duration;

use talaria_core::intake::{Door, Plan, Received, plan};
use talaria_core::io::Input;
use talaria_ledger::records::{Known, PostKind, PostRecord, Wanted};
use talaria_ledger::{Changes, keys};
use talaria_types::crash::{AckKind, Choke, CommitKind, CrashPoint, Side};
use talaria_types::{
    Body, Command, Content, Inbound, InboundKey, MessageId, PostId, Sender, WireKey,
};

use super::platform::LEDGER;
use super::{Flow, World, chat_of, conversation_of, place_of, user_of};
use crate::step::UserAct;
use crate::violation::Promise;

/// What a person sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) inbound: Inbound,
    /// What the model will read, if it is a text.
    pub(crate) token: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Users {
    pub(crate) sent: Vec<Sent>,
    /// What the platform has not had acknowledged.
    pub(crate) upstream: VecDeque<Inbound>,
}

impl World {
    pub(crate) fn user(&mut self, chat: u8, act: &UserAct) -> bool {
        let number = self.number();
        let token = format!("u{number}.");
        let (content, token) = match act {
            UserAct::Text => (
                Content::Text {
                    text: token.clone(),
                },
                Some(token),
            ),
            UserAct::Empty => (
                Content::Text {
                    text: "  ".to_owned(),
                },
                None,
            ),
            UserAct::Unsupported => (
                Content::Unsupported {
                    what: "sticker".to_owned(),
                },
                None,
            ),
            UserAct::Edit { pick } => {
                let mine: Vec<&Sent> = self
                    .users
                    .sent
                    .iter()
                    .filter(|sent| sent.token.is_some() && sent.inbound.place.chat == chat_of(chat))
                    .collect();
                let Some(original) = mine.get(usize::from(*pick) % mine.len().max(1)) else {
                    return false;
                };
                let of = original.inbound.key.clone();
                (
                    Content::Edit {
                        of,
                        text: token.clone(),
                    },
                    Some(token),
                )
            }
            UserAct::Stop => (command(Command::Stop), None),
            UserAct::New => (command(Command::New), None),
            UserAct::Status => (command(Command::Status), None),
            UserAct::Help => (command(Command::Help), None),
            UserAct::Press => (
                Content::Press {
                    data: "x".to_owned(),
                    interaction: format!("i{number}"),
                },
                None,
            ),
            UserAct::Again { pick, alias } => return self.again(*pick, *alias, number),
        };
        let inbound = Inbound {
            key: InboundKey::new(format!("event:{number}")),
            aliases: vec![InboundKey::new(format!("nonce:{number}"))],
            place: place_of(&chat_of(chat)),
            sender: Sender {
                id: user_of(chat),
                name: None,
                is_bot: false,
            },
            content,
            message: Some(MessageId::new(format!("m{number}"))),
            reply_to: None,
            sent: Some(self.now().wall),
        };
        self.users.upstream.push_back(inbound.clone());
        self.users.sent.push(Sent { inbound, token });
        true
    }

    fn again(&mut self, pick: u16, alias: bool, number: u64) -> bool {
        // Platforms repeat what is recent.
        let recent = self.users.sent.len().saturating_sub(12);
        let recent = self.users.sent.get(recent..).unwrap_or_default();
        let Some(sent) = recent.get(usize::from(pick) % recent.len().max(1)) else {
            return false;
        };
        let mut inbound = sent.inbound.clone();
        if alias {
            inbound.key = InboundKey::new(format!("event:{number}"));
        }
        self.users.upstream.push_back(inbound);
        true
    }

    /// A delivery: planned, durable, acknowledged, told; in this order.
    pub(crate) fn intake(&mut self, count: usize) -> Flow<bool> {
        let count = count.max(1).min(self.users.upstream.len());
        if count == 0 {
            return Ok(false);
        }
        let received: Vec<Received> = self
            .users
            .upstream
            .iter()
            .take(count)
            .map(|inbound| Received::Inbound(Box::new(inbound.clone())))
            .collect();
        let Some(plan) = self.plan(received)? else {
            return Ok(false);
        };
        let known = plan.duplicates + plan.refused;
        if plan.accepted.len() + known != count {
            return Err(self
                .fail(Promise::P0, "a delivery has events that intake forgot")
                .into());
        }
        let changes = plan.changes.clone();
        if !changes.is_empty() {
            self.commit(CommitKind::Accept, changes)?;
        }
        for record in &plan.accepted {
            self.books.accepted(&record.inbound)?;
        }
        self.pass(CrashPoint(Choke::Ack(AckKind::Offset), Side::Before))?;
        self.acknowledged(count)?;
        self.pass(CrashPoint(Choke::Ack(AckKind::Offset), Side::After))?;
        for record in plan.accepted {
            let place = record.inbound.place.clone();
            self.deliver(place, Input::Inbound(Box::new(record)))?;
        }
        Ok(true)
    }

    fn plan(&mut self, received: Vec<Received>) -> Flow<Option<Plan>> {
        let now = self.now().wall;
        let Some(process) = &mut self.process else {
            return Ok(None);
        };
        let door = Door {
            store: &self.store,
            account: &self.account,
            access: &self.access,
            now,
        };
        let mut seq = || process.next_seq();
        plan(&door, received, None, &mut seq, &mut || "CODE".to_owned())
            .map(Some)
            .map_err(|error| self.fail(Promise::Ledger, error.to_string()).into())
    }

    /// P1: the platform forgets what is acknowledged, so it has to be in the ledger.
    fn acknowledged(&mut self, count: usize) -> Flow {
        for _ in 0..count {
            let Some(inbound) = self.users.upstream.pop_front() else {
                break;
            };
            let names = std::iter::once(&inbound.key).chain(&inbound.aliases);
            let mut kept = !self.access.allow.contains(&inbound.sender.id);
            for name in names {
                for key in [
                    keys::inbound(&self.account, name),
                    keys::alias(&self.account, name),
                ] {
                    kept = kept || matches!(self.ledger().get(&key), Ok(Some(_)));
                }
            }
            if !kept {
                return Err(self
                    .fail(
                        Promise::P1,
                        format!("{} is acknowledged and not kept", inbound.key),
                    )
                    .into());
            }
        }
        Ok(())
    }

    /// A message of ours comes by with its key.
    pub(crate) fn echo(&mut self, pick: u16) -> Flow<bool> {
        let recent = self.platform.messages.len().saturating_sub(8);
        let shown: Vec<_> = self
            .platform
            .messages
            .get(recent..)
            .unwrap_or_default()
            .iter()
            .filter(|message| message.visible)
            .collect();
        let Some(message) = shown.get(usize::from(pick) % shown.len().max(1)) else {
            return Ok(false);
        };
        if self.process.is_none() || !self.variant.echoes() {
            return Ok(false);
        }
        let handle = message.handle.clone();
        let Some((post, _)) = WireKey::parse(LEDGER, message.key.as_str()) else {
            return Ok(false);
        };
        let Some(record) = self.post(post) else {
            return Err(self
                .fail(
                    Promise::P6,
                    format!("post {post} is shown and not in the ledger"),
                )
                .into());
        };
        let place = record.place.clone();
        self.deliver(place, crate::world::drive::evidence(record, handle))?;
        Ok(true)
    }

    pub(crate) fn take_away(&mut self, pick: u16) -> bool {
        let shown: Vec<usize> = (self.platform.messages.len().saturating_sub(6)
            ..self.platform.messages.len())
            .filter(|index| {
                self.platform
                    .messages
                    .get(*index)
                    .is_some_and(|message| message.visible)
            })
            .collect();
        let index = shown.get(usize::from(pick) % shown.len().max(1)).copied();
        let Some(message) = index.and_then(|index| self.platform.messages.get_mut(index)) else {
            return false;
        };
        message.visible = false;
        message.taken = true;
        true
    }

    /// A file whose bytes are with the platform already, from outside the turns.
    pub(crate) fn file(&mut self, chat: u8, withdrawn: bool) -> Flow<bool> {
        let now = self.now().wall;
        let Some(process) = &mut self.process else {
            return Ok(false);
        };
        let origin = process.next_seq();
        let place = place_of(&chat_of(chat));
        let mut post = PostRecord::new(
            PostId { origin, ordinal: 0 },
            conversation_of(chat),
            place.clone(),
            PostKind::File,
            0,
            Wanted::Live,
            now,
        );
        let text = format!("file {origin}");
        post.seal(Body::plain(text.clone()));
        post.known = Known::Staged { reference: text };
        if withdrawn {
            post.withdraw();
        }
        let mut changes = Changes::new(self.account.clone());
        changes
            .post(&post)
            .map_err(|error| self.fail(Promise::Ledger, error.to_string()))?;
        self.commit(CommitKind::Revise, changes)?;
        self.deliver(place, Input::Posted(Box::new(post)))?;
        Ok(true)
    }
}

fn command(command: Command) -> Content {
    Content::Command {
        command,
        args: String::new(),
    }
}

/// How long the quiet at the end may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3 * 3600);
