use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Group;
use crate::deadline::Deadline;

/// A leader with a child of its own, both of which sleep for long.
fn family() -> Child {
    Command::new("/bin/sh")
        .args(["-c", "sleep 1000 & sleep 1000"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("a family")
}

/// Waits until the leader has ended, and nobody of its group runs.
fn is_gone(leader: &mut Child) -> bool {
    let group = leader.id().to_string();
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        if leader.try_wait().is_ok_and(|ended| ended.is_some()) && !runs(&group) {
            return true;
        }
        std::thread::yield_now();
    }
    leader.kill().ok();
    false
}

/// Whether a process of the group is more than an entry that waits for its parent (proc(5): state
/// and process group after the name).
fn runs(group: &str) -> bool {
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    processes.into_iter().any(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let fields: Vec<&str> = stat
            .rsplit_once(')')
            .map(|(_, rest)| rest.split_whitespace().collect())
            .unwrap_or_default();
        matches!(fields.as_slice(), [state, _, found, ..] if *state != "Z" && *found == group)
    })
}

#[test]
fn a_group_ends_when_it_is_dropped() {
    let mut leader = family();
    drop(Group::of(leader.id(), &Deadline::default()));
    assert!(is_gone(&mut leader));
}

/// What a guard sees when the test process dies, by whatever: the end of its input.
#[test]
fn a_group_ends_when_its_test_process_dies() {
    let mut leader = family();
    let mut group = Group::of(leader.id(), &Deadline::default());
    drop(group.guard.stdin.take());
    assert!(is_gone(&mut leader));
}

#[test]
fn a_group_ends_at_the_deadline_even_if_the_test_hangs() {
    let mut leader = family();
    let id = leader.id();
    let test = std::panic::catch_unwind(|| {
        crate::within(Duration::from_millis(200), |deadline| async move {
            let _group = Group::of(id, &deadline);
            std::future::pending::<()>().await;
        });
    });
    assert!(test.is_err(), "a test that is late fails");
    assert!(is_gone(&mut leader));
}
