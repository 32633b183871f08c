//! A model, as the turn loop sees it.

use futures::stream::BoxStream;
use talaria_types::model::{ModelRequest, StreamEvent};

/// A model behind some provider's wire format.
pub trait Model: Send + Sync {
    /// Asks the model once. The request leaves when the stream is first polled.
    ///
    /// The last event is `End` or `Failed`, never both, and nothing follows it. Blocks that closed
    /// before a failure were given before it. Dropping the stream cancels the request and closes
    /// its connection. Nothing is retried here: whether to ask again is the turn machine's
    /// decision, made from the error's kind and `retry_after`.
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, StreamEvent>;

    /// The model's name for logs: provider, slash, model id.
    fn name(&self) -> &str;
}
