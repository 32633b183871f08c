//! What the kernel says of a process and of this machine.

use std::path::Path;
use std::time::Duration;

/// `USER_HZ` of Linux on every architecture that this runs on: ticks of /proc/PID/stat.
const TICKS: f64 = 100.0;

fn status(pid: i32, name: &str) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").trim().parse().ok()
}

/// Resident memory in MiB (`VmRSS`); 0 if there is no such process.
#[must_use]
pub fn resident(pid: i32) -> f64 {
    status(pid, "VmRSS:").unwrap_or(0.0) / 1024.0
}

/// The part of it that is no file's, in MiB.
#[must_use]
pub fn anonymous(pid: i32) -> f64 {
    status(pid, "RssAnon:").unwrap_or(0.0) / 1024.0
}

/// The highest resident memory so far, in MiB.
#[must_use]
pub fn peak(pid: i32) -> f64 {
    status(pid, "VmHWM:").unwrap_or(0.0) / 1024.0
}

#[must_use]
pub fn threads(pid: i32) -> f64 {
    status(pid, "Threads:").unwrap_or(0.0)
}

/// CPU time that the process used, in seconds: all threads, user and system.
#[must_use]
pub fn cpu(pid: i32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let (_, rest) = text.rsplit_once(')').unwrap_or_default();
    let ticks = |index: usize| -> f64 {
        let field = rest.split_whitespace().nth(index);
        field.and_then(|field| field.parse().ok()).unwrap_or(0.0)
    };
    // Fields 14 and 15; the first one after the name is field 3.
    (ticks(11) + ticks(12)) / TICKS
}

/// The machine's load average over one minute.
#[must_use]
pub fn load_average() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first = text.split_whitespace().next();
    first.and_then(|first| first.parse().ok()).unwrap_or(0.0)
}

/// Waits until the resident memory has not grown for two seconds, at most 15; returns it.
pub async fn settled(pid: i32) -> f64 {
    let mut last = resident(pid);
    let mut quiet = 0;
    for _ in 0..75 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = resident(pid);
        quiet = if (now - last).abs() < 0.05 {
            quiet + 1
        } else {
            0
        };
        last = now;
        if quiet >= 10 {
            break;
        }
    }
    last
}

/// Cores and memory, in words.
#[must_use]
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib: Option<f64> =
        total.and_then(|total| total.trim().trim_end_matches(" kB").trim().parse().ok());
    format!(
        "{cores} cores, {:.0} GiB of memory",
        kib.unwrap_or(0.0) / 1024.0 / 1024.0
    )
}

/// Milliseconds that one write of 4 KiB and its `fdatasync` take in this folder: the median of 50.
///
/// # Errors
/// What the file system says.
pub fn sync_ms(folder: &Path) -> std::io::Result<f64> {
    use std::io::Write as _;
    let path = folder.join("sync-probe");
    let mut file = std::fs::File::create(&path)?;
    let mut samples = crate::table::Samples::default();
    for _ in 0..50 {
        let start = std::time::Instant::now();
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        samples.add(start.elapsed().as_secs_f64() * 1000.0);
    }
    drop(file);
    std::fs::remove_file(path)?;
    Ok(samples.median())
}
