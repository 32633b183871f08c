//! The adapter itself: its parts put together.

use std::sync::{Arc, OnceLock};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use talaria_contract::{Adapter, Exit, Sink};
use talaria_types::{AccountId, CallOutcome, Capabilities, Place, PlatformCall};

use crate::http::Http;
use crate::identity::{Identity, IdentityError};
use crate::settings::{Error, TelegramSettings};
use crate::{call, capabilities, identity, ingress};

/// The longest answer to a call: a message with all its fields is far below it.
const ANSWER_BOUND: usize = 1 << 20;

/// One bot on one Bot API server.
#[derive(Clone)]
pub struct TelegramAdapter {
    link: Arc<Link>,
}

/// What receiving and sending share.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) settings: TelegramSettings,
    pub(crate) account: AccountId,
    pub(crate) bot_id: u64,
    /// From getMe, once it has answered.
    pub(crate) username: OnceLock<Option<String>>,
    pub(crate) http: Http,
}

impl TelegramAdapter {
    /// Sets the adapter up. Needs no network.
    ///
    /// # Errors
    /// Settings that can't work: see [`Error`].
    pub fn new(settings: TelegramSettings) -> Result<Self, Error> {
        settings.token.register();
        let link = Link {
            account: settings.account()?,
            bot_id: settings.bot_id()?,
            http: Http::new(&settings)?,
            username: OnceLock::new(),
            settings,
        };
        Ok(Self {
            link: Arc::new(link),
        })
    }

    /// The account, as the token names it.
    #[must_use]
    pub fn account(&self) -> &AccountId {
        &self.link.account
    }

    /// Asks the platform who this is, once.
    ///
    /// # Errors
    /// The credentials are refused or belong to another bot, or the platform can't be reached.
    pub async fn identify(&self) -> Result<Identity, IdentityError> {
        identity::identify(&self.link).await
    }
}

impl Adapter for TelegramAdapter {
    fn capabilities(&self, place: &Place) -> Capabilities {
        capabilities::capabilities(place.kind)
    }

    fn call(&self, call: PlatformCall) -> BoxFuture<'static, CallOutcome> {
        let link = Arc::clone(&self.link);
        async move {
            let request = call::encode(&call)?;
            let timeout = link.settings.call_timeout;
            let answer = link
                .http
                .post(&request.method, request.body, timeout, ANSWER_BOUND)
                .await;
            call::decode(&request.purpose, &answer)
        }
        .boxed()
    }

    fn ingress(&self, sink: Sink) -> BoxFuture<'static, Exit> {
        let link = Arc::clone(&self.link);
        async move { ingress::run(&link, &sink).await }.boxed()
    }
}
