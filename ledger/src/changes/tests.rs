use talaria_types::{
    Body, ChatId, Content, Handle, Inbound, InboundKey, MessageId, Place, PlaceKind, PostId,
    Sender, Seq, TurnId, UserId, Wall,
};

use super::*;
use crate::keys::Tag;
use crate::record::{Unknown, decode};
use crate::records::{
    CancelReason, End, Gone, Known, Outcome, Phase, PostKind, Rev, Settled, Settlement, Wanted,
};
use crate::store::{Batch, CommitError, Epoch, LedgerId, MemoryStore, Store};

const AT: Wall = Wall(5);

/// A store and the account that it is written for.
struct Ledger {
    store: MemoryStore,
    epoch: Epoch,
}

impl Ledger {
    fn new() -> Self {
        let store = MemoryStore::new(LedgerId([1; 16]));
        let epoch = store.open_epoch("test:1").unwrap();
        Self { store, epoch }
    }

    #[expect(clippy::disallowed_methods, reason = "a test of what a commit leaves")]
    fn commit(&self, changes: Changes) -> Result<(), CommitError> {
        let batch = Batch {
            preconditions: changes.preconditions,
            puts: changes.puts,
            removes: changes.removes,
            ..Batch::new(self.epoch.clone())
        };
        crate::store::commit_blocking(&self.store, batch).map(|_durable| ())
    }

    /// Commits what `change` writes.
    fn write(
        &self,
        change: impl FnOnce(&mut Changes) -> Result<(), RecordError>,
    ) -> Result<(), CommitError> {
        let mut changes = Changes::new(account());
        change(&mut changes).unwrap();
        self.commit(changes)
    }

    /// The entries under a tag: what follows the tag in the key, and the value.
    fn under(&self, tag: Tag) -> Vec<(Vec<String>, Vec<u8>)> {
        let prefix = keys::prefix(&account(), tag);
        let entries = self.store.scan(&prefix, None, 100).unwrap();
        let parts = |key: &[u8]| keys::parts(key).into_iter().skip(2).collect();
        entries
            .into_iter()
            .map(|(key, value)| (parts(&key), value))
            .collect()
    }

    fn count(&self, tag: Tag) -> usize {
        self.under(tag).len()
    }
}

fn account() -> AccountId {
    AccountId::new("test:1")
}

fn conversation() -> ConversationId {
    ConversationId::new("test:1/7")
}

fn place() -> Place {
    Place {
        account: account(),
        kind: PlaceKind::Direct,
        chat: ChatId::new("7"),
        thread: None,
    }
}

fn inbound(seq: u64, end: Option<End>) -> InboundRecord {
    InboundRecord {
        seq: Seq(seq),
        conversation: conversation(),
        accepted: AT,
        inbound: Inbound {
            key: InboundKey::new(format!("new:7:{seq}")),
            aliases: Vec::new(),
            place: place(),
            sender: Sender {
                id: UserId::new("5001"),
                name: None,
                is_bot: false,
            },
            content: Content::Text {
                text: "hi".to_owned(),
            },
            message: None,
            reply_to: None,
            sent: None,
        },
        end,
        unknown: Unknown::new(),
    }
}

fn turn(seq: u64, state: TurnState) -> TurnRecord {
    TurnRecord {
        id: TurnId(Seq(seq)),
        conversation: conversation(),
        place: place(),
        generation: 0,
        reply: 1,
        inbounds: Vec::new(),
        started: AT,
        state,
        continuations: 0,
        usage: Default::default(),
        unknown: Unknown::new(),
    }
}

fn post() -> PostRecord {
    let id = PostId {
        origin: Seq(0xab),
        ordinal: 3,
    };
    let mut post = PostRecord::new(
        id,
        conversation(),
        place(),
        PostKind::Answer,
        1,
        Wanted::Live,
        AT,
    );
    post.seal(Body::plain("answer"));
    post
}

