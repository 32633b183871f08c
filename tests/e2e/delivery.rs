//! Cases about delivery over crashes.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use talaria_emulators::anthropic::{Matcher, Message, Reply};
use talaria_harness::Rig;
use talaria_harness::chat::without_label;
use talaria_harness::setup::ANN;
use talaria_ledger::record::decode;
use talaria_ledger::records::PostRecord;
use talaria_ledger::store::{LedgerId, SledOptions, Store};
use talaria_ledger::{Changes, folder, keys};
use talaria_runtime::Ledger;
use talaria_types::crash::CommitKind;
use talaria_types::{AccountId, PostId};

use crate::support::{SOON, calls, case, setup, text, with, with_gateway};

/// After the platform took the message and before that was written down: the message may be there
/// twice, the second one says so, and no restart sends a third.
#[test]
fn d01_a_create_that_nobody_knows_of_is_repeated_once_with_a_label() {
    let case = case!("D01");
    let most = case.then["copies_max"].as_u64().expect("a number");
    with(setup(), async |rig| {
        rig.model()
            .script(Matcher::Any, Reply::text("An answer in few words."));
        let asked = rig.says(ANN, "A question");
        rig.launch_to_crash_at("call:create:after");
        rig.crashed("call:create:after").await;
        assert_eq!(rig.texts_after(ANN, asked).len(), 1, "the platform took it");
        rig.launch_to_crash_at("call:create:after");
        rig.crashed("call:create:after").await;
        for _ in 0..3 {
            rig.start().await;
            rig.quiet(SOON).await;
            rig.kill().await;
        }
        let texts = rig.texts_after(ANN, asked);
        assert!(texts.len() as u64 <= most, "{texts:?}");
        let labels: Vec<bool> = texts.iter().map(|text| without_label(text).1).collect();
        assert_eq!(labels, [false, true], "{texts:?}");
        assert_eq!(
            calls(rig, "sendMessage").len(),
            2,
            "sent again at a later start"
        );
    });
}

#[test]
fn d03_a_crash_between_parts_repeats_none_of_them() {
    let case = case!("D03");
    let names: Vec<&str> = case.given["chunks"]
        .as_array()
        .expect("parts")
        .iter()
        .map(text)
        .collect();
    assert_eq!(case.then["order"], case.given["chunks"]);
    with(setup(), async |rig| {
        // Each part is as long as a message, and begins with its name.
        let markdown: Vec<String> = names
            .iter()
            .map(|name| {
                let line =
                    format!("Part {name} has a line that is about as long as this one is.\n\n");
                line.repeat(if *name == "d" { 20 } else { 71 })
            })
            .collect();
        let markdown = markdown.concat();
        let reply = Message::text(&markdown).at(0.0);
        rig.model().script_times(Matcher::Any, 2, reply);
        let asked = rig.says(ANN, "A long question");
        rig.launch_to_crash_at("commit:intent:before#3");
        rig.crashed("commit:intent:before#3").await;
        let first: Vec<i64> = rig
            .shown_after(ANN, asked)
            .iter()
            .map(|part| part.id)
            .collect();
        assert_eq!(first.len(), 2, "a and b are sent");
        rig.start().await;
        rig.quiet(Duration::from_secs(90)).await;
        let shown = rig.answer(ANN, asked, &markdown, SOON).await;
        assert_eq!(shown.len(), names.len(), "one message a part");
        let ids: Vec<i64> = shown.iter().map(|part| part.id).collect();
        assert_eq!(ids[..2], first[..], "a and b are sent again");
        assert_eq!(calls(rig, "sendMessage").len(), names.len());
    });
}

/// A duplicate is not answered twice, and does not make the answer forgotten that is owed.
#[test]
fn d13_a_duplicate_does_not_hide_the_reply_that_is_owed() {
    let case = case!("D13");
    with(setup(), async |rig| {
        rig.model()
            .script_times(Matcher::Any, 5, Reply::text("The one answer."));
        let asked = rig.says(ANN, "A question");
        let update = rig.telegram().pending_updates().expect("the bot").remove(0);
        rig.launch_to_crash_at("commit:settle:after");
        rig.crashed("commit:settle:after").await;
        rig.telegram().inject_update(update).expect("an update");
        rig.start().await;
        rig.quiet(SOON).await;
        let copies: Vec<String> = rig.texts_after(ANN, asked);
        assert_eq!(copies, ["The one answer."]);
        assert_eq!(copies.len(), case.then["reply_copies"]);
        assert_eq!(rig.model().request_count(), case.then["turns"]);
    });
}

/// Two answers are delivered, a third is owed for longer than the limit. A start sends none of
/// them; the third is expired, and the operator sees it.
#[test]
fn d15_a_start_sends_nothing_old() {
    let case = case!("D15");
    let age = case.given["ledger"][2]["age_h"].as_u64().expect("hours");
    with_gateway(async |rig| {
        for words in ["The first.", "The second."] {
            rig.model().script(Matcher::Any, Reply::text(words));
            let asked = rig.says(ANN, "A question");
            rig.answer(ANN, asked, words, SOON).await;
            rig.quiet(SOON).await;
        }
        rig.terminate().await;
        rig.model()
            .script(Matcher::Any, Reply::text("The third, never sent."));
        let asked = rig.says(ANN, "A question");
        rig.launch_to_crash_at("commit:settle:after");
        rig.crashed("commit:settle:after").await;
        make_older(rig, Duration::from_secs(age * 3600)).await;
        let before = rig.telegram().call_count();
        rig.start().await;
        rig.quiet(SOON).await;
        let sent: Vec<_> = rig
            .telegram()
            .calls_from(before)
            .into_iter()
            .filter(|call| call.method == "sendMessage" || call.method == "editMessageText")
            .collect();
        assert_eq!(
            sent.len(),
            case.then["sent"].as_array().map_or(0, Vec::len),
            "{sent:?}"
        );
        assert!(rig.texts_after(ANN, asked).is_empty());
        // The line follows the commit that makes it quiet.
        let log = rig.log();
        let line = log.wait_for(SOON, "a post was not delivered as it should");
        assert!(line.await.is_some(), "{}", log.text());
        let list = rig.on_config(&["ledger", "list", "--all", "--json"]).await;
        let list: Value = serde_json::from_str(&list.out).expect("JSON");
        let states: Vec<&str> = list
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| text(&row["state"]))
            .collect();
        assert_eq!(states, ["delivered", "delivered", "expired"]);
    });
}

/// Makes every owed post of the stopped gateway's ledger so much older.
async fn make_older(rig: &Rig, by: Duration) {
    let account = AccountId::new("telegram:4200000001");
    let store = folder::open(&rig.data_dir(), SledOptions::default(), LedgerId([0; 16]));
    let store: Arc<dyn Store> = Arc::new(store.expect("the ledger"));
    let owed = keys::prefix(&account, keys::Tag::Post);
    let mut changes = Changes::new(account.clone());
    let mut older = 0;
    for (_, bytes) in store.scan(&owed, None, 100).expect("the posts") {
        let mut post: PostRecord = decode(&bytes).expect("a post");
        if post.is_settled() {
            continue;
        }
        let id: PostId = post.id;
        post.created.0 -= u64::try_from(by.as_millis()).expect("an age");
        changes
            .post(&post)
            .unwrap_or_else(|error| panic!("{id}: {error}"));
        older += 1;
    }
    assert_eq!(older, 1, "one post is owed");
    let ledger = Ledger::open(store, std::slice::from_ref(&account)).expect("the ledger");
    ledger
        .commit(CommitKind::Revise, changes)
        .await
        .expect("a commit");
}
