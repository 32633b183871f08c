use serde_json::json;
use talaria_ledger::records::{
    InboundRecord, Outcome, SessionRecord, StepRecord, ToolRecord, ToolState,
};
use talaria_types::model::{Block, StopReason, StreamEvent, ToolClass, Usage};
use talaria_types::{Command, Wall};

use super::*;
use crate::snapshot::{OpenTurn, Snapshot};
use crate::testing::{Around, BEGIN, accepted, account, inbound, place, text, turn_record};

const OWNER: Owner = Owner {
    epoch: 1,
    ledger: [0; 4],
    after_crash: true,
    first_fence: 0,
};

fn restored(snapshot: &Snapshot, around: &Around) -> Conversation {
    let id = place().conversation(None);
    Conversation::restore(account(), id, place(), snapshot, OWNER, &around.cx())
}

fn begin(around: &Around) -> Conversation {
    let mut machine = restored(&Snapshot::default(), around);
    machine.on(Input::Start, &around.cx()).unwrap();
    machine
}

fn tell(machine: &mut Conversation, record: InboundRecord, around: &Around) -> Vec<Effect> {
    machine
        .on(Input::Inbound(Box::new(record)), &around.cx())
        .unwrap()
}

fn says(machine: &mut Conversation, event: StreamEvent, around: &Around) -> Vec<Effect> {
    let turn = machine.running().unwrap();
    let input = Input::Model {
        turn,
        ask: 1,
        event,
    };
    machine.on(input, &around.cx()).unwrap()
}

fn command(number: u64, command: Command) -> InboundRecord {
    let content = Content::Command {
        command,
        args: String::new(),
    };
    accepted(number, inbound(number, content))
}

/// The effects that reach outside or the ledger, in order, by name.
fn names(effects: &[Effect]) -> Vec<&'static str> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Commit { kind, .. } => Some(kind.name()),
            Effect::Ask { .. } => Some("ask"),
            Effect::RunTool { .. } => Some("tool"),
            Effect::Cancel { .. } => Some("cancel"),
            _ => None,
        })
        .collect()
}

/// Every inbound that was given an end, by its number.
fn ends(effects: &[Effect]) -> Vec<(u64, End)> {
    let mut ends = Vec::new();
    for effect in effects {
        if let Effect::Commit { changes, .. } = effect {
            for (_, value) in &changes.puts {
                if let Ok(record) = talaria_ledger::record::decode::<InboundRecord>(value) {
                    ends.extend(record.end.map(|end| (record.seq.0, end)));
                }
            }
        }
    }
    ends
}

fn end() -> StreamEvent {
    StreamEvent::End {
        stop_reason: StopReason::EndTurn,
        usage: Usage::default(),
    }
}

fn pay() -> Block {
    Block::ToolUse {
        id: "t0".to_owned(),
        name: "pay".to_owned(),
        input: json!({}),
    }
}

#[test]
fn p5_nothing_is_asked_or_run_before_its_record_is_committed() {
    let around = Around::new();
    let mut machine = begin(&around);
    let effects = tell(&mut machine, accepted(1, text(1, "hello")), &around);
    assert_eq!(names(&effects), ["start", "ask"]);
    let block = StreamEvent::BlockStop {
        index: 0,
        block: pay(),
    };
    assert_eq!(
        names(&says(&mut machine, block, &around)),
        Vec::<&str>::new()
    );
    let effects = says(&mut machine, end(), &around);
    assert_eq!(names(&effects), ["step", "tool_started", "tool"]);
}

#[test]
fn p3_a_turn_its_inbounds_end_and_its_posts_are_one_commit() {
    let around = Around::new();
    let mut machine = begin(&around);
    tell(&mut machine, accepted(1, text(1, "hello")), &around);
    let block = Block::Text {
        text: "Good day".to_owned(),
    };
    says(
        &mut machine,
        StreamEvent::BlockStop { index: 0, block },
        &around,
    );
    let effects = says(&mut machine, end(), &around);
    assert_eq!(names(&effects), ["settle"]);
    let turn = TurnId(Seq(1));
    assert_eq!(ends(&effects), [(1, End::Answered { turn })]);
    let posts = crate::testing::written(&effects);
    assert_eq!(posts.len(), 1);
    assert!(machine.running().is_none());
}

#[test]
fn p2_an_inbound_that_is_told_twice_starts_one_turn() {
    let around = Around::new();
    let mut machine = begin(&around);
    tell(&mut machine, accepted(1, text(1, "hello")), &around);
    let again = tell(&mut machine, accepted(1, text(1, "hello")), &around);
    assert_eq!(names(&again), Vec::<&str>::new());
    assert!(machine.session.queue.is_empty());
}

#[test]
fn stop_settles_the_turn_and_itself_in_one_commit() {
    let around = Around::new();
    let mut machine = begin(&around);
    let idle = tell(&mut machine, command(1, Command::Stop), &around);
    assert_eq!(names(&idle), ["command"]);
    tell(&mut machine, accepted(2, text(2, "hello")), &around);
    let effects = tell(&mut machine, command(3, Command::Stop), &around);
    assert_eq!(names(&effects), ["cancel", "settle"]);
    let turn = TurnId(Seq(2));
    let ends = ends(&effects);
    assert!(ends.contains(&(2, End::Answered { turn })), "{ends:?}");
    assert!(ends.contains(&(3, End::Command)), "{ends:?}");
}

