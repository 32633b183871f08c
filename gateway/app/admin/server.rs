//! The gateway's side of the admin socket: mode 0600, same user.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use talaria_runtime::Gateway;
use talaria_runtime::pairing::Verdict;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tracing::warn;

use super::{Request, SOCKET, answer};
use crate::exit::{Failure, OTHER};

/// A longer request is none of ours.
const REQUEST_BYTES: u64 = 64 * 1024;
/// A client that says nothing is let go.
const PATIENCE: Duration = Duration::from_secs(10);

/// Removes the socket's file when the gateway ends.
#[derive(Debug)]
pub(crate) struct Socket(PathBuf);

impl Drop for Socket {
    fn drop(&mut self) {
        // Gone already is fine.
        let _gone = fs::remove_file(&self.0);
    }
}

/// Listens. The ledger's lock is held, so an old socket file is a dead process's.
pub(crate) fn serve(data_dir: &Path, gateway: Arc<Gateway>) -> Result<Socket, Failure> {
    let path = data_dir.join(SOCKET);
    let cant = |error: std::io::Error| {
        Failure::new(
            OTHER,
            format!("the admin socket {} can't be made: {error}", path.display()),
        )
    };
    if path.exists() {
        fs::remove_file(&path).map_err(cant)?;
    }
    // The folder is private (0700), so nobody can connect before the mode is set.
    let listener = UnixListener::bind(&path).map_err(cant)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(cant)?;
    talaria_runtime::supervise::spawn("admin socket", async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let gateway = Arc::clone(&gateway);
                    talaria_runtime::supervise::spawn("admin request", async move {
                        let answered = tokio::time::timeout(PATIENCE, talk(stream, &gateway)).await;
                        if let Ok(Err(error)) = answered {
                            warn!(error = %error, "an admin request was cut");
                        }
                    });
                }
                Err(error) => {
                    warn!(error = %error, "the admin socket can't accept");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    });
    Ok(Socket(path))
}

async fn talk(mut stream: UnixStream, gateway: &Gateway) -> std::io::Result<()> {
    let (read, mut write) = stream.split();
    let mut line = String::new();
    BufReader::new(read.take(REQUEST_BYTES))
        .read_line(&mut line)
        .await?;
    let result = match serde_json::from_str::<Request>(&line) {
        Ok(request) => respond(&request, gateway).await,
        Err(error) => Err(format!("not a request: {error}")),
    };
    let mut text = match result {
        Ok(value) => json!({ "ok": value }),
        Err(message) => json!({ "error": message }),
    }
    .to_string();
    text.push('\n');
    write.write_all(text.as_bytes()).await
}

async fn respond(request: &Request, gateway: &Gateway) -> Result<Value, String> {
    let shared = gateway.shared();
    match request {
        Request::Overview => Ok(answer::overview(shared)),
        Request::PairApprove { wanted } => pair(gateway, wanted, Verdict::Approve).await,
        Request::PairRevoke { wanted } => pair(gateway, wanted, Verdict::Revoke).await,
        Request::List { .. } | Request::Show { .. } | Request::Trace { .. } | Request::PairList => {
            let accounts = gateway
                .accounts()
                .iter()
                .map(|account| account.id.clone())
                .collect();
            let store = Arc::clone(shared.ledger.store());
            let request = request.clone();
            // Reads block.
            tokio::task::spawn_blocking(move || answer::read(&request, store.as_ref(), accounts))
                .await
                .map_err(|error| error.to_string())?
        }
    }
}

async fn pair(gateway: &Gateway, wanted: &str, verdict: Verdict) -> Result<Value, String> {
    let record = gateway
        .pair(wanted, verdict)
        .await
        .map_err(|error| crate::exit::chain(&error))?;
    Ok(json!([answer::pairing(&record)]))
}
