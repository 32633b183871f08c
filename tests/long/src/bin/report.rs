//! Puts a section into `tests/long/RESULTS.md`: the text on standard input, which begins with its
//! heading, takes the place of the section with the same heading.
//!
//!     cargo run --release -p talaria-long --bin load | cargo run --release -p talaria-long --bin report

use std::io::Read as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use talaria_long::{proc, report::replace};

/// Puts a section of figures into RESULTS.md.
#[derive(Parser, Debug)]
struct Options {
    /// The commit that was measured; absent: the one that is checked out.
    #[arg(long)]
    commit: Option<String>,
    /// Said beside the date.
    #[arg(long)]
    note: Option<String>,
}

#[expect(clippy::print_stdout, reason = "this is what it prints")]
fn main() -> Result<()> {
    let options = Options::parse();
    let mut section = String::new();
    std::io::stdin()
        .read_to_string(&mut section)
        .context("standard input")?;
    ensure!(
        section.starts_with("## "),
        "a section begins with its heading"
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let commit = match options.commit {
        Some(commit) => commit,
        None => output("git", &["rev-parse", "--short", "HEAD"], root)?,
    };
    let date = output("date", &["-u", "+%Y-%m-%d %H:%M"], root)?;
    let note = options
        .note
        .map(|note| format!("; {note}"))
        .unwrap_or_default();
    let stamp = format!("Commit {commit}, {date} UTC; {}{note}.", proc::machine());
    let path = root.join("RESULTS.md");
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(&path, replace(&old, &section, &stamp)).context("RESULTS.md")?;
    println!("{stamp}");
    Ok(())
}

fn output(program: &str, arguments: &[&str], folder: &Path) -> Result<String> {
    let done = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .with_context(|| program.to_owned())?;
    ensure!(done.status.success(), "{program} failed");
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}
