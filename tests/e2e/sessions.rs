//! Cases about sessions.

use std::fs;
use std::sync::Arc;

use serde_json::Value;
use talaria_emulators::anthropic::{Matcher, Message, Reply};
use talaria_harness::Rig;
use talaria_harness::setup::{ANN, BOB};
use talaria_ledger::records::{EntryRecord, SessionRecord};
use talaria_ledger::store::{LedgerId, SledOptions, Store};
use talaria_ledger::{Changes, folder};
use talaria_runtime::Ledger;
use talaria_types::crash::CommitKind;
use talaria_types::model::UserBlock;
use talaria_types::{AccountId, ChatId, Place, PlaceKind, Seq, TurnId, Wall};

use crate::support::{SOON, case, dialogue, setup, text, until, with_gateway, with_gateway_in};

/// The running turn ends in its own session; the new one knows nothing of it and is not locked.
#[test]
fn f07_new_while_a_turn_runs_begins_an_empty_session() {
    let case = case!("F07");
    let events = case.given["events"].as_array().expect("events");
    let said = |index: usize| text(&events[index]["text"]).to_owned();
    with_gateway(async |rig| {
        let long = "a word of the long job and ".repeat(60);
        rig.model().script(
            Matcher::LastUserContains(said(0)),
            Message::text(&long).at(10.0),
        );
        rig.model()
            .script_times(Matcher::Any, 5, Reply::text("assistant"));
        let asked = rig.says(ANN, &said(0));
        until(rig, "the long job runs", |rig| {
            rig.model().request_count() == 1
        })
        .await;
        rig.says(ANN, &said(1));
        let hello = rig.says(ANN, &said(2));
        rig.reads(ANN, hello, "assistant", SOON).await;
        rig.quiet(SOON).await;
        rig.says(ANN, "and then?");
        until(rig, "it is asked again", |rig| {
            rig.model().request_count() == 3
        })
        .await;
        rig.quiet(SOON).await;
        let history = dialogue(&rig.model().requests()[2].body);
        let wanted: Vec<String> = case.then["new_session_history"]
            .as_array()
            .expect("a history")
            .iter()
            .map(|line| text(line).to_owned())
            .collect();
        let found: Vec<String> = history
            .iter()
            .take(2)
            .map(|(role, text)| {
                if role == "user" {
                    format!("user {text}")
                } else {
                    text.clone()
                }
            })
            .collect();
        assert_eq!(found, wanted);
        assert_eq!(history.len(), 3, "{history:?}");
        let texts = rig.texts_after(ANN, asked);
        let answers = texts.iter().filter(|text| *text == "assistant").count();
        assert_eq!(answers, 2, "locked, or answered twice: {texts:?}");
    });
}

/// F11. What one turn writes does not depend on how many sessions there are.
#[test]
fn f11_a_large_store_does_not_slow_a_turn() {
    const CAT: i64 = 5003;
    let case = case!("F11");
    let mut setup = setup();
    setup.users.push(CAT);
    setup.allow.push(CAT);
    let number = |value: &Value| value.as_u64().expect("a number");
    with_gateway_in(setup, async |rig| {
        let empty = one_turn(rig, ANN).await;
        rig.terminate().await;
        fill(
            rig,
            number(&case.given["sessions"]),
            number(&case.given["bytes_total"]),
        )
        .await;
        let size = fs::metadata(rig.data_dir().join("ledger-1/db"))
            .expect("the store")
            .len();
        assert!(
            size > number(&case.given["bytes_total"]),
            "only {size} bytes"
        );
        rig.start().await;
        one_turn(rig, ANN).await;
        // Of three chats: a busy machine may hold one answer up, and a second answer in one chat
        // waits for the platform's limit.
        let mut full = Vec::new();
        for user in [ANN, BOB, CAT] {
            full.push(one_turn(rig, user).await);
        }
        let full = full.into_iter().min_by_key(|(_, us)| *us).expect("a turn");
        assert!(
            full.0 <= number(&case.then["bytes_written_max"]),
            "{full:?} bytes a turn, empty {empty:?}"
        );
        // The time is the whole answer's, on a machine that does other things too.
        let most = number(&case.then["ms_max"]) * 1000;
        assert!(
            full.1 <= most.max(4 * empty.1),
            "{} us a turn, empty {} us",
            full.1,
            empty.1
        );
    });
}

/// One short answer: the bytes that the gateway wrote to its store's disk, and the time from the
/// question's arrival to the sealed answer on the screen, in microseconds.
async fn one_turn(rig: &mut Rig, user: i64) -> (u64, u64) {
    rig.model().script(Matcher::Any, Reply::text("Short."));
    let before = written(rig);
    let asked = rig.says(user, "A question");
    rig.answer(user, asked, "Short.", SOON).await;
    rig.quiet(SOON).await;
    let chat = rig.telegram().chat(user).expect("a chat");
    let at = |id: i64| {
        chat.messages
            .iter()
            .find(|message| message.id == id)
            .expect("a message")
            .at_us
    };
    let answer = rig.shown_after(user, asked).first().expect("an answer").id;
    (written(rig) - before, at(answer) - at(asked))
}

/// How far the store's log has grown: the store only appends.
fn written(rig: &Rig) -> u64 {
    fs::metadata(rig.data_dir().join("ledger-1/db"))
        .expect("the store")
        .len()
}

/// Puts sessions with that many bytes into the stopped gateway's ledger.
async fn fill(rig: &Rig, sessions: u64, bytes: u64) {
    let account = AccountId::new("telegram:4200000001");
    let store = folder::open(&rig.data_dir(), SledOptions::default(), LedgerId([0; 16]));
    let store: Arc<dyn Store> = Arc::new(store.expect("the ledger"));
    let ledger = Ledger::open(store, std::slice::from_ref(&account)).expect("the ledger");
    let words = "word ".repeat(usize::try_from(bytes / sessions / 4 / 5).expect("a size"));
    for session in 0..sessions {
        let place = Place {
            account: account.clone(),
            kind: PlaceKind::Direct,
            chat: ChatId::new((1_000_000 + session).to_string()),
            thread: None,
        };
        let conversation = place.conversation(None);
        let mut changes = Changes::new(account.clone());
        for entry in 0..4 {
            let record = EntryRecord {
                turn: TurnId(Seq(session)),
                at: Wall(1_700_000_000_000),
                message: talaria_types::model::Message::User {
                    content: vec![UserBlock::Text {
                        text: words.clone(),
                    }],
                },
                unknown: Default::default(),
            };
            changes
                .entry(&conversation, 0, entry, &record)
                .expect("an entry");
        }
        let record = SessionRecord {
            place,
            generation: 0,
            entries: 4,
            replies: 0,
            updated: Wall(1_700_000_000_000),
            unknown: Default::default(),
        };
        changes.session(&conversation, &record).expect("a session");
        ledger
            .commit(CommitKind::Settle, changes)
            .await
            .expect("a commit");
    }
}
