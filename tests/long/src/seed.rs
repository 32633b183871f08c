//! A ledger with a past: many delivered answers and some that are owed, written with the ledger's
//! own records in the batches that the gateway would have committed.

use std::path::Path;

use talaria_ledger::record::Record;
use talaria_ledger::records::{
    AccountRecord, End, FrozenInbound, InboundRecord, Known, Outcome, Phase, PostKind, PostRecord,
    Rev, SessionRecord, Settled, Settlement, TurnRecord, TurnState, Wanted,
};
use talaria_ledger::store::{
    Batch, Epoch, LedgerId, SledOptions, SledStore, Store, commit_blocking,
};
use talaria_ledger::{Changes, folder, keys};
use talaria_types::{
    AccountId, Body, ChatId, Content, ConversationId, Handle, Inbound, InboundKey, MessageId,
    Place, PlaceKind, PostId, Sender, Seq, TurnId, UserId, Wall,
};

/// Conversations that the past is spread over.
pub const CONVERSATIONS: usize = 200;
/// How many commits are written as one, which only makes the seeding quicker.
const GROUP: usize = 200;

/// What the ledger is to hold.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    pub delivered: usize,
    /// Sealed and never sent, one a conversation.
    pub owed: usize,
    pub now_ms: u64,
}

/// The text of owed answer `number`.
#[must_use]
pub fn owed_text(number: usize) -> String {
    format!("This answer is owed: {}", crate::texts::mark(number))
}

/// Writes it into the data folder; the store is closed when this returns.
///
/// # Panics
/// If the ledger can't be written.
pub fn seed(root: &Path, bot_id: i64, past: Past) {
    let store = folder::open(root, SledOptions::default(), LedgerId([9; 16])).expect("a ledger");
    let account = AccountId::new(format!("telegram:{bot_id}"));
    let epoch = store.open_epoch(account.as_str()).expect("an epoch");
    let mut writer = Writer {
        store,
        epoch,
        account,
        changes: None,
        grouped: 0,
        now: Wall(past.now_ms),
    };
    for number in 0..past.delivered {
        writer.turn(number, false);
    }
    for number in 0..past.owed {
        writer.turn(past.delivered + number, true);
    }
    writer.account();
    writer.flush();
}

struct Writer {
    store: SledStore,
    epoch: Epoch,
    account: AccountId,
    changes: Option<Changes>,
    grouped: usize,
    now: Wall,
}

impl Writer {
    fn put<R: Record>(&mut self, key: Vec<u8>, record: &R) {
        let account = self.account.clone();
        let changes = self.changes.get_or_insert_with(|| Changes::new(account));
        // Not `Changes::put`, which looks for an earlier put of the same key: there is none.
        let value = talaria_ledger::record::encode(record).expect("a record");
        changes.puts.push((key, value));
    }

    fn mark(&mut self, key: Vec<u8>, value: Vec<u8>) {
        let account = self.account.clone();
        let changes = self.changes.get_or_insert_with(|| Changes::new(account));
        changes.puts.push((key, value));
    }

    fn flush(&mut self) {
        self.grouped = 0;
        if let Some(changes) = self.changes.take() {
            let mut batch = Batch::new(self.epoch.clone());
            batch.puts = changes.puts;
            commit_blocking(&self.store, batch).expect("a commit");
        }
    }

    /// The account, and the sessions.
    fn account(&mut self) {
        let record = AccountRecord {
            account: self.account.clone(),
            first_seen: self.now,
            clean: false,
            unknown: Default::default(),
        };
        self.put(keys::account(&self.account), &record);
        for conversation in 0..CONVERSATIONS {
            let place = self.place(conversation);
            let record = SessionRecord {
                place: place.clone(),
                generation: 0,
                entries: 0,
                replies: 1_000_000,
                updated: self.now,
                unknown: Default::default(),
            };
            let key = keys::session(&self.account, &place.conversation(None));
            self.put(key, &record);
        }
    }

    fn place(&self, conversation: usize) -> Place {
        Place {
            account: self.account.clone(),
            kind: PlaceKind::Direct,
            chat: ChatId::new(crate::options::user(conversation).to_string()),
            thread: None,
        }
    }

