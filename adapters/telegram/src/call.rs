//! A [`PlatformCall`] as a Bot API request, and the answer as its outcome. Both directions are
//! pure; [`crate::http`] is between them.

use serde::{Deserialize, Serialize};
use talaria_types::{
    Action, Body, CallKind, CallOutcome, Certainty, ChatId, Command, Failure, FailureKind,
    FailureScope, Handle, MessageId, Place, PlatformCall, Receipt, Retry, Signal,
};
use teloxide::payloads::{
    AnswerCallbackQuery, AnswerCallbackQuerySetters as _, DeleteMessage, EditMessageText,
    EditMessageTextSetters as _, SendChatAction, SendChatActionSetters as _, SendMessage,
    SendMessageSetters as _, SetMyCommands, SetMyCommandsSetters as _,
};
use teloxide::requests::Payload;
use teloxide::types::{
    BotCommand, BotCommandScope, CallbackQueryId, ChatAction, LinkPreviewOptions, ReplyParameters,
    ThreadId,
};

use crate::classify::{Reading, lost, read, refused};
use crate::format::{entities, keyboard};
use crate::http::{Answer, Lost};

/// The longest text of an answer to a button (Bot API: answerCallbackQuery).
const ANSWER_CHARS: usize = 200;

/// A request, ready to be posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) body: Vec<u8>,
    /// What the answer is for.
    pub(crate) purpose: Purpose,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Purpose {
    kind: CallKind,
    /// The message that the call is about. A create's answer completes it.
    about: About,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum About {
    NewMessageIn(ChatId),
    Message(Handle),
    Nothing,
}

/// The request for a call.
pub(crate) fn encode(call: &PlatformCall) -> Result<Request, Failure> {
    let kind = call.action.kind();
    match &call.action {
        Action::Create {
            key: _,
            body,
            reply_to,
        } => {
            let payload = create(&call.place, body, reply_to.as_ref())?;
            request(&payload, kind, About::NewMessageIn(call.place.chat.clone()))
        }
        Action::Edit { handle, body } => {
            let (chat, message) = target(handle)?;
            let mut payload = EditMessageText::new(chat, message, body.text.as_str())
                .entities(entities(body))
                .link_preview_options(no_preview());
            // An edit without a keyboard removes the one that is there (Bot API: editMessageText).
            payload.reply_markup = keyboard(&body.buttons);
            request(&payload, kind, About::Message(handle.clone()))
        }
        Action::Delete { handle } => {
            let (chat, message) = target(handle)?;
            let payload = DeleteMessage::new(chat, message);
            request(&payload, kind, About::Message(handle.clone()))
        }
        Action::Signal(Signal::Typing) => {
            let chat = chat_id(&call.place.chat)?;
            let mut payload = SendChatAction::new(chat, ChatAction::Typing);
            if let Some(thread) = thread_id(&call.place)? {
                payload = payload.message_thread_id(thread);
            }
            request(&payload, kind, About::Nothing)
        }
        Action::Answer { interaction, text } => {
            let mut payload = AnswerCallbackQuery::new(CallbackQueryId(interaction.clone()));
            if let Some(text) = text {
                payload = payload.text(text.chars().take(ANSWER_CHARS).collect::<String>());
            }
            request(&payload, kind, About::Nothing)
        }
        Action::Setup { commands } => request(&setup(commands), kind, About::Nothing),
        Action::Complete { .. }
        | Action::Append { .. }
        | Action::Close { .. }
        | Action::Prove { .. }
        | Action::React { .. }
        | Action::Upload { .. }
        | Action::Read { .. } => Err(Failure::unsupported(kind.name())),
    }
}

fn create(
    place: &Place,
    body: &Body,
    reply_to: Option<&MessageId>,
) -> Result<SendMessage, Failure> {
    let mut payload = SendMessage::new(chat_id(&place.chat)?, body.text.as_str())
        .entities(entities(body))
        .link_preview_options(no_preview());
    if let Some(thread) = thread_id(place)? {
        payload = payload.message_thread_id(thread);
    }
    if let Some(message) = reply_to {
        // The question may be gone by now; the answer is sent all the same.
        let reply = ReplyParameters::new(message_id(message)?).allow_sending_without_reply();
        payload = payload.reply_parameters(reply);
    }
    if let Some(keyboard) = keyboard(&body.buttons) {
        payload = payload.reply_markup(keyboard);
    }
    Ok(payload)
}

fn setup(commands: &[Command]) -> SetMyCommands {
    let commands = commands
        .iter()
        .map(|c| BotCommand::new(c.name(), c.description()));
    SetMyCommands::new(commands).scope(BotCommandScope::AllPrivateChats)
}

fn no_preview() -> LinkPreviewOptions {
    LinkPreviewOptions {
        is_disabled: true,
        url: None,
        prefer_small_media: false,
        prefer_large_media: false,
        show_above_text: false,
    }
}

fn request<P: Payload + Serialize>(
    payload: &P,
    kind: CallKind,
    about: About,
) -> Result<Request, Failure> {
    let body = serde_json::to_vec(payload).map_err(|_| invalid("the request is no JSON"))?;
    Ok(Request {
        method: method_name(P::NAME),
        body,
        purpose: Purpose { kind, about },
    })
}

/// The method as the documents spell it: the crate's names begin with a capital.
fn method_name(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_ascii_lowercase().to_string() + chars.as_str()
    })
}

