//! Starts that can't be: busy ports, data folders that are not what they should be.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use talaria_emulators::anthropic::{Matcher, Reply};
use talaria_harness::setup::ANN;
use talaria_harness::{Exit, Rig};

use crate::support::{SOON, case, setup, with, with_gateway};

const DAMAGED: i32 = 74;
const TRY_AGAIN: i32 = 75;

async fn asks_and_reads(rig: &Rig, words: &str) {
    rig.model().script(Matcher::Any, Reply::text(words));
    let asked = rig.says(ANN, "A question");
    rig.answer(ANN, asked, words, SOON).await;
    rig.quiet(SOON).await;
}

async fn does_not_start(rig: &mut Rig) -> Exit {
    rig.launch(&[]);
    rig.exited().await
}

#[test]
fn a_busy_port_is_named_with_its_key() {
    with(setup(), async |rig| {
        let other = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = other.local_addr().expect("an address").to_string();
        rig.write_config(&rig.config().replace("127.0.0.1:0", &address));
        let exit = does_not_start(rig).await;
        exit.assert(1, &["gateway.listen", &address, "Choose another port"]);
    });
}

#[test]
fn a_second_gateway_on_the_folder_leaves_and_the_first_goes_on() {
    with_gateway(async |rig| {
        asks_and_reads(rig, "The first answer.").await;
        let exit = rig.spawn(&[]).exit(SOON).await;
        exit.assert(TRY_AGAIN, &["held by another process"]);
        asks_and_reads(rig, "The second answer.").await;
    });
}

/// A folder that can't be used: waiting, said in health, and going on when it can.
#[test]
fn an_unusable_folder_is_waited_for() {
    with(setup(), async |rig| {
        // Where the folder should be is a file: nobody, root included, can make it.
        fs::write(rig.data_dir(), "in the way").expect("a file");
        rig.model().script(Matcher::Any, Reply::text("At last."));
        let asked = rig.says(ANN, "Hello");
        rig.launch(&[]);
        let line = rig
            .log()
            .wait_for(SOON, "can't be used yet")
            .await
            .expect("it says so");
        assert!(
            line.contains(&rig.data_dir().display().to_string()),
            "{line}"
        );
        let (status, body) = rig.get("/healthz", "localhost").await;
        assert_eq!(status, 503, "{body}");
        assert!(
            body.contains("waiting") && body.contains("readable and writable"),
            "{body}"
        );
        assert_eq!(rig.get("/readyz", "localhost").await.0, 503);
        assert_eq!(
            rig.telegram().call_count(),
            0,
            "nothing is received without a memory"
        );
        fs::remove_file(rig.data_dir()).expect("the file");
        rig.answer(ANN, asked, "At last.", SOON).await;
    });
}

#[test]
fn a_gateway_that_waits_for_its_folder_can_be_stopped() {
    with(setup(), async |rig| {
        fs::write(rig.data_dir(), "in the way").expect("a file");
        rig.launch(&[]);
        rig.log()
            .wait_for(SOON, "can't be used yet")
            .await
            .expect("it says so");
        rig.terminate().await.assert(0, &[]);
    });
}

/// Marker, CURRENT and store: whichever is missing or another's, nothing is made or deleted.
#[test]
fn a_folder_that_is_not_whole_is_refused() {
    with_gateway(async |rig| {
        asks_and_reads(rig, "Before.").await;
        rig.terminate().await;
        let data = rig.data_dir();
        for name in ["CURRENT", "ledger.id", "ledger-1/db"] {
            let (path, aside) = (data.join(name), rig.folder().join("aside"));
            fs::rename(&path, &aside).expect("the file");
            let exit = does_not_start(rig).await;
            exit.assert(DAMAGED, &["is missing although", "backup"]);
            assert!(!path.exists(), "{name} was made anew");
            fs::rename(&aside, &path).expect("the file");
        }
        let marker = data.join("ledger.id");
        let own = fs::read_to_string(&marker).expect("the marker");
        fs::write(&marker, "00112233445566778899aabbccddeeff\n").expect("the marker");
        does_not_start(rig)
            .await
            .assert(DAMAGED, &["names ledger", "holds ledger"]);
        fs::write(&marker, own).expect("the marker");
        rig.start().await;
        asks_and_reads(rig, "After.").await;
    });
}

#[test]
fn the_data_folder_is_private() {
    with_gateway(async |rig| {
        let mode = |path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(rig.data_dir()), 0o700);
        assert_eq!(mode(rig.data_dir().join("admin.sock")), 0o600);
    });
}

/// I13. No restart loop, nothing deleted, and nothing acknowledged that is not kept.
#[test]
fn i13_a_store_that_can_not_be_opened_ends_the_start_and_is_left_alone() {
    let case = case!("I13");
    assert_eq!(case.then["data_deleted"], false);
    assert_eq!(case.then["offset_not_advanced"], true);
    with_gateway(async |rig| {
        asks_and_reads(rig, "Before.").await;
        rig.kill().await;
        let db = rig.data_dir().join("ledger-1").join("db");
        let whole = fs::read(&db).expect("the store");
        let broken = vec![b'x'; whole.len()];
        fs::write(&db, &broken).expect("the store");
        let offset = rig.telegram().confirmed_offset().expect("the bot");
        rig.says(ANN, "Is anybody there?");
        let exit = does_not_start(rig).await;
        exit.assert(
            DAMAGED,
            &["damaged", "restore the data folder from a backup"],
        );
        let left = fs::read(&db).expect("the store");
        assert!(
            left.starts_with(&broken),
            "what was there is changed or deleted"
        );
        assert_eq!(rig.telegram().confirmed_offset().expect("the bot"), offset);
        assert_eq!(rig.telegram().pending_updates().expect("the bot").len(), 1);
        fs::write(&db, &whole).expect("the store");
        rig.model().script(Matcher::Any, Reply::text("I was away."));
        rig.start().await;
        rig.reads(ANN, 0, "I was away.", SOON).await;
    });
}
