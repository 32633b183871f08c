use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixListener;

use super::{SOCKET_NAME, overview, parse};

#[test]
fn missing_and_unknown_fields_are_tolerated() {
    let view = parse(r#"{"ok":{"accepted":3,"later":true,"recent":[{"kind":"turn","id":"t1"}]}}"#)
        .unwrap();
    assert!(view.up);
    assert_eq!((view.accepted, view.owed), (3, 0));
    assert_eq!(view.recent[0].id, "t1");
    assert_eq!(view.recent[0].state, "");
}

#[test]
fn an_error_or_garbage_is_no_answer() {
    assert_eq!(parse(r#"{"error":"unknown command"}"#), None);
    assert_eq!(parse("not json"), None);
    assert_eq!(parse(""), None);
}

#[tokio::test]
async fn asks_one_line_and_reads_one_line() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(overview(folder.path()).await, None, "no socket: down");

    let listener = UnixListener::bind(folder.path().join(SOCKET_NAME)).unwrap();
    let server = async {
        let (read, mut write) = listener.accept().await.unwrap().0.into_split();
        let mut line = String::new();
        BufReader::new(read).read_line(&mut line).await.unwrap();
        write
            .write_all(b"{\"ok\":{\"delivered\":5,\"refused\":1}}\n")
            .await
            .unwrap();
        line
    };
    let (line, view) = tokio::join!(server, overview(folder.path()));
    assert_eq!(line, "{\"command\":\"overview\"}\n");
    let view = view.unwrap();
    assert_eq!((view.delivered, view.refused), (5, 1));
}
