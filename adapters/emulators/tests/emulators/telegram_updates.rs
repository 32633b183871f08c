//! getUpdates: confirmation, waiting, conflicts, retention, filters; update faults.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use talaria_emulators::telegram::UpdateFault;

use crate::rig::{ANN, Rig, SOON};

const CONFLICT: &str = "Conflict: terminated by other getUpdates request; make sure that only one \
     bot instance is running";

fn texts(updates: &[Value]) -> Vec<String> {
    let text = |update: &Value| update["message"]["text"].as_str().unwrap().to_owned();
    updates.iter().map(text).collect()
}

fn id(update: &Value) -> i64 {
    update["update_id"].as_i64().unwrap()
}

#[tokio::test]
async fn an_update_stays_until_a_higher_offset_confirms_it() {
    let rig = Rig::free().await;
    for text in ["one", "two", "three"] {
        rig.control.user_text(ANN, text).unwrap();
    }
    let all = rig.updates(json!({})).await;
    assert_eq!(texts(&all), ["one", "two", "three"]);
    assert_eq!(id(&all[2]), id(&all[0]) + 2);
    let again = rig
        .updates(json!({"offset": id(&all[0]), "limit": 2}))
        .await;
    assert_eq!(texts(&again), ["one", "two"]);
    let rest = rig.updates(json!({"offset": id(&all[2])})).await;
    assert_eq!(texts(&rest), ["three"]);
    assert_eq!(rig.control.confirmed_offset().unwrap(), id(&all[2]));
    assert_eq!(rig.control.pending_updates().unwrap().len(), 1);
    // Far beyond the queue: nothing is skipped or forgotten.
    assert_eq!(
        texts(&rig.updates(json!({"offset": id(&all[2]) + 50})).await),
        ["three"]
    );
    // Right behind the last one: everything is confirmed.
    assert!(
        rig.updates(json!({"offset": id(&all[2]) + 1}))
            .await
            .is_empty()
    );
    assert!(rig.control.pending_updates().unwrap().is_empty());
}

#[tokio::test]
async fn a_negative_offset_keeps_the_end_of_the_queue() {
    let rig = Rig::free().await;
    for text in ["one", "two", "three"] {
        rig.control.user_text(ANN, text).unwrap();
    }
    assert_eq!(
        texts(&rig.updates(json!({"offset": -2})).await),
        ["two", "three"]
    );
    assert_eq!(rig.control.pending_updates().unwrap().len(), 2);
}

#[tokio::test]
async fn a_poll_waits_and_is_answered_at_once() {
    let rig = Rig::free().await;
    let start = Instant::now();
    let poll = rig.updates(json!({"timeout": 30}));
    let act = async {
        let waiting = |c: &talaria_emulators::TelegramControl| c.is_polling().unwrap();
        assert!(rig.control.wait_until(SOON, waiting).await);
        rig.control
            .user_text(ANN, "/ask@demo_bot see https://a.b/c, @friend 😀 @other")
            .unwrap();
    };
    let (updates, ()) = tokio::join!(poll, act);
    assert!(start.elapsed() < Duration::from_secs(5));
    let message = &updates[0]["message"];
    assert_eq!(message["from"]["first_name"], "Ann");
    assert_eq!(
        message["entities"],
        json!([
            {"type": "bot_command", "offset": 0, "length": 13},
            {"type": "url", "offset": 18, "length": 13},
            {"type": "mention", "offset": 33, "length": 7},
            {"type": "mention", "offset": 44, "length": 6},
        ])
    );
    assert!(!rig.control.is_polling().unwrap());
}

#[tokio::test]
async fn an_empty_poll_ends_with_its_timeout() {
    let rig = Rig::free().await;
    let start = Instant::now();
    assert!(rig.updates(json!({"timeout": 1})).await.is_empty());
    assert!(start.elapsed() >= Duration::from_secs(1));
    // The same offset again at once with a short timeout: the server waits three seconds.
    let start = Instant::now();
    assert!(rig.updates(json!({"timeout": 0})).await.is_empty());
    assert!(start.elapsed() >= Duration::from_secs(3));
}

#[tokio::test]
async fn the_same_offset_in_haste_gets_one_update() {
    let rig = Rig::free().await;
    rig.control.user_text(ANN, "one").unwrap();
    rig.control.user_text(ANN, "two").unwrap();
    assert_eq!(rig.updates(json!({})).await.len(), 2);
    assert_eq!(rig.updates(json!({})).await.len(), 1);
}

