use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use tokio::sync::watch;

use super::{Launch, Parts, Phase, Refused, Status, prepare};

/// A child that is a shell script.
fn script(folder: &Path, text: &str) -> Launch {
    Launch {
        exe: "/bin/sh".into(),
        args: vec![OsString::from("-c"), OsString::from(text)],
        env: vec![(OsString::from("PATH"), OsString::from("/usr/bin:/bin"))],
        folder: folder.to_owned(),
        stop_patience: Duration::from_millis(300),
    }
}

async fn until(
    status: &mut watch::Receiver<Status>,
    wanted: impl FnMut(&Status) -> bool,
) -> Status {
    tokio::time::timeout(Duration::from_secs(20), status.wait_for(wanted))
        .await
        .expect("the state comes in time")
        .unwrap()
        .clone()
}

#[tokio::test]
async fn killed_and_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let Parts {
        child,
        mut status,
        log,
        task,
    } = prepare(script(folder.path(), "exec sleep 60"));
    let running = tokio::task::JoinSet::from_iter([task.run()]);

    assert_eq!(child.kill().await, Err(Refused::NotRunning));
    let first = child.start().await.unwrap();
    assert_eq!(child.start().await, Err(Refused::AlreadyRunning));
    assert_eq!(
        until(&mut status, |s| s.pid().is_some()).await.pid(),
        Some(first)
    );

    child.kill().await.unwrap();
    let after = status.borrow().clone();
    assert_eq!(after.phase, Phase::Killed);
    assert_eq!((after.starts, after.kills), (1, 1));
    assert!(
        !Path::new(&format!("/proc/{first}")).exists(),
        "the process is gone"
    );

    let second = child.start().await.unwrap();
    assert_ne!(first, second);
    assert_eq!(status.borrow().starts, 2);
    child.stop().await;
    assert!(!Path::new(&format!("/proc/{second}")).exists());
    assert_eq!(child.start().await, Err(Refused::Ending));
    running.join_all().await;
    assert!(
        log.lines()
            .iter()
            .any(|line| line.text.contains("killed (SIGKILL)"))
    );
}

#[tokio::test]
async fn an_exit_by_itself_is_told_with_its_code_and_last_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = "echo first >&2; echo 'no such token' >&2; exit 78";
    let Parts {
        child,
        mut status,
        task,
        ..
    } = prepare(script(folder.path(), text));
    let mut running = tokio::task::JoinSet::from_iter([task.run()]);
    child.start().await.unwrap();
    let ended = until(&mut status, |s| s.pid().is_none()).await;
    let phase = Phase::Ended {
        how: "exit code 78".to_owned(),
        last_line: "no such token".to_owned(),
    };
    assert_eq!(ended.phase, phase);
    assert_eq!(ended.starts, 1, "no restart on its own");
    running.shutdown().await;
}

#[tokio::test]
async fn a_binary_that_is_not_there_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut launch = script(folder.path(), "");
    launch.exe = "/no/such/gateway".into();
    let Parts {
        child,
        status,
        task,
        ..
    } = prepare(launch);
    let mut running = tokio::task::JoinSet::from_iter([task.run()]);
    let refused = child.start().await.unwrap_err();
    assert!(matches!(&refused, Refused::NotStarted(why) if why.contains("/no/such/gateway")));
    assert!(
        matches!(&status.borrow().phase, Phase::Ended { how, .. } if how.contains("could not"))
    );
    running.shutdown().await;
}

#[tokio::test]
async fn stop_ends_a_child_that_ignores_sigterm() {
    let folder = tempfile::tempdir().unwrap();
    let text = "trap '' TERM; echo deaf; while :; do sleep 1; done";
    let Parts {
        child, log, task, ..
    } = prepare(script(folder.path(), text));
    let running = tokio::task::JoinSet::from_iter([task.run()]);
    let mut lines = log.watch();
    let pid = child.start().await.unwrap();
    // The trap is set before the line is printed.
    let printed = async {
        while !log.lines().iter().any(|line| line.text == "deaf") {
            lines.changed().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(20), printed)
        .await
        .unwrap();
    child.stop().await;
    assert!(!Path::new(&format!("/proc/{pid}")).exists());
    running.join_all().await;
}

#[tokio::test]
async fn the_environment_is_not_handed_on() {
    let folder = tempfile::tempdir().unwrap();
    let Parts {
        child,
        mut status,
        log,
        task,
    } = prepare(script(folder.path(), "env"));
    let mut running = tokio::task::JoinSet::from_iter([task.run()]);
    child.start().await.unwrap();
    until(&mut status, |s| s.pid().is_none()).await;
    let names: Vec<String> = log
        .lines()
        .iter()
        .filter(|line| !line.text.starts_with("playground:"))
        .map(|line| line.text.split('=').next().unwrap_or_default().to_owned())
        .filter(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(&name.as_str()))
        .collect();
    assert_eq!(names, vec!["PATH"]);
    running.shutdown().await;
}
