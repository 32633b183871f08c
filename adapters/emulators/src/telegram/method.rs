//! The methods that exist here, and which limits they spend from.

use super::limits::Cost;

macro_rules! methods {
    ($($variant:ident $name:literal $cost:ident),+ $(,)?) => {
        /// A method of the API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Method { $($variant),+ }

        impl Method {
            /// Names are case-insensitive (server source: Client, to_lower(method)).
            pub(crate) fn parse(name: &str) -> Option<Self> {
                $(if name.eq_ignore_ascii_case($name) { return Some(Self::$variant); })+
                None
            }

            /// The documentation's spelling.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            pub(crate) fn cost(self) -> Cost {
                match self { $(Self::$variant => Cost::$cost),+ }
            }
        }
    };
}

methods! {
    GetMe "getMe" Free,
    GetUpdates "getUpdates" Free,
    DeleteWebhook "deleteWebhook" Free,
    GetWebhookInfo "getWebhookInfo" Free,
    SendMessage "sendMessage" Message,
    SendMessageDraft "sendMessageDraft" Message,
    EditMessageText "editMessageText" Message,
    EditMessageReplyMarkup "editMessageReplyMarkup" Message,
    DeleteMessage "deleteMessage" Light,
    DeleteMessages "deleteMessages" Light,
    SendChatAction "sendChatAction" Light,
    AnswerCallbackQuery "answerCallbackQuery" Light,
    SetMyCommands "setMyCommands" Light,
    GetMyCommands "getMyCommands" Light,
    DeleteMyCommands "deleteMyCommands" Light,
}
