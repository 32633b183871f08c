//! A process group that ends with the test, however the test ends: when it is dropped, at the
//! deadline, and when the test process itself dies (a guard process then sees the end of its
//! input).

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal};

use crate::deadline::Deadline;

/// The group of one child, which is its leader.
#[derive(Debug)]
pub struct Group {
    id: i32,
    guard: Child,
    deadline: Deadline,
}

impl Group {
    /// Guards the group whose leader has this process id.
    pub(crate) fn of(leader: u32, deadline: &Deadline) -> Self {
        let id = i32::try_from(leader).expect("a process id");
        let guard = Command::new("/bin/sh")
            .args(["-c", "cat >/dev/null; kill -s KILL -- \"-$0\" 2>/dev/null"])
            .arg(id.to_string())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("the guard of a process group");
        deadline.add(id);
        Self {
            id,
            guard,
            deadline: deadline.clone(),
        }
    }

    /// The leader's process id, which is the group's.
    #[must_use]
    pub fn id(&self) -> i32 {
        self.id
    }

    /// Ends every process of the group, as `kill -9` does.
    pub fn kill(&self) {
        kill_group(self.id);
    }

    /// Sends a signal to the leader.
    pub fn signal(&self, signal: Signal) {
        if let Some(leader) = Pid::from_raw(self.id) {
            rustix::process::kill_process(leader, signal).ok();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        self.deadline.forget(self.id);
        if let Some(guard) = Pid::from_raw(i32::try_from(self.guard.id()).unwrap_or(0)) {
            rustix::process::kill_process_group(guard, Signal::KILL).ok();
        }
        self.guard.wait().ok();
    }
}

/// Ends every process of a group; one that is gone already is fine.
pub(crate) fn kill_group(id: i32) {
    if let Some(group) = Pid::from_raw(id) {
        rustix::process::kill_process_group(group, Signal::KILL).ok();
    }
}

#[cfg(test)]
mod tests;
