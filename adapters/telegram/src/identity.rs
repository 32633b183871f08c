//! Who the bot is: the token says it, getMe confirms it.

use talaria_contract::Exit;
use talaria_types::{AccountId, CallKind, Failure, FailureKind};
use teloxide::types::User;

use crate::adapter::Link;
use crate::classify::{Reading, lost, read, refused};
use crate::ingress::Backoff;

/// What getMe says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub account: AccountId,
    /// Without `@`. People address commands to it; it may change.
    pub username: Option<String>,
}

/// Why getMe confirmed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// The credentials are refused, or are another bot's. `detail` names what to fix.
    #[error("{detail}")]
    Unauthorized { detail: String },
    /// No usable answer; trying again can help.
    #[error("no answer about the bot's identity: {0}")]
    Unreachable(Failure),
}

const ANSWER_BOUND: usize = 1 << 20;

pub(crate) async fn identify(link: &Link) -> Result<Identity, IdentityError> {
    let timeout = link.settings.call_timeout;
    let answer = link
        .http
        .post("getMe", b"{}".to_vec(), timeout, ANSWER_BOUND)
        .await;
    let answer = answer.map_err(|gone| IdentityError::Unreachable(lost(&gone)))?;
    let user: User = match read(&answer) {
        Reading::Ok(result) => {
            serde_json::from_str(result).map_err(|_| IdentityError::Unreachable(no_user()))?
        }
        Reading::Refused(refusal) => {
            let failure = refused(CallKind::Read, &refusal)
                .err()
                .unwrap_or_else(no_user);
            return Err(if failure.kind == FailureKind::Unauthorized {
                IdentityError::Unauthorized {
                    detail: unauthorized(link, &failure.detail),
                }
            } else {
                IdentityError::Unreachable(failure)
            });
        }
    };
    if user.id.0 != link.bot_id {
        return Err(IdentityError::Unauthorized {
            detail: format!(
                "telegram {}: the token is for bot {} but the server at {} knows it as bot {}; \
                 check token and api_url",
                link.settings.name,
                link.bot_id,
                link.http.base(),
                user.id
            ),
        });
    }
    // The first answer counts; a changed name is seen at the next start.
    let username = link.username.get_or_init(|| user.username).clone();
    Ok(Identity {
        account: link.account.clone(),
        username,
    })
}

fn no_user() -> Failure {
    lost(&crate::http::Lost::MaybeSent {
        detail: "getMe answered no user".to_owned(),
    })
}

/// What to fix when the platform refuses the token, without the token.
pub(crate) fn unauthorized(link: &Link, said: &str) -> String {
    format!(
        "telegram {}: {} refuses the token of bot {} ({said}); it was revoked or mistyped: \
         get a new one from BotFather (/token) and set it as token, or check api_url",
        link.settings.name,
        link.http.base(),
        link.bot_id,
    )
}

/// Asks until there is an answer. Returns only if receiving has to stop.
pub(crate) async fn verify(link: &Link) -> Option<Exit> {
    let mut backoff = Backoff::new(&link.settings);
    loop {
        match identify(link).await {
            Ok(identity) => {
                let username = identity.username.as_deref().unwrap_or_default();
                tracing::info!(account.id = %link.account, bot.username = username, "identity confirmed");
                return None;
            }
            Err(IdentityError::Unauthorized { detail }) => {
                return Some(Exit::Unauthorized { detail });
            }
            Err(error @ IdentityError::Unreachable(_)) => {
                tracing::debug!(account.id = %link.account, %error, "identity not confirmed yet");
                tokio::time::sleep(backoff.next()).await;
            }
        }
    }
}
