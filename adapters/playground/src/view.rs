//! What the page shows, as data. Written once per change, compared per connection (see `delta`).

mod delta;

pub(crate) use delta::delta;

use serde::Serialize;

/// Everything the page shows at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Snapshot {
    /// Grows with every change; never goes back within one playground.
    pub(crate) version: u64,
    /// The supervisor's clock, milliseconds since 1970: the page counts durations from it.
    pub(crate) now_ms: u64,
    pub(crate) gateway: GatewayView,
    pub(crate) ledger: LedgerView,
    pub(crate) chats: Vec<ChatView>,
    pub(crate) log: Vec<LogLine>,
}

/// The child process.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct GatewayView {
    pub(crate) state: GatewayState,
    pub(crate) pid: Option<u32>,
    /// Start of the state, milliseconds since 1970.
    pub(crate) since_ms: u64,
    /// How the last process ended ("exit code 78", "killed"); empty while one runs.
    pub(crate) ended: String,
    /// The last line that it logged before it ended by itself.
    pub(crate) last_line: String,
    pub(crate) starts: u32,
    pub(crate) kills: u32,
}

/// Where the child process is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GatewayState {
    /// Alive; its admin socket has not answered yet.
    Starting,
    /// Alive and answering.
    Running,
    /// Ended by the Kill button.
    Killed,
    /// Ended by itself, or never came up.
    #[default]
    Exited,
}

/// The ledger's figures, as the gateway's admin socket tells them. While nothing answers, the last
/// ones stay, with `up` false.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct LedgerView {
    pub(crate) up: bool,
    /// Whether figures were ever received.
    pub(crate) known: bool,
    pub(crate) accepted: u64,
    pub(crate) running: u64,
    pub(crate) owed: u64,
    pub(crate) delivered: u64,
    pub(crate) refused: u64,
    pub(crate) recent: Vec<RecentView>,
}

/// One record that changed lately.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct RecentView {
    /// `inbound`, `turn` or `post`; the page shows other words as they are.
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) state: String,
    pub(crate) at_ms: u64,
    pub(crate) title: String,
}

/// One line of the child's log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LogLine {
    pub(crate) seq: u64,
    pub(crate) text: String,
}

/// One chat column.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ChatView {
    #[serde(flatten)]
    pub(crate) head: ChatHead,
    pub(crate) messages: Vec<MessageView>,
}

/// A chat without its messages.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ChatHead {
    pub(crate) id: &'static str,
    /// Which platform it looks like; the page has one skin per word.
    pub(crate) skin: &'static str,
    pub(crate) title: String,
    pub(crate) typing: bool,
    /// Text that streams as a draft, which the platform keeps nowhere.
    pub(crate) draft: Option<TextView>,
    pub(crate) commands: Vec<CommandView>,
    /// The last answer to a pressed button, with a number that grows with each.
    pub(crate) toast: Option<ToastView>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct CommandView {
    pub(crate) command: String,
    pub(crate) description: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ToastView {
    pub(crate) seq: u64,
    pub(crate) text: String,
    pub(crate) alert: bool,
}

/// One message bubble.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct MessageView {
    pub(crate) id: i64,
    pub(crate) mine: bool,
    #[serde(flatten)]
    pub(crate) body: TextView,
    pub(crate) sent_ms: u64,
    pub(crate) edited: bool,
    /// Of the user's own messages: whether the bot has taken it in (the second tick).
    pub(crate) fetched: bool,
    pub(crate) reply_to: Option<i64>,
    pub(crate) buttons: Vec<Vec<ButtonView>>,
}

/// Text with its markup. Offsets and lengths are UTF-16 code units (Bot API: MessageEntity), which
/// is how JavaScript counts too.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct TextView {
    pub(crate) text: String,
    pub(crate) entities: Vec<EntityView>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct EntityView {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) offset: i64,
    pub(crate) length: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ButtonView {
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// Whether pressing it tells the bot (callback data); the data itself stays here.
    pub(crate) press: bool,
}
