//! What the golden ledger of format 1 tells: a conversation with an answered and a running turn,
//! a group whose answer is half delivered, people, and what the intake keeps.

use serde_json::json;
use talaria_ledger::Changes;
use talaria_ledger::keys;
use talaria_ledger::record::{RecordError, Unknown};
use talaria_ledger::records::*;
use talaria_ledger::store::{Batch, Epoch, Store, commit_blocking};
use talaria_types::model::{Block, Message, StopReason, ToolClass, ToolResult, UserBlock};
use talaria_types::{
    Body, Button, CallKind, Command, Content, Entity, EntityKind, InboundKey, TurnId, UserId,
};

use super::ACCOUNT;
use super::makers::*;

/// Processes that had the ledger open: the second one goes on where the first crashed.
pub(super) const EPOCHS: u64 = 2;

pub(super) struct Batched(Changes);

impl Batched {
    pub(super) fn into_batch(self, epoch: Epoch) -> Batch {
        Batch {
            preconditions: self.0.preconditions,
            puts: self.0.puts,
            removes: self.0.removes,
            ..Batch::new(epoch)
        }
    }
}

/// What a later process accepts first.
pub(super) fn another_inbound() -> Batched {
    let mut changes = Changes::new(account());
    let record = inbound(seq(EPOCHS + 1, 1), direct(), "99", text("still there?"));
    changes.inbound(&record).unwrap();
    Batched(changes)
}

type Scene = fn(&mut Changes) -> Result<(), RecordError>;

/// Plays the scene into an empty store, as one process and then another would.
pub(super) fn play(store: &dyn Store) {
    let mut epoch = store.open_epoch(ACCOUNT).unwrap();
    let scenes: [Scene; 8] = [
        hello,
        accept,
        answer,
        deliver,
        group_turn,
        group_posts,
        crash,
        people,
    ];
    for (number, scene) in scenes.into_iter().enumerate() {
        if number == 6 {
            epoch = store.open_epoch(ACCOUNT).unwrap();
        }
        let mut changes = Changes::new(account());
        scene(&mut changes).unwrap();
        commit_blocking(store, Batched(changes).into_batch(epoch.clone())).unwrap();
    }
}

fn hello(changes: &mut Changes) -> Result<(), RecordError> {
    let mut unknown = Unknown::new();
    unknown.insert("region".to_owned(), json!("eu"));
    let record = AccountRecord {
        account: account(),
        first_seen: AT,
        clean: false,
        unknown,
    };
    changes.put(keys::account(&account()), &record)
}

fn first() -> InboundRecord {
    let mut record = inbound(seq(1, 1), direct(), "42", text("What is a ledger?"));
    // One alias is longer than a key takes: it goes in as a hash.
    let long = format!("client:{}", "é".repeat(200));
    record.inbound.aliases = vec![InboundKey::new("event:Ev1"), InboundKey::new(long)];
    record
}

fn second() -> InboundRecord {
    inbound(
        seq(1, 2),
        direct(),
        "44",
        text("And what time is it?\n\"UTC\" please"),
    )
}

fn of_group() -> InboundRecord {
    inbound(seq(1, 3), group(), "70", text("Explain it to all of us."))
}

fn accept(changes: &mut Changes) -> Result<(), RecordError> {
    let stop = Content::Command {
        command: Command::Stop,
        args: String::new(),
    };
    let waiting = inbound(seq(1, 4), direct(), "45", text("Hello?"));
    let mut stop = inbound(seq(1, 5), group(), "71", stop);
    for record in [&first(), &second(), &of_group(), &waiting, &stop] {
        changes.inbound(record)?;
    }
    for alias in &first().inbound.aliases {
        let target = AliasRecord {
            of: first().inbound.key,
            unknown: Unknown::new(),
        };
        changes.put(keys::alias(&account(), alias), &target)?;
    }
    // Ended without an answer: only its tombstone is left.
    stop.end = Some(End::Cancelled {
        reason: CancelReason::Access,
    });
    changes.put(keys::inbound(&account(), &stop.inbound.key), &stop)?;
    changes.remove(keys::open(&account(), &stop.conversation, stop.seq));
    let cursor = CursorRecord {
        cursor: "906".to_owned(),
        at: AT,
        unknown: Unknown::new(),
    };
    changes.put(keys::cursor(&account()), &cursor)?;
    let watermark = WatermarkRecord {
        mark: "71".to_owned(),
        gaps: vec![Gap {
            after: "60".to_owned(),
            before: "70".to_owned(),
        }],
        unknown: Unknown::new(),
    };
    changes.put(keys::watermark(&account(), "-100"), &watermark)?;
    let quarantine = QuarantineRecord {
        id: "update 905".to_owned(),
        reason: "it has no chat".to_owned(),
        raw: r#"{"update_id":905,"new_thing":{}}"#.to_owned(),
        at: AT,
        unknown: Unknown::new(),
    };
    changes.put(keys::quarantine(&account(), seq(1, 6)), &quarantine)?;
    changes.turn(&turn_of(&first(), 1))?;
    changes.session(&id_of(&direct()), &session(direct(), 0, 1))
}

fn answer_body() -> Body {
    Body {
        text: "A ledger remembers.".to_owned(),
        entities: vec![Entity {
            kind: EntityKind::Bold,
            offset: 2,
            length: 6,
        }],
        buttons: vec![Button {
            label: "More".to_owned(),
            data: "more".to_owned(),
        }],
    }
}