fn ends() -> Vec<End> {
    vec![
        End::Answered {
            turn: TurnId(Seq(1)),
        },
        End::Merged {
            turn: TurnId(Seq(1)),
        },
        End::Command,
        End::Cancelled {
            reason: CancelReason::New,
        },
        End::Expired,
    ]
}

#[test]
fn p0_an_inbound_is_in_the_open_index_exactly_until_its_end() {
    for end in ends() {
        let ledger = Ledger::new();
        ledger.write(|it| it.inbound(&inbound(2, None))).unwrap();
        ledger.write(|it| it.inbound(&inbound(3, None))).unwrap();
        let open = |seq: u64| {
            let parts = vec!["test:1/7".to_owned(), format!("{seq:016x}")];
            (parts, format!("new:7:{seq}").into_bytes())
        };
        assert_eq!(ledger.under(Tag::Open), [open(2), open(3)]);
        ledger
            .write(|it| it.inbound(&inbound(2, Some(end.clone()))))
            .unwrap();
        assert_eq!(ledger.under(Tag::Open), [open(3)]);
        // The record stays: it is what makes a duplicate known (P2).
        let stored: Vec<InboundRecord> = ledger
            .under(Tag::Inbound)
            .iter()
            .map(|(_, value)| decode(value).unwrap())
            .collect();
        assert_eq!(stored, [inbound(2, Some(end)), inbound(3, None)]);
    }
}

#[test]
fn p0_a_second_end_of_an_inbound_is_refused_whatever_it_is() {
    let ledger = Ledger::new();
    ledger.write(|it| it.inbound(&inbound(2, None))).unwrap();
    ledger
        .write(|it| it.inbound(&inbound(2, Some(End::Command))))
        .unwrap();
    for end in ends() {
        let second = ledger.write(|it| {
            it.put(keys::account(&account()), &inbound(9, None))?;
            it.inbound(&inbound(2, Some(end)))
        });
        assert!(matches!(second, Err(CommitError::Conflict { .. })));
    }
    // Nothing of the refused commits is there.
    assert_eq!(ledger.count(Tag::Account), 0);
    let stored: InboundRecord = decode(&ledger.under(Tag::Inbound)[0].1).unwrap();
    assert_eq!(stored.end, Some(End::Command));
}

#[test]
fn p3_a_turn_is_in_the_running_index_exactly_until_it_is_settled_once() {
    let ledger = Ledger::new();
    let outcomes = [
        Outcome::Finished,
        Outcome::Stopped,
        Outcome::Failed {
            error: talaria_types::model::ModelErrorKind::Auth,
        },
        Outcome::GivenUp,
        Outcome::Superseded,
    ];
    for (seq, outcome) in (1..).zip(outcomes) {
        let settled = || turn(seq, TurnState::Settled { outcome, at: AT });
        ledger
            .write(|it| it.turn(&turn(seq, TurnState::Running)))
            .unwrap();
        let running = vec![(vec!["test:1/7".to_owned()], seq.to_be_bytes().to_vec())];
        assert_eq!(ledger.under(Tag::Running), running);
        ledger.write(|it| it.turn(&settled())).unwrap();
        assert_eq!(ledger.count(Tag::Running), 0);
        let again = ledger.write(|it| it.turn(&settled()));
        assert!(matches!(again, Err(CommitError::Conflict { .. })));
    }
    assert_eq!(ledger.count(Tag::Turn), 5);
}

