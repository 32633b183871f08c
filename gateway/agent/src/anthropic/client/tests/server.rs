//! A server of a few lines that gives every request the same answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

pub(super) const STREAM_HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// What the server does with each request.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// Exactly these bytes, then the connection stays open.
    Keep(Vec<u8>),
    /// Exactly these bytes, then the connection is closed.
    Close(Vec<u8>),
}

pub(super) struct Server {
    pub(super) url: String,
    pub(super) connections: Arc<AtomicUsize>,
    /// Each request as it came, head and body.
    pub(super) requests: mpsc::Receiver<(String, String)>,
    /// One message for each connection that the client closed.
    pub(super) closed: mpsc::Receiver<()>,
}

pub(super) async fn serve(answer: Answer) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let (seen, requests) = mpsc::channel(16);
    let (gone, closed) = mpsc::channel(16);
    let count = Arc::clone(&connections);
    let run = async move {
        while let Ok((socket, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            let (answer, seen, gone) = (answer.clone(), seen.clone(), gone.clone());
            spawn(async move {
                connection(socket, answer, seen).await;
                let _test_is_over = gone.send(()).await;
            });
        }
    };
    spawn(run);
    Server {
        url,
        connections,
        requests,
        closed,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test's server; it ends with the test's runtime"
)]
fn spawn(work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(work);
}

/// Serves requests until the client is gone.
async fn connection(mut socket: TcpStream, answer: Answer, seen: mpsc::Sender<(String, String)>) {
    let mut buffer = Vec::new();
    loop {
        let mut piece = [0; 4096];
        match socket.read(&mut piece).await {
            Ok(n) if n > 0 => buffer.extend_from_slice(&piece[..n]),
            _ => return,
        }
        let Some((head, body)) = whole_request(&buffer) else {
            continue;
        };
        buffer.clear();
        seen.send((head, body)).await.unwrap();
        match &answer {
            Answer::Keep(bytes) => socket.write_all(bytes).await.unwrap(),
            Answer::Close(bytes) => {
                socket.write_all(bytes).await.unwrap();
                socket.shutdown().await.unwrap();
                return;
            }
        }
    }
}

fn whole_request(bytes: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let head = head.to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))?;
    (body.len() >= length.parse().unwrap()).then(|| (head, body.to_owned()))
}

pub(super) fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

/// A whole streamed answer, in chunks of a few bytes.
pub(super) fn stream_answer(body: &[u8]) -> Vec<u8> {
    let chunks: Vec<u8> = body.chunks(7).flat_map(chunk).collect();
    [STREAM_HEAD.as_bytes(), &chunks, b"0\r\n\r\n"].concat()
}

pub(super) fn plain_answer(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .into_bytes()
}
