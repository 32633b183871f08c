//! The emulated server with one bot and one person, as the conformance suite's rig.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use talaria_contract::Adapter;
use talaria_contract::conformance::{Fault, Rig, Seen};
use talaria_emulators::telegram::{Limits, UpdateFault, UserSpec};
use talaria_emulators::{FaultKind, FaultSpec, TelegramControl, TelegramEmulator, TelegramOptions};
use talaria_telegram::{TelegramAdapter, TelegramSettings};
use talaria_types::{CallKind, ChatId, Handle, MessageId, Place, PlaceKind, Secret};

pub(crate) const TOKEN: &str = "900100:AAtest-token_of-the-emulated-bot";
pub(crate) const ANN: i64 = 5001;

pub(crate) struct Bench {
    emulator: TelegramEmulator,
    pub(crate) control: TelegramControl,
}

impl Bench {
    pub(crate) async fn start() -> Self {
        let ann = UserSpec {
            id: ANN,
            first_name: "Ann".to_owned(),
            username: None,
        };
        let options = TelegramOptions {
            limits: Limits::off(),
            users: vec![ann],
            ..TelegramOptions::with_bot(TOKEN, "demo_bot")
        };
        let emulator = TelegramEmulator::start(options).await.unwrap();
        let control = emulator.control();
        Self { emulator, control }
    }

    pub(crate) fn settings(&self) -> TelegramSettings {
        settings(TOKEN, self.emulator.api_url())
    }

    /// The arguments of the calls of a method, in order of arrival.
    pub(crate) fn arguments(&self, method: &str) -> Vec<serde_json::Value> {
        let calls = self.control.calls().into_iter();
        calls
            .filter(|call| call.method == method)
            .map(|call| call.params)
            .collect()
    }

    /// The next polls go wrong.
    pub(crate) fn poll_fault(&self, count: u32, kind: FaultKind) {
        self.control
            .fault(FaultSpec::next("getUpdates", kind).times(count));
    }
}

/// Settings whose waits are short.
fn settings(token: &str, api_url: String) -> TelegramSettings {
    TelegramSettings {
        api_url,
        retry_first: Duration::from_millis(10),
        retry_max: Duration::from_millis(50),
        ..TelegramSettings::new("main", Secret::new(token))
    }
}

pub(crate) fn adapter(settings: TelegramSettings) -> Arc<dyn Adapter> {
    Arc::new(TelegramAdapter::new(settings).unwrap())
}

fn method(kind: CallKind) -> &'static str {
    match kind {
        CallKind::Create => "sendMessage",
        CallKind::Edit => "editMessageText",
        CallKind::Delete => "deleteMessage",
        CallKind::Signal => "sendChatAction",
        CallKind::Answer => "answerCallbackQuery",
        CallKind::Setup => "setMyCommands",
        CallKind::Read => "getUpdates",
        CallKind::Complete
        | CallKind::Append
        | CallKind::Close
        | CallKind::Prove
        | CallKind::React
        | CallKind::Upload => panic!("the platform has no {}", kind.name()),
    }
}

fn id(message: &MessageId) -> i64 {
    message.as_str().parse().unwrap()
}

impl Rig for Bench {
    fn adapter(&self) -> Arc<dyn Adapter> {
        adapter(self.settings())
    }

    fn unreachable(&self) -> Arc<dyn Adapter> {
        // The port was free a moment ago, and nobody listens there.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        adapter(settings(TOKEN, format!("http://{address}")))
    }

    fn unauthorized(&self) -> Arc<dyn Adapter> {
        adapter(settings("900100:AArevoked", self.emulator.api_url()))
    }

    fn place(&self) -> Place {
        Place {
            account: self.settings().account().unwrap(),
            kind: PlaceKind::Direct,
            chat: ChatId::new(ANN.to_string()),
            thread: None,
        }
    }

    fn say(&self, text: &str) -> MessageId {
        MessageId::new(self.control.user_text(ANN, text).unwrap().to_string())
    }

    fn say_twice(&self, text: &str) -> MessageId {
        self.control
            .update_fault(UpdateFault::Duplicate { new_id: true })
            .unwrap();
        self.say(text)
    }

    fn garble(&self) {
        let update = serde_json::json!({"message": {"message_id": "not a number"}});
        self.control.inject_update(update).unwrap();
    }

    fn press(&self, handle: &Handle, data: &str) {
        self.control
            .user_press(ANN, id(&handle.message), data)
            .unwrap();
    }

    fn press_answered(&self, handle: &Handle) -> bool {
        let callbacks = self.control.chat(ANN).unwrap().callbacks;
        callbacks
            .iter()
            .any(|press| press.message_id == id(&handle.message) && press.answer.is_some())
    }

    fn seen(&self) -> Vec<Seen> {
        let chat = self.control.chat(ANN).unwrap();
        let seen = chat.from_bot().map(|message| Seen {
            message: MessageId::new(message.id.to_string()),
            text: message.text.clone(),
            buttons: message
                .buttons
                .iter()
                .flatten()
                .map(|button| button.text.clone())
                .collect(),
        });
        seen.collect()
    }

    fn typing(&self) -> bool {
        self.control.chat(ANN).unwrap().typing
    }

    fn fault(&self, kind: CallKind, fault: Fault) {
        let fault = match fault {
            Fault::CutAfter => FaultKind::CutAfter,
            Fault::CutBefore => FaultKind::CutBefore,
            Fault::EmptyAnswer => FaultKind::EmptyResult,
            Fault::RateLimited(wait) => FaultKind::Error {
                status: 429,
                description: String::new(),
                retry_after: Some(wait.as_secs()),
            },
            Fault::BadGateway => FaultKind::Html {
                status: 502,
                body: String::new(),
                effect: true,
            },
        };
        self.control.fault(FaultSpec::next(method(kind), fault));
    }

    fn calls(&self, kind: CallKind) -> usize {
        self.arguments(method(kind)).len()
    }

    fn acknowledged(&self, message: &MessageId) -> bool {
        let waiting = self.control.pending_updates().unwrap();
        !waiting
            .iter()
            .any(|update| update["message"]["message_id"] == id(message))
    }
}
