//! A conversation's mailbox. Two queues: what must never wait for a model stream (grants, answers
//! of calls, evidence), and everything else.

use talaria_core::io::Input;
use tokio::sync::mpsc;

/// Grants and answers are bounded by the posts of a conversation.
const SIGNALS: usize = 1024;
/// Model events beyond this make the stream wait: pressure goes back to the provider.
const EVENTS: usize = 256;

#[derive(Clone, Debug)]
pub struct Mailbox {
    signals: mpsc::Sender<Input>,
    events: mpsc::Sender<Input>,
}

#[derive(Debug)]
pub struct MailboxReader {
    pub signals: mpsc::Receiver<Input>,
    pub events: mpsc::Receiver<Input>,
}

/// The conversation's task is gone; the input comes back.
#[derive(Debug)]
pub struct Closed(pub Box<Input>);

#[must_use]
pub fn mailbox() -> (Mailbox, MailboxReader) {
    let (signals, signals_reader) = mpsc::channel(SIGNALS);
    let (events, events_reader) = mpsc::channel(EVENTS);
    (
        Mailbox { signals, events },
        MailboxReader {
            signals: signals_reader,
            events: events_reader,
        },
    )
}

impl Mailbox {
    /// # Errors
    /// The task is gone.
    pub async fn send(&self, input: Input) -> Result<(), Closed> {
        let sent = self.queue(&input).send(input).await;
        sent.map_err(|back| Closed(Box::new(back.0)))
    }

    /// Without waiting. False: full or closed.
    #[must_use]
    pub fn try_send(&self, input: Input) -> bool {
        self.queue(&input).try_send(input).is_ok()
    }

    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.events.is_closed()
    }

    /// Whether both lead to the same task.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.events.same_channel(&other.events)
    }

    fn queue(&self, input: &Input) -> &mpsc::Sender<Input> {
        match input {
            Input::Granted(_) | Input::CallDone { .. } | Input::Evidence { .. } | Input::Wake => {
                &self.signals
            }
            Input::Start
            | Input::Inbound(_)
            | Input::Posted(_)
            | Input::Model { .. }
            | Input::ToolDone { .. } => &self.events,
        }
    }
}

impl MailboxReader {
    /// Takes nothing more, and gives back what had come in.
    pub fn close(&mut self) -> Vec<Input> {
        self.signals.close();
        self.events.close();
        let mut left = Vec::new();
        while let Ok(input) = self.signals.try_recv() {
            left.push(input);
        }
        while let Ok(input) = self.events.try_recv() {
            left.push(input);
        }
        left
    }
}