fn target(
    handle: &Handle,
) -> Result<(teloxide::types::ChatId, teloxide::types::MessageId), Failure> {
    Ok((chat_id(&handle.chat)?, message_id(&handle.message)?))
}

fn chat_id(chat: &ChatId) -> Result<teloxide::types::ChatId, Failure> {
    let id = chat
        .as_str()
        .parse()
        .map_err(|_| invalid("the chat id is not a number"))?;
    Ok(teloxide::types::ChatId(id))
}

fn message_id(message: &MessageId) -> Result<teloxide::types::MessageId, Failure> {
    let id = message
        .as_str()
        .parse()
        .map_err(|_| invalid("the message id is not a number"))?;
    Ok(teloxide::types::MessageId(id))
}

fn thread_id(place: &Place) -> Result<Option<ThreadId>, Failure> {
    let parse = |thread: &talaria_types::ThreadId| {
        let id = thread
            .as_str()
            .parse()
            .map_err(|_| invalid("the thread id is not a number"))?;
        Ok(ThreadId(teloxide::types::MessageId(id)))
    };
    place.thread.as_ref().map(parse).transpose()
}

/// A call that can't be put into words: nothing was sent, and nothing ever will be.
fn invalid(detail: &str) -> Failure {
    Failure {
        certainty: Certainty::NotSent,
        retry: Retry::Never,
        scope: FailureScope::Message,
        kind: FailureKind::Refused,
        detail: detail.to_owned(),
    }
}

/// The outcome of a call whose request was posted.
pub(crate) fn decode(purpose: &Purpose, answer: &Result<Answer, Lost>) -> CallOutcome {
    let reading = match answer {
        Ok(answer) => read(answer),
        Err(gone) => return Err(lost(gone)),
    };
    match reading {
        Reading::Refused(refusal) => {
            refused(purpose.kind, &refusal)?;
            Ok(receipt(&purpose.about))
        }
        Reading::Ok(result) => match &purpose.about {
            About::NewMessageIn(chat) => {
                let handle = created(chat, result)?;
                Ok(Receipt {
                    handle: Some(handle),
                    proof: None,
                })
            }
            About::Message(_) | About::Nothing => Ok(receipt(&purpose.about)),
        },
    }
}

fn receipt(about: &About) -> Receipt {
    match about {
        About::Message(handle) => Receipt {
            handle: Some(handle.clone()),
            proof: None,
        },
        About::NewMessageIn(_) | About::Nothing => Receipt::default(),
    }
}

/// The message in a create's answer. Only its ids are read: a message whose other fields are of a
/// newer kind is as sent as any other.
fn created(asked: &ChatId, result: &str) -> Result<Handle, Failure> {
    #[derive(Deserialize)]
    struct Made {
        message_id: i64,
    }
    let made: Made = serde_json::from_str(result).map_err(|_| Failure {
        certainty: Certainty::Sent,
        retry: Retry::Never,
        scope: FailureScope::Message,
        kind: FailureKind::Server,
        detail: "the message was made, but the answer has no message id".to_owned(),
    })?;
    Ok(Handle {
        chat: asked.clone(),
        message: MessageId::new(made.message_id.to_string()),
    })
}

#[cfg(test)]
mod tests;