/// The commit of P3.
fn answer(changes: &mut Changes) -> Result<(), RecordError> {
    let mut turn = turn_of(&first(), 1);
    let said = vec![Block::Text {
        text: "A **ledger** remembers.".to_owned(),
    }];
    changes.step(&step_of(turn.id, said.clone(), StopReason::EndTurn))?;
    let mut post = post(&turn, 0);
    turn.state = TurnState::Settled {
        outcome: Outcome::Finished,
        at: AT,
    };
    changes.turn(&turn)?;
    let mut record = first();
    record.end = Some(End::Answered { turn: turn.id });
    changes.inbound(&record)?;
    let asked = vec![UserBlock::Text {
        text: "What is a ledger?".to_owned(),
    }];
    let messages = [
        Message::User { content: asked },
        Message::Assistant { content: said },
    ];
    for (number, message) in (0..).zip(messages) {
        let entry = EntryRecord {
            turn: turn.id,
            at: AT,
            message,
            unknown: Unknown::new(),
        };
        changes.entry(&turn.conversation, 1, number, &entry)?;
    }
    post.seal(answer_body());
    changes.session(&turn.conversation, &session(direct(), 2, 1))?;
    changes.post(&post)
}

fn deliver(changes: &mut Changes) -> Result<(), RecordError> {
    let mut post = post(&turn_of(&first(), 1), 0);
    post.seal(answer_body());
    post.known = here("7", "43", Rev::Sealed(1));
    post.acknowledged = Some(1);
    post.settle(Settlement::Delivered, AT);
    changes.post(&post)?;
    // The next turn starts.
    changes.turn(&turn_of(&second(), 2))?;
    changes.session(&id_of(&direct()), &session(direct(), 2, 2))?;
    let id = TurnId(second().seq);
    let call = |id: &str, name: &str, input| Block::ToolUse {
        id: id.to_owned(),
        name: name.to_owned(),
        input,
    };
    let blocks = vec![
        Block::Text {
            text: "Let me look.".to_owned(),
        },
        call("toolu_01", "current_time", json!({ "zone": "UTC" })),
        call(
            "toolu_02",
            "note",
            json!({ "text": "asked for the time", "weight": 0.25 }),
        ),
    ];
    changes.step(&step_of(id, blocks, StopReason::ToolUse))?;
    let tools = [
        ("toolu_01", "current_time", ToolClass::Pure),
        ("toolu_02", "note", ToolClass::Effect),
    ];
    for (number, (tool_use_id, name, class)) in (0..).zip(tools) {
        let result = ToolResult {
            tool_use_id: tool_use_id.to_owned(),
            content: "12:00".to_owned(),
            is_error: false,
        };
        let state = match class {
            ToolClass::Pure => ToolState::Finished { at: AT, result },
            ToolClass::Keyed | ToolClass::Effect => ToolState::Started { at: AT },
        };
        changes.tool(&ToolRecord {
            turn: id,
            step: 0,
            call: number,
            tool_use_id: tool_use_id.to_owned(),
            name: name.to_owned(),
            class,
            state,
            unknown: Unknown::new(),
        })?;
    }
    Ok(())
}

fn group_turn(changes: &mut Changes) -> Result<(), RecordError> {
    changes.session(&id_of(&group()), &session(group(), 0, 1))?;
    changes.turn(&turn_of(&of_group(), 1))
}

/// A settled turn whose posts are: maybe sent, never tried, and a draft to be removed.
fn group_posts(changes: &mut Changes) -> Result<(), RecordError> {
    let mut turn = turn_of(&of_group(), 1);
    let mut posts: Vec<PostRecord> = (0..3).map(|ordinal| post(&turn, ordinal)).collect();
    posts[0].seal(Body::plain("The first part."));
    posts[0].known = Known::Unresolved {
        attempt: attempt(3, CallKind::Create, Rev::Live),
        looks: 1,
        undecidable: false,
    };
    posts[1].seal(Body::plain("é".repeat(6000)));
    posts[2].known = here("-100", "73", Rev::Live);
    posts[2].withdraw();
    turn.state = TurnState::Settled {
        outcome: Outcome::Failed {
            error: talaria_types::model::ModelErrorKind::Overloaded,
        },
        at: AT,
    };
    changes.turn(&turn)?;
    let mut record = of_group();
    record.end = Some(End::Answered { turn: turn.id });
    changes.inbound(&record)?;
    posts.iter().try_for_each(|post| changes.post(post))
}

/// The second process takes the running turn up, and counts it.
fn crash(changes: &mut Changes) -> Result<(), RecordError> {
    let mut turn = turn_of(&second(), 2);
    turn.continuations = 1;
    changes.turn(&turn)
}

fn people(changes: &mut Changes) -> Result<(), RecordError> {
    let states = [
        PairingState::Approved { at: AT },
        PairingState::Requested {
            code: "K7QM-2XVT".to_owned(),
            at: AT,
        },
        PairingState::Revoked { at: AT },
    ];
    for (number, state) in (5001..).zip(states) {
        let user = UserId::new(number.to_string());
        let record = PairingRecord {
            user: user.clone(),
            name: (number == 5001).then(|| "Ada 🦀".to_owned()),
            place: direct(),
            state,
            unknown: Unknown::new(),
        };
        changes.put(keys::pairing(&account(), &user), &record)?;
    }
    Ok(())
}
