//! The event stream: one per open page. Each connection remembers what it sent and sends the
//! difference; a connection that breaks begins anew with everything.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, Sse};
use futures::Stream;
use serde_json::json;
use tokio::sync::watch;

use super::App;
use crate::hub::Hub;
use crate::view::{Snapshot, delta};

/// Changes closer together than this fall into one event.
const GATHER: Duration = Duration::from_millis(40);
/// With nothing to say, a sign of life this often; the page counts the playground as lost after
/// three of them are missing.
const PING: Duration = Duration::from_secs(3);

struct Connection {
    hub: Arc<Hub>,
    changed: watch::Receiver<u64>,
    greeting: Option<String>,
    sent: Option<Snapshot>,
}

pub(crate) async fn events(
    State(app): State<Arc<App>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let connection = Connection {
        changed: app.hub.watch(),
        hub: Arc::clone(&app.hub),
        greeting: Some(json!({ "instance": app.instance }).to_string()),
        sent: None,
    };
    Sse::new(futures::stream::unfold(
        connection,
        |mut connection| async move {
            let event = connection.next().await?;
            Some((Ok(event), connection))
        },
    ))
}

impl Connection {
    /// `None`: the playground ends.
    async fn next(&mut self) -> Option<Event> {
        if let Some(greeting) = self.greeting.take() {
            return Some(Event::default().event("hello").data(greeting));
        }
        loop {
            if self.sent.is_some() {
                match tokio::time::timeout(PING, self.changed.changed()).await {
                    Ok(Ok(())) => tokio::time::sleep(GATHER).await,
                    Ok(Err(_)) => return None,
                    Err(_) => return Some(Event::default().event("ping").data("{}")),
                }
            }
            self.changed.mark_unchanged();
            let snapshot = self.hub.snapshot();
            let found = delta(self.sent.as_ref(), &snapshot);
            self.sent = Some(snapshot);
            if let Some(found) = found {
                // Plain data of our own types: it always has a JSON form.
                let data = serde_json::to_string(&found).unwrap_or_default();
                return Some(Event::default().event("state").data(data));
            }
        }
    }
}
