//! What a test build does at a crash point: if TALARIA_CRASH_AT names it (`point` or
//! `point#occurrence`), the process kills itself, as SIGKILL does. A build without crash points
//! ignores the variable.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use talaria_config::Environment;
use talaria_types::crash::{self, CrashPoint};

struct Target {
    point: String,
    occurrence: u32,
    seen: AtomicU32,
}

static TARGET: OnceLock<Target> = OnceLock::new();

pub(crate) fn install() {
    if !crash::ARMED {
        return;
    }
    let Some(wanted) = Environment::process().crash_at() else {
        return;
    };
    let (point, occurrence) = wanted.split_once('#').unwrap_or((&wanted, "1"));
    let target = Target {
        point: point.to_owned(),
        occurrence: occurrence.parse().unwrap_or(1),
        seen: AtomicU32::new(0),
    };
    if TARGET.set(target).is_ok() {
        crash::install(passed);
    }
}

fn passed(point: CrashPoint) {
    let Some(target) = TARGET
        .get()
        .filter(|target| target.point == point.to_string())
    else {
        return;
    };
    if target.seen.fetch_add(1, Ordering::SeqCst) + 1 == target.occurrence {
        // The test reads this line: the point fired.
        let line = format!("CRASH {point}\n");
        let _lost = rustix::io::write(rustix::stdio::stderr(), line.as_bytes());
        let me = rustix::process::getpid();
        let _never_back = rustix::process::kill_process(me, rustix::process::Signal::KILL);
    }
}
