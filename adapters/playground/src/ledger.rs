//! The ledger's figures, asked of the gateway's admin socket: one JSON line in, one JSON line out.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::view::{LedgerView, RecentView};

/// The socket's name in the data folder.
pub(crate) const SOCKET_NAME: &str = "admin.sock";
/// A gateway that has not answered by then counts as not answering.
const PATIENCE: Duration = Duration::from_secs(2);
/// An answer is far smaller; more than this is not read.
const MAX_ANSWER_BYTES: u64 = 1 << 20;
/// Rows of the list on the page.
const MAX_RECENT: usize = 6;

/// Fields that are missing count as zero or empty: the page is a view, not a judge of the protocol.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    ok: Option<Overview>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Overview {
    accepted: u64,
    running: u64,
    owed: u64,
    delivered: u64,
    refused: u64,
    recent: Vec<Recent>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Recent {
    kind: String,
    id: String,
    state: String,
    at_ms: u64,
    title: String,
}

/// Asks the socket in `data_dir`. `None`: nothing answers, or not in a form that can be read.
pub(crate) async fn overview(data_dir: &Path) -> Option<LedgerView> {
    let path = data_dir.join(SOCKET_NAME);
    match tokio::time::timeout(PATIENCE, ask(&path)).await {
        Ok(Ok(line)) => parse(&line),
        // No socket or nobody behind it: the ordinary state of a gateway that is down.
        Ok(Err(_)) | Err(_) => None,
    }
}

async fn ask(path: &Path) -> std::io::Result<String> {
    let (read, mut write) = UnixStream::connect(path).await?.into_split();
    write.write_all(b"{\"command\":\"overview\"}\n").await?;
    let mut line = String::new();
    BufReader::new(read.take(MAX_ANSWER_BYTES))
        .read_line(&mut line)
        .await?;
    Ok(line)
}

fn parse(line: &str) -> Option<LedgerView> {
    let overview = serde_json::from_str::<Answer>(line).ok()?.ok?;
    Some(LedgerView {
        up: true,
        known: true,
        accepted: overview.accepted,
        running: overview.running,
        owed: overview.owed,
        delivered: overview.delivered,
        refused: overview.refused,
        recent: overview
            .recent
            .into_iter()
            .take(MAX_RECENT)
            .map(|recent| RecentView {
                kind: recent.kind,
                id: recent.id,
                state: recent.state,
                at_ms: recent.at_ms,
                title: recent.title,
            })
            .collect(),
    })
}

/// Figures over all processes of the gateway. Each process counts from its own start; what the one
/// before had told last is added, so that a kill takes nothing away. What happened between its last
/// answer and its end is not counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pid: Option<u32>,
    /// Sum of the processes before.
    before: LedgerView,
    /// What the present process told last.
    now: LedgerView,
}

impl Tally {
    /// Takes the answer of the process `pid`; `None`: it did not answer, or no process is there.
    pub(crate) fn take(&mut self, pid: Option<u32>, answer: Option<LedgerView>) {
        if let Some(answer) = answer {
            if self.pid != pid {
                self.before = self.view();
                self.pid = pid;
            }
            self.now = answer;
        } else {
            self.now.up = false;
        }
    }

    /// Whose figures these are.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.pid
    }

    pub(crate) fn view(&self) -> LedgerView {
        let (before, now) = (&self.before, &self.now);
        let fresh = |row: &RecentView| {
            !now.recent
                .iter()
                .any(|new| new.kind == row.kind && new.id == row.id)
        };
        let older = before.recent.iter().filter(|row| fresh(row));
        LedgerView {
            up: now.up,
            known: now.known,
            accepted: before.accepted.saturating_add(now.accepted),
            running: now.running,
            owed: now.owed,
            delivered: before.delivered.saturating_add(now.delivered),
            refused: before.refused.saturating_add(now.refused),
            recent: now
                .recent
                .iter()
                .chain(older)
                .take(MAX_RECENT)
                .cloned()
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests;