    /// A message that was answered: its inbound, its turn and its post.
    fn turn(&mut self, number: usize, owed: bool) {
        let place = self.place(number % CONVERSATIONS);
        let conversation = place.conversation(None);
        let seq = Seq((self.epoch.number << 32) + number as u64 + 1);
        let inbound = self.inbound(seq, number, &place, &conversation);
        self.put(
            keys::inbound(&self.account.clone(), &inbound.inbound.key),
            &inbound,
        );
        let turn = self.settled_turn(&inbound, number);
        self.put(keys::turn(&self.account.clone(), turn.id), &turn);
        let post = self.post(&inbound, number, owed);
        if owed {
            let key = keys::owed(&self.account, &conversation, post.id);
            self.mark(key, Vec::new());
        }
        if let Some(handle) = post.handle() {
            let index = format!("{:016x}{:04x}", post.id.origin.0, post.id.ordinal);
            let key = keys::handle(&self.account, handle);
            self.mark(key, index.into_bytes());
        }
        self.put(keys::post(&self.account.clone(), post.id), &post);
        self.grouped += 1;
        if self.grouped >= GROUP {
            self.flush();
        }
    }

    fn inbound(
        &self,
        seq: Seq,
        number: usize,
        place: &Place,
        conversation: &ConversationId,
    ) -> InboundRecord {
        InboundRecord {
            seq,
            conversation: conversation.clone(),
            accepted: self.now,
            inbound: Inbound {
                key: InboundKey::new(format!("new:{}:{}", place.chat, number * 2 + 1)),
                aliases: Vec::new(),
                place: place.clone(),
                sender: Sender {
                    id: UserId::new(place.chat.as_str()),
                    name: Some("User".to_owned()),
                    is_bot: false,
                },
                content: Content::Text {
                    text: format!("Question {number}"),
                },
                message: Some(MessageId::new((number * 2 + 1).to_string())),
                reply_to: None,
                sent: Some(self.now),
            },
            end: Some(End::Answered { turn: TurnId(seq) }),
            unknown: Default::default(),
        }
    }

    fn settled_turn(&self, inbound: &InboundRecord, number: usize) -> TurnRecord {
        TurnRecord {
            id: TurnId(inbound.seq),
            conversation: inbound.conversation.clone(),
            place: inbound.inbound.place.clone(),
            generation: 0,
            reply: number as u64,
            inbounds: vec![FrozenInbound {
                seq: inbound.seq,
                key: inbound.inbound.key.clone(),
                sender: inbound.inbound.sender.id.clone(),
                message: inbound.inbound.message.clone(),
                text: format!("Question {number}"),
            }],
            started: self.now,
            state: TurnState::Settled {
                outcome: Outcome::Finished,
                at: self.now,
            },
            continuations: 0,
            usage: Default::default(),
            unknown: Default::default(),
        }
    }

    fn post(&self, inbound: &InboundRecord, number: usize, owed: bool) -> PostRecord {
        let id = PostId {
            origin: inbound.seq,
            ordinal: 0,
        };
        let text = if owed {
            owed_text(number)
        } else {
            format!(
                "This answer was delivered: {} {}",
                crate::texts::mark(number),
                crate::texts::marked(number, 1)
            )
        };
        let place = inbound.inbound.place.clone();
        let mut post = PostRecord::new(
            id,
            inbound.conversation.clone(),
            place.clone(),
            PostKind::Answer,
            number as u64,
            Wanted::Sealed {
                rev: 1,
                body: Body::plain(text),
            },
            self.now,
        );
        if !owed {
            post.known = Known::Here {
                handle: Handle {
                    chat: place.chat,
                    message: MessageId::new((number * 2 + 2).to_string()),
                },
                phase: Phase::Closed,
                rev: Rev::Sealed(1),
            };
            post.acknowledged = Some(1);
            post.settled = Some(Settled {
                at: self.now,
                how: Settlement::Delivered,
            });
        }
        post
    }
}
