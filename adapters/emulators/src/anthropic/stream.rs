//! Sends a plan's events at the model's speed, as a response body.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, header};
use futures::stream::unfold;

use super::control::Outcome;
use super::plan::{End, Event, Plan};
use super::shared::Shared;
use crate::clock::now_us;
use crate::server::Cutter;

/// Long enough for what was written to leave before the connection is cut.
const FLUSH: Duration = Duration::from_millis(20);

/// A stream in flight. Dropped before its end, the client has gone.
pub(crate) struct Sender {
    shared: Arc<Shared>,
    number: usize,
    events: std::vec::IntoIter<Event>,
    end: End,
    cutter: Cutter,
    speed: f64,
    start: tokio::time::Instant,
    spent_tokens: usize,
    settled: bool,
}

impl Sender {
    pub(crate) fn new(
        shared: Arc<Shared>,
        number: usize,
        plan: Plan,
        cutter: Cutter,
        speed: f64,
        first_byte: Duration,
    ) -> Self {
        let start = tokio::time::Instant::now() + first_byte;
        let events = plan.events.into_iter();
        let end = plan.end;
        Self {
            shared,
            number,
            events,
            end,
            cutter,
            speed,
            start,
            spent_tokens: 0,
            settled: false,
        }
    }

    /// The response; its body is the stream.
    pub(crate) fn response(self, request_id: &str) -> Response<Body> {
        let number = self.number;
        self.shared.change(|state| {
            if let Some(log) = state.requests.get_mut(number) {
                log.status = 200;
            }
        });
        let body = unfold(self, |mut sender| async move {
            sender
                .next()
                .await
                .map(|bytes| (Ok::<_, std::io::Error>(bytes), sender))
        });
        let mut response = Response::new(Body::from_stream(body));
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("text/event-stream; charset=utf-8");
        headers.insert(header::CONTENT_TYPE, kind);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Ok(id) = HeaderValue::from_str(request_id) {
            headers.insert("request-id", id);
        }
        response
    }

    async fn next(&mut self) -> Option<Bytes> {
        let Some(event) = self.events.next() else {
            return self.finish().await;
        };
        self.spent_tokens += event.tokens;
        // Absolute times: the average speed is exact, however late a single event is.
        tokio::time::sleep_until(self.start + pause(self.spent_tokens, self.speed)).await;
        let now = now_us();
        let first = self.shared.look(|state| {
            let log = state.requests.get_mut(self.number)?;
            log.events += 1;
            if event.tokens == 0 {
                return None;
            }
            log.last_delta_us = Some(now);
            log.first_delta_us
                .is_none()
                .then(|| log.first_delta_us = Some(now))
        });
        // Only the first delta wakes those who wait: a stream has thousands of events.
        if first.is_some() {
            self.shared.change(|_| ());
        }
        Some(event.bytes)
    }

    async fn finish(&mut self) -> Option<Bytes> {
        match self.end {
            End::Whole => self.settle(Outcome::Finished),
            End::Early => self.settle(Outcome::Cut),
            End::Cut => {
                tokio::time::sleep(FLUSH).await;
                self.settle(Outcome::Cut);
                self.cutter.cut();
                // The cut ends the connection's task; a proper end must not win the race.
                std::future::pending::<()>().await;
            }
            End::Stall => std::future::pending().await,
        }
        None
    }

    fn settle(&mut self, outcome: Outcome) {
        self.settled = true;
        self.shared.change(|state| {
            if let Some(log) = state.requests.get_mut(self.number) {
                log.outcome = outcome;
                log.end_us = Some(now_us());
            }
        });
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        if !self.settled {
            self.settle(Outcome::ClientGone);
        }
    }
}

/// The time that so many tokens take.
pub(crate) fn pause(tokens: usize, speed: f64) -> Duration {
    if speed <= 0.0 {
        return Duration::ZERO;
    }
    #[expect(clippy::cast_precision_loss, reason = "token counts are small")]
    let seconds = tokens as f64 / speed;
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}
