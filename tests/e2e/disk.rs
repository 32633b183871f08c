//! Disks that are full.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use talaria_emulators::anthropic::{Block, Matcher, Message, Reply};
use talaria_harness::setup::ANN;
use talaria_harness::{Gateway, Rig};

use crate::support::{SOON, case, dialogue, setup, text, until, with};

const TRY_AGAIN: i32 = 75;
/// The store's log grows by so many bytes at once.
const SEGMENT: u64 = 512 * 1024;

/// The store's file may grow to so many blocks of 512 bytes and no further, as on a full disk.
fn spawn_with_little_space(rig: &Rig, blocks: u64) -> Gateway {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" run --config \"$1\"");
    let (binary, config) = (
        rig.setup.binary.display().to_string(),
        rig.config_file().display().to_string(),
    );
    let arguments = ["-c", &script, &binary, &config];
    let environment = rig.environment();
    Gateway::spawn(
        &PathBuf::from("/bin/sh"),
        &arguments,
        &environment,
        &rig.deadline,
    )
}

/// I11. An append fails in the middle: the process says so and ends, nothing that was acknowledged
/// is lost, no record is fused with another, and what was not accepted comes again.
#[test]
fn i11_a_full_disk_loses_nothing_and_is_said() {
    let case = case!("I11");
    assert_eq!(case.then["fused_line"], false);
    assert_eq!(case.then["user_told_state_is_not_saved"], true);
    let lines: Vec<String> = case.then["lines_after"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|line| text(line).to_owned())
        .collect();
    with(setup(), async |rig| {
        // The model repeats what it was told, so that the chat and the requests show what is kept.
        for line in &lines {
            let reply = Reply::text(&format!("Noted {}", line.len()));
            rig.model()
                .script_times(Matcher::LastUserContains(line.clone()), 50, reply);
        }
        // The answers to the others are short to send and long to keep.
        let thinking = Block::thinking(&"filler ".repeat(3000));
        let long = Message::blocks(vec![thinking, Block::text("filler")]).at(0.0);
        rig.model().script_times(Matcher::Any, 500, long);
        rig.start().await;
        let first = rig.says(ANN, &lines[0]);
        rig.reads(ANN, first, "Noted", SOON).await;
        rig.quiet(SOON).await;
        rig.terminate().await;
        // One segment of the store's log, and not a byte more.
        let mut full = spawn_with_little_space(rig, SEGMENT / 512);
        let second = rig.says(ANN, &lines[1]);
        rig.reads(ANN, second, "Noted", SOON).await;
        let mut sent = 2;
        while full.is_running() && sent < 200 {
            sent += 1;
            let before = rig.model().request_count();
            rig.says(ANN, &format!("filler {sent}"));
            let platform = rig.telegram();
            let until = platform.wait_until(SOON, |_| {
                rig.model().request_count() > before || !full.is_running()
            });
            assert!(until.await, "{}", full.log().text());
        }
        let exit = full.exit(SOON).await;
        exit.assert(
            TRY_AGAIN,
            &["the ledger failed, nothing more is accepted or sent"],
        );
        // With space again, everything goes on.
        let third = rig.says(ANN, &lines[2]);
        rig.start().await;
        rig.reads(ANN, third, "Noted", SOON).await;
        rig.quiet(SOON).await;
        let requests = rig.model().requests();
        let last = requests.iter().rev().find(|request| {
            dialogue(&request.body)
                .last()
                .is_some_and(|(_, said)| *said == lines[2])
        });
        let history: Vec<String> = dialogue(&last.expect("it is asked").body)
            .into_iter()
            .filter(|(role, said)| role == "user" && said.contains("seq"))
            .map(|(_, said)| said)
            .collect();
        assert_eq!(history, lines, "each once, whole, in order");
        let fillers: Vec<Value> = rig
            .shown_after(ANN, second)
            .iter()
            .map(|shown| Value::from(shown.text.clone()))
            .filter(|shown| shown.as_str().is_some_and(|shown| shown.contains("filler")))
            .collect();
        assert!(
            fillers.len() >= sent - 2,
            "{} of {} are answered",
            fillers.len(),
            sent - 2
        );
    });
}

/// A folder in memory, of so many MiB; it is gone when this is dropped.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: PathBuf, mib: u32) -> Self {
        fs::create_dir_all(&at).expect("a folder");
        let done = Command::new("/bin/mount")
            .args(["-t", "tmpfs", "-o", &format!("size={mib}m"), "tmpfs"])
            .arg(&at)
            .status()
            .expect("mount");
        assert!(done.success(), "this test has to be allowed to mount");
        Self(at)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        Command::new("/bin/umount")
            .arg("-l")
            .arg(&self.0)
            .status()
            .ok();
    }
}

/// Under the low-water mark nothing new is accepted, the platform keeps it, and health says why;
/// with space again it is answered.
#[test]
#[ignore = "mounts a disk, which needs root: cargo test --test e2e -- --ignored low_space"]
fn p11_low_space_stops_intake_until_there_is_space() {
    with(setup(), async |rig| {
        let _disk = Disk::mount(rig.data_dir(), 128);
        rig.model()
            .script_times(Matcher::Any, 5, Reply::text("Here."));
        rig.start().await;
        let asked = rig.says(ANN, "A question");
        rig.answer(ANN, asked, "Here.", SOON).await;
        rig.quiet(SOON).await;
        let filler = rig.data_dir().join("filler");
        fs::write(&filler, vec![b'x'; 80 << 20]).expect("a filler");
        let asked = rig.says(ANN, "Another question");
        rig.log()
            .wait_for(SOON, "the disk is nearly full")
            .await
            .expect("it is said");
        let health = rig.health_says("degraded", SOON).await;
        assert!(health["links"].to_string().contains("ledger"), "{health}");
        assert!(rig.texts_after(ANN, asked).is_empty());
        assert!(
            !rig.telegram()
                .pending_updates()
                .expect("the bot")
                .is_empty(),
            "not acknowledged"
        );
        fs::remove_file(&filler).expect("the filler");
        rig.answer(ANN, asked, "Here.", SOON).await;
        until(rig, "the update is confirmed", |rig| {
            rig.telegram()
                .pending_updates()
                .expect("the bot")
                .is_empty()
        })
        .await;
        rig.terminate().await.assert(0, &[]);
    });
}
