//! From an HTTP request to a call and back, with the faults in between (Bot API: "Making
//! requests").

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State as AxumState};
use axum::http::Response;
use serde_json::json;

use super::answer::{Answer, ApiError, html, respond};
use super::method::Method;
use super::methods::{self, Call, updates};
use super::params::Params;
use super::shared::Shared;
use super::views::CallLog;
use crate::fault::FaultKind;
use crate::server::Cutter;

pub(crate) async fn handle(
    AxumState(shared): AxumState<Arc<Shared>>,
    ConnectInfo(cutter): ConnectInfo<Cutter>,
    request: Request,
) -> Response<Body> {
    let path = request.uri().path().replace("%3A", ":").replace("%3a", ":");
    let (bot, method) = match route(&shared, &path) {
        Ok(found) => found,
        Err(error) => {
            let name = path.rsplit('/').next().unwrap_or_default().to_owned();
            let number = arrive(&shared, 0, name, None, json!({}));
            settle(&shared, number, &Err(error.clone()), false);
            return respond(&Err(error));
        }
    };
    let params = match Params::read(request).await {
        Ok(params) => params,
        Err(error) => {
            let number = arrive(&shared, bot, method.name().to_owned(), None, json!({}));
            settle(&shared, number, &Err(error.clone()), false);
            return respond(&Err(error));
        }
    };
    let chat = params.chat_id();
    let number = arrive(
        &shared,
        bot,
        method.name().to_owned(),
        chat,
        params.to_value(),
    );
    let fault = shared.change(|state, _| {
        let fault = state.take_fault(method.name(), chat);
        if let Some(call) = state.call_mut(number) {
            call.fault = fault.as_ref().map(|fault| fault.name().to_owned());
        }
        fault
    });
    let job = Job {
        shared,
        bot,
        method,
        params,
        number,
    };
    match fault {
        None => respond(&job.run().await),
        Some(fault) => faulty(job, fault, &cutter).await,
    }
}

/// The bot and the method of a path `/bot<token>/<method>`. A malformed path or token is 404, an
/// unknown token 401, an unknown method 404 (platforms.md 1.1).
fn route(shared: &Shared, path: &str) -> Result<(i64, Method), ApiError> {
    let not_found = || ApiError::new(404, "Not Found");
    let rest = path.strip_prefix("/bot").ok_or_else(not_found)?;
    let (token, method) = rest.split_once('/').ok_or_else(not_found)?;
    let id = bot_id(token).ok_or_else(not_found)?;
    let known = shared.look(|state, _| state.bots.get(&id).is_some_and(|bot| bot.token == token));
    if !known {
        return Err(ApiError::new(401, "Unauthorized"));
    }
    let method = Method::parse(method.trim_end_matches('/'));
    let method = method.ok_or_else(|| ApiError::new(404, "Not Found: method not found"))?;
    Ok((id, method))
}

/// The id in a well-formed token.
pub(crate) fn bot_id(token: &str) -> Option<i64> {
    let (id, secret) = token.split_once(':')?;
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let well_formed = !secret.is_empty() && secret.chars().all(legal);
    id.parse().ok().filter(|id| *id > 0 && well_formed)
}

fn arrive(
    shared: &Shared,
    bot: i64,
    method: String,
    chat: Option<i64>,
    params: serde_json::Value,
) -> u64 {
    shared.change(|state, now| {
        state.log_call(CallLog {
            number: 0,
            at_us: now.us,
            done_us: None,
            bot,
            method,
            chat,
            status: 0,
            description: None,
            params,
            result: None,
            fault: None,
            effect: false,
        })
    })
}

/// Writes the outcome into the log. `status` stays 0 where no answer goes out.
fn settle(shared: &Shared, number: u64, answer: &Answer, effect: bool) {
    shared.change(|state, now| {
        let Some(call) = state.call_mut(number) else {
            return;
        };
        call.effect = effect;
        call.done_us = Some(now.us);
        match answer {
            Ok(result) => {
                call.status = 200;
                call.result = Some(result.clone());
            }
            Err(error) => {
                call.status = error.code;
                call.description = Some(error.description.clone());
            }
        }
    });
}

/// Marks a call whose answer never goes out.
fn unanswered(shared: &Shared, number: u64) {
    shared.change(|state, _| {
        if let Some(call) = state.call_mut(number) {
            call.status = 0;
            call.done_us = None;
        }
    });
}

struct Job {
    shared: Arc<Shared>,
    bot: i64,
    method: Method,
    params: Params,
    number: u64,
}

impl Job {
    /// The effect and its answer, logged.
    async fn run(&self) -> Answer {
        let answer = if self.method == Method::GetUpdates {
            updates::get_updates(&self.shared, self.bot, &self.params).await
        } else {
            self.shared.change(|state, now| {
                let mut call = Call {
                    state,
                    bot: self.bot,
                    params: &self.params,
                    now,
                };
                methods::run(self.method, &mut call)
            })
        };
        settle(&self.shared, self.number, &answer, answer.is_ok());
        answer
    }
}

async fn faulty(job: Job, fault: FaultKind, cutter: &Cutter) -> Response<Body> {
    let cut = || {
        unanswered(&job.shared, job.number);
        cutter.cut();
        Response::new(Body::empty())
    };
    match fault {
        FaultKind::Error {
            status,
            description,
            retry_after,
        } => {
            let error = refusal(status, description, retry_after);
            settle(&job.shared, job.number, &Err(error.clone()), false);
            respond(&Err(error))
        }
        FaultKind::Html {
            status,
            body,
            effect,
        } => {
            let effect = effect && job.run().await.is_ok();
            let error = ApiError::new(status, "(html)");
            settle(&job.shared, job.number, &Err(error), effect);
            html(status, &body)
        }
        FaultKind::CutBefore => cut(),
        FaultKind::CutAfter => {
            job.run().await.ok();
            cut()
        }
        FaultKind::LateEffect { ms } => {
            let response = cut();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                job.run().await.ok();
                unanswered(&job.shared, job.number);
            });
            response
        }
        FaultKind::DelayAnswer { ms } => {
            let answer = job.run().await;
            tokio::time::sleep(Duration::from_millis(ms)).await;
            respond(&answer)
        }
        FaultKind::DelayEffect { ms } => {
            // A task of its own: the effect comes even if the client goes away meanwhile.
            let late = tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                job.run().await
            });
            let lost = |_| Err(ApiError::new(500, "Internal Server Error"));
            respond(&late.await.unwrap_or_else(lost))
        }
        FaultKind::EmptyResult => respond(&job.run().await.map(|_| json!({}))),
        FaultKind::HalfOpen { effect } => {
            if effect {
                job.run().await.ok();
            }
            unanswered(&job.shared, job.number);
            std::future::pending().await
        }
    }
}

fn refusal(status: u16, description: String, retry_after: Option<u64>) -> ApiError {
    match retry_after {
        Some(seconds) if description.is_empty() => ApiError::too_many(seconds),
        retry_after => ApiError {
            code: status,
            description,
            retry_after,
        },
    }
}