#[test]
fn a_post_is_owed_exactly_until_it_is_settled_and_again_when_it_is_sealed_anew() {
    let settlements = [
        Settlement::Delivered,
        Settlement::DeliveredUnseen,
        Settlement::Withdrawn,
        Settlement::RemovedBySomeone,
        Settlement::Refused {
            reason: "why".to_owned(),
        },
        Settlement::Unresolved,
        Settlement::Expired,
        Settlement::GivenUp,
    ];
    for how in settlements {
        let ledger = Ledger::new();
        let mut post = post();
        let owed = [(
            vec![
                "test:1/7".to_owned(),
                format!("{:016x}", 0xab),
                format!("{:016x}", 3),
            ],
            Vec::new(),
        )];
        for wanted in [Wanted::Live, post.wanted.clone(), Wanted::Absent] {
            post.wanted = wanted;
            ledger.write(|it| it.post(&post)).unwrap();
            assert_eq!(ledger.under(Tag::Owed), owed);
        }
        post.settled = Some(Settled { at: AT, how });
        ledger.write(|it| it.post(&post)).unwrap();
        assert_eq!(ledger.count(Tag::Owed), 0);
        assert_eq!(ledger.count(Tag::Post), 1);
        post.seal(Body::plain("corrected"));
        ledger.write(|it| it.post(&post)).unwrap();
        assert_eq!(ledger.under(Tag::Owed), owed);
    }
}

#[test]
fn a_message_leads_to_its_post_from_the_first_receipt_on_and_for_good() {
    let ledger = Ledger::new();
    let mut post = post();
    for known in [
        Known::None,
        Known::Staged {
            reference: "r".to_owned(),
        },
        Known::Gone { why: Gone::Lost },
    ] {
        post.known = known;
        ledger.write(|it| it.post(&post)).unwrap();
        assert_eq!(ledger.count(Tag::Handle), 0);
    }
    let here = |message: &str| Known::Here {
        handle: Handle {
            chat: ChatId::new("7"),
            message: MessageId::new(message),
        },
        phase: Phase::Closed,
        rev: Rev::Live,
    };
    let index = |message: &str| {
        let parts = vec!["7".to_owned(), message.to_owned()];
        (parts, b"00000000000000ab0003".to_vec())
    };
    post.known = here("41");
    ledger.write(|it| it.post(&post)).unwrap();
    assert_eq!(ledger.under(Tag::Handle), [index("41")]);
    // A press on the superseded message still finds the post.
    post.supersede();
    ledger.write(|it| it.post(&post)).unwrap();
    post.known = here("42");
    post.settle(Settlement::Delivered, AT);
    ledger.write(|it| it.post(&post)).unwrap();
    assert_eq!(ledger.under(Tag::Handle), [index("41"), index("42")]);
}

#[test]
fn in_one_commit_the_last_word_on_a_post_stands() {
    let ledger = Ledger::new();
    let owed = post();
    let mut settled = post();
    settled.settle(Settlement::Delivered, AT);
    for (first, last, count) in [(&owed, &settled, 0), (&settled, &owed, 1)] {
        let both = |it: &mut Changes| {
            it.post(first)?;
            it.post(last)
        };
        ledger.write(both).unwrap();
        assert_eq!(ledger.count(Tag::Owed), count);
        let stored: PostRecord = decode(&ledger.under(Tag::Post)[0].1).unwrap();
        assert_eq!(stored, *last);
    }
}

#[test]
fn p2_what_is_required_of_a_key_decides_the_whole_commit() {
    let ledger = Ledger::new();
    let key = || keys::inbound(&account(), &InboundKey::new("new:7:2"));
    let write = |seq: u64, require: &dyn Fn(&mut Changes)| {
        ledger.write(|it| {
            require(it);
            it.inbound(&inbound(seq, None))
        })
    };
    assert!(write(3, &|it| it.require_present(key())).is_err());
    assert!(write(2, &|it| it.require_absent(key())).is_ok());
    assert!(write(3, &|it| it.require_absent(key())).is_err());
    assert_eq!(ledger.count(Tag::Inbound), 1);
    assert!(write(3, &|it| it.require_present(key())).is_ok());
}

#[test]
fn nothing_written_is_empty_whatever_is_required() {
    let mut changes = Changes::new(account());
    changes.require_absent(b"key".to_vec());
    assert!(changes.is_empty());
    changes.remove(b"key".to_vec());
    assert!(!changes.is_empty());
}
