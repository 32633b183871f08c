use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixListener;

use super::{SOCKET_NAME, Tally, overview, parse};

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

#[test]
fn a_kill_takes_nothing_away_from_the_figures() {
    let told = |text: &str| parse(&format!("{{\"ok\":{text}}}"));
    let mut tally = Tally::default();
    assert!(!tally.view().known);
    let row = r#"{"accepted":2,"delivered":1,"running":1,"owed":1,"recent":[{"kind":"turn","id":"1.2","state":"running"},{"kind":"turn","id":"1.1","state":"finished"}]}"#;
    tally.take(Some(10), told(row));
    tally.take(None, None);
    let down = tally.view();
    assert_eq!(
        (down.up, down.accepted, down.owed, down.delivered),
        (false, 2, 1, 1)
    );

    // The next process counts from nothing, and knows the open turn.
    let row =
        r#"{"accepted":0,"delivered":1,"recent":[{"kind":"turn","id":"1.2","state":"finished"}]}"#;
    for _ in 0..2 {
        tally.take(Some(11), told(row));
        let view = tally.view();
        assert_eq!(
            (view.up, view.accepted, view.running, view.owed),
            (true, 2, 0, 0)
        );
        assert_eq!(view.delivered, 2);
        let rows: Vec<&str> = view.recent.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(rows, vec!["1.2", "1.1"]);
        assert_eq!(view.recent[0].state, "finished");
    }
}