#[test]
fn new_ends_what_waits_and_begins_a_generation_in_one_commit() {
    let around = Around::new();
    let mut machine = begin(&around);
    for number in [1, 2, 3] {
        tell(
            &mut machine,
            accepted(number, text(number, "hello")),
            &around,
        );
    }
    let effects = tell(&mut machine, command(4, Command::New), &around);
    assert_eq!(names(&effects), ["cancel", "settle"]);
    let reason = CancelReason::New;
    for number in [2, 3] {
        assert!(ends(&effects).contains(&(number, End::Cancelled { reason })));
    }
    assert_eq!(machine.session.record.generation, 1);
    assert!(machine.session.transcript.is_empty());
}

#[test]
fn p0_an_edit_takes_the_place_of_what_has_not_started() {
    let around = Around::new();
    let mut machine = begin(&around);
    for number in [1, 2] {
        tell(
            &mut machine,
            accepted(number, text(number, "hello")),
            &around,
        );
    }
    let content = Content::Edit {
        of: InboundKey::new("new:2"),
        text: "better".to_owned(),
    };
    let effects = tell(&mut machine, accepted(3, inbound(3, content)), &around);
    let reason = CancelReason::Edited;
    assert_eq!(ends(&effects), [(2, End::Cancelled { reason })]);
    let waiting: Vec<u64> = machine.session.queue.iter().map(|w| w.seq.0).collect();
    assert_eq!(waiting, [3]);
}

#[test]
fn p12_whoever_lost_access_is_ended_and_not_asked_about() {
    let around = Around::new();
    let mut machine = begin(&around);
    let mut inbound = text(1, "hello");
    inbound.sender.id = talaria_types::UserId::new("stranger");
    let effects = tell(&mut machine, accepted(1, inbound), &around);
    let reason = CancelReason::Access;
    assert_eq!(ends(&effects), [(1, End::Cancelled { reason })]);
    assert!(machine.running().is_none());
}

#[test]
fn p0_what_is_too_old_is_expired_and_it_is_said() {
    let mut around = Around::new();
    around.later(25 * 3600);
    let mut machine = begin(&around);
    let effects = tell(&mut machine, accepted(1, text(1, "hello")), &around);
    assert_eq!(ends(&effects), [(1, End::Expired)]);
    assert!(!crate::testing::written(&effects).is_empty());
}

fn left_running(continuations: u32) -> Snapshot {
    let mut record = turn_record(1);
    record.continuations = continuations;
    let (turn, at) = (record.id, Wall(BEGIN));
    let session = SessionRecord {
        place: place(),
        generation: 0,
        entries: 0,
        replies: 1,
        updated: at,
        unknown: Default::default(),
    };
    Snapshot {
        session: Some(session),
        turn: Some(OpenTurn {
            inbounds: vec![accepted(1, text(1, "hello"))],
            steps: vec![StepRecord {
                turn,
                step: 0,
                blocks: vec![pay()],
                stop_reason: StopReason::ToolUse,
                usage: Usage::default(),
                at,
                unknown: Default::default(),
            }],
            tools: vec![ToolRecord {
                turn,
                step: 0,
                call: 0,
                tool_use_id: "t0".to_owned(),
                name: "pay".to_owned(),
                class: ToolClass::Effect,
                state: ToolState::Started { at },
                unknown: Default::default(),
            }],
            record,
        }),
        ..Snapshot::default()
    }
}

#[test]
fn p5_a_turn_goes_on_from_its_journal_and_an_effect_is_not_repeated() {
    let around = Around::new();
    let mut machine = restored(&left_running(0), &around);
    let effects = machine.on(Input::Start, &around.cx()).unwrap();
    assert_eq!(
        names(&effects),
        ["recovery", "ask"],
        "counted first, and no tool"
    );
    let asked = effects.iter().find_map(|effect| match effect {
        Effect::Ask { request, .. } => Some(format!("{:?}", request.messages)),
        _ => None,
    });
    assert!(asked.unwrap().contains(crate::wording::TOOL_UNKNOWN));
}

#[test]
fn p13_the_third_crash_without_a_record_settles_the_turn() {
    let around = Around::new();
    for (crashes, settles) in [(0, false), (1, false), (2, true)] {
        let mut machine = restored(&left_running(crashes), &around);
        let effects = machine.on(Input::Start, &around.cx()).unwrap();
        assert_eq!(names(&effects).contains(&"settle"), settles, "{crashes}");
        let given_up = effects.iter().any(|effect| {
            matches!(effect, Effect::Note(Note::TurnSettled { outcome, .. }) if *outcome == Outcome::GivenUp)
        });
        assert_eq!(given_up, settles);
        assert_eq!(crate::testing::written(&effects).is_empty(), !settles);
    }
}