#[tokio::test]
async fn the_older_waiting_poll_gets_the_conflict() {
    let rig = Rig::free().await;
    let old = rig.call("getUpdates", json!({"timeout": 50, "offset": -1}));
    let act = async {
        let waiting = |c: &talaria_emulators::TelegramControl| c.is_polling().unwrap();
        assert!(rig.control.wait_until(SOON, waiting).await);
        let new = rig.call("getUpdates", json!({"timeout": 50, "offset": 0}));
        let speak = async {
            let refused = |c: &talaria_emulators::TelegramControl| {
                c.calls().iter().any(|call| call.status == 409)
            };
            assert!(rig.control.wait_until(SOON, refused).await);
            rig.control.user_text(ANN, "hi").unwrap();
        };
        tokio::join!(new, speak).0
    };
    let (old, new) = tokio::join!(old, act);
    old.refused(409, CONFLICT);
    assert_eq!(texts(new.ok().as_array().unwrap()), ["hi"]);
}

#[tokio::test]
async fn messages_are_kept_for_a_day() {
    let rig = Rig::free().await;
    rig.control.user_text(ANN, "old").unwrap();
    rig.control.advance(Duration::from_secs(86_401));
    rig.control.user_text(ANN, "new").unwrap();
    assert_eq!(texts(&rig.updates(json!({})).await), ["new"]);
}

#[tokio::test]
async fn allowed_updates_stick_and_leave_the_queue_alone() {
    let rig = Rig::free().await;
    let message = rig.control.user_text(ANN, "queued").unwrap();
    rig.updates(json!({"allowed_updates": ["edited_message"]}))
        .await;
    rig.control.user_text(ANN, "filtered").unwrap();
    rig.control
        .user_edit(ANN, message, "queued, edited")
        .unwrap();
    let updates = rig.updates(json!({"offset": -10})).await;
    assert_eq!(updates.len(), 2);
    assert_eq!(updates[0]["message"]["text"], "queued");
    assert_eq!(updates[1]["edited_message"]["text"], "queued, edited");
    rig.updates(json!({"offset": 0, "allowed_updates": "[]"}))
        .await;
    rig.control.user_text(ANN, "back").unwrap();
    assert_eq!(rig.control.pending_updates().unwrap().len(), 3);
}

#[tokio::test]
async fn updates_can_be_doubled_reordered_held_back_and_injected() {
    let rig = Rig::free().await;
    let say = |texts: &[&str]| {
        for text in texts {
            rig.control.user_text(ANN, text).unwrap();
        }
    };
    rig.control
        .update_fault(UpdateFault::Duplicate { new_id: false })
        .unwrap();
    rig.control
        .update_fault(UpdateFault::Duplicate { new_id: true })
        .unwrap();
    rig.control
        .update_fault(UpdateFault::Reorder { count: 2 })
        .unwrap();
    say(&["a", "b", "c", "d"]);
    let updates = rig.control.pending_updates().unwrap();
    assert_eq!(texts(&updates), ["a", "a", "b", "b", "d", "c"]);
    let first = id(&updates[0]);
    let ids: Vec<i64> = updates.iter().map(|update| id(update) - first).collect();
    assert_eq!(ids, [0, 0, 1, 2, 3, 4]);
    rig.updates(json!({"offset": first + 5})).await;

    rig.control.withhold_updates().unwrap();
    say(&["e", "f"]);
    assert!(rig.control.pending_updates().unwrap().is_empty());
    rig.control.release_updates().unwrap();
    let poll = json!({"poll": {"id": "1"}});
    let injected = rig.control.inject_update(poll).unwrap();
    assert_eq!(injected, first + 7);
    let updates = rig.control.pending_updates().unwrap();
    assert_eq!(texts(&updates[..2]), ["e", "f"]);
    assert_eq!(
        updates[2],
        json!({"update_id": injected, "poll": {"id": "1"}})
    );
}

#[tokio::test]
async fn there_is_never_a_webhook() {
    let rig = Rig::free().await;
    rig.control.user_text(ANN, "one").unwrap();
    let info = rig.call("getWebhookInfo", json!({})).await.ok();
    assert_eq!(
        (&info["url"], &info["pending_update_count"]),
        (&json!(""), &json!(1))
    );
    rig.call("deleteWebhook", json!({"drop_pending_updates": true}))
        .await
        .ok();
    assert!(rig.control.pending_updates().unwrap().is_empty());
}
