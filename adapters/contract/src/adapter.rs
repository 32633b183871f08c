//! What the gateway asks of a platform.

use futures::future::BoxFuture;
use talaria_types::{CallOutcome, Capabilities, Place, PlatformCall};

use crate::Sink;

/// One account on one platform.
///
/// A capability says yes exactly when the call does not answer
/// [`talaria_types::FailureKind::Unsupported`]; the conformance suite checks it.
pub trait Adapter: Send + Sync {
    /// What can be done in `place`, and within which limits. Pure and cheap: called for each
    /// decision.
    fn capabilities(&self, place: &Place) -> Capabilities;

    /// Makes one call, once: no retry, no pacing, no waiting for a better time. Ends within the
    /// adapter's own time-out, and classifies what went wrong. Dropping the future may leave the
    /// outcome unknown.
    fn call(&self, call: PlatformCall) -> BoxFuture<'static, CallOutcome>;

    /// Receives until it has to stop, and puts everything into `sink`. An event is acknowledged to
    /// the platform only after [`Sink::accept`] returned for it (P1). Reconnects by itself.
    /// Dropping the future stops receiving.
    fn ingress(&self, sink: Sink) -> BoxFuture<'static, Exit>;
}

/// Why an adapter stopped receiving for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The sink is closed: the gateway shuts down or its ledger failed.
    SinkClosed,
    /// The platform refuses the credentials. `detail` names what to fix, without secrets.
    Unauthorized { detail: String },
}
