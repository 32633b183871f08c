//! What a test build does at a crash point: if TALARIA_CRASH_AT names it (`point` or
//! `point#occurrence`), the process kills itself, as SIGKILL does; before that, the point is
//! appended to the file that TALARIA_CRASH_TRACE names. A build without crash points ignores both
//! variables.

use std::fs::{File, OpenOptions};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use talaria_config::Environment;
use talaria_types::crash::{self, CrashPoint};

use crate::exit::{Failure, OTHER};

struct Hook {
    target: Option<Target>,
    trace: Option<File>,
}

struct Target {
    point: String,
    occurrence: u32,
    seen: AtomicU32,
}

static HOOK: OnceLock<Hook> = OnceLock::new();

/// Reads both variables. A trace that can't be written ends the process: a test that sees too few
/// points would prove nothing.
pub(crate) fn install() -> Result<(), Failure> {
    if !crash::ARMED {
        return Ok(());
    }
    let environment = Environment::process();
    let target = environment.crash_at().map(|wanted| {
        let (point, occurrence) = wanted.split_once('#').unwrap_or((&wanted, "1"));
        Target {
            point: point.to_owned(),
            occurrence: occurrence.parse().unwrap_or(1),
            seen: AtomicU32::new(0),
        }
    });
    let open = |path: String| {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(|error| Failure::new(OTHER, format!("TALARIA_CRASH_TRACE {path}: {error}")))
    };
    let trace = environment.crash_trace().map(open).transpose()?;
    if (target.is_some() || trace.is_some()) && HOOK.set(Hook { target, trace }).is_ok() {
        crash::install(passed);
    }
    Ok(())
}

fn passed(point: CrashPoint) {
    let Some(hook) = HOOK.get() else { return };
    let name = point.to_string();
    if let Some(trace) = &hook.trace {
        // One write a line: lines of several threads don't mix.
        let _lost = rustix::io::write(trace, format!("{name}\n").as_bytes());
    }
    let Some(target) = hook.target.as_ref().filter(|target| target.point == name) else {
        return;
    };
    if target.seen.fetch_add(1, Ordering::SeqCst) + 1 == target.occurrence {
        // The test reads this line: the point fired.
        let line = format!("CRASH {name}\n");
        let _lost = rustix::io::write(rustix::stdio::stderr(), line.as_bytes());
        let me = rustix::process::getpid();
        let _never_back = rustix::process::kill_process(me, rustix::process::Signal::KILL);
    }
}
