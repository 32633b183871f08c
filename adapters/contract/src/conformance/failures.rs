//! Checks of calls that fail: what is known afterwards.

use std::time::Duration;

use talaria_types::{
    Action, Body, CallKind, Certainty, Failure, FailureKind, FailureScope, Handle, Retry,
};

use super::calls::{call, create, made};
use super::{Fault, Rig};
use crate::Adapter;

async fn failed(adapter: &dyn Adapter, rig: &impl Rig) -> Failure {
    match create(adapter, rig, Body::plain("perhaps")).await {
        Err(failure) => failure,
        Ok(handle) => panic!("it succeeded: {handle}"),
    }
}

async fn failed_edit(adapter: &dyn Adapter, rig: &impl Rig, handle: &Handle) -> Failure {
    let edit = Action::Edit {
        handle: handle.clone(),
        body: Body::plain("perhaps"),
    };
    match adapter.call(call(rig, edit)).await {
        Err(failure) => failure,
        Ok(receipt) => panic!("it succeeded: {receipt:?}"),
    }
}

/// A call whose answer is cut off may have taken effect, whether it did or not; it is made once.
pub async fn a_cut_answer_may_have_sent_it(rig: &impl Rig) {
    let adapter = rig.adapter();
    let handle = made(&*adapter, rig, Body::plain("before")).await;
    for (fault, shown) in [(Fault::CutAfter, 2), (Fault::CutBefore, 2)] {
        let before = rig.calls(CallKind::Create);
        rig.fault(CallKind::Create, fault);
        let failure = failed(&*adapter, rig).await;
        assert_eq!(
            failure.certainty,
            Certainty::MaybeSent,
            "{fault:?}: {failure}"
        );
        assert_eq!(rig.seen().len(), shown, "{fault:?}");
        assert_eq!(
            rig.calls(CallKind::Create),
            before + 1,
            "{fault:?}: an attempt is one call"
        );

        rig.fault(CallKind::Edit, fault);
        let failure = failed_edit(&*adapter, rig, &handle).await;
        assert_eq!(
            failure.certainty,
            Certainty::MaybeSent,
            "{fault:?}: {failure}"
        );
    }
}

/// A create whose answer has no message id took effect all the same.
pub async fn a_create_without_an_id_was_sent(rig: &impl Rig) {
    let adapter = rig.adapter();
    rig.fault(CallKind::Create, Fault::EmptyAnswer);
    let failure = failed(&*adapter, rig).await;
    assert_eq!(failure.certainty, Certainty::Sent, "{failure}");
    assert_eq!(rig.seen().len(), 1);
}

/// A request that never left took no effect, and may be repeated.
pub async fn a_refused_connection_sent_nothing(rig: &impl Rig) {
    let failure = failed(&*rig.unreachable(), rig).await;
    assert_eq!(failure.certainty, Certainty::NotSent, "{failure}");
    assert_eq!(failure.kind, FailureKind::Network, "{failure}");
    assert_ne!(failure.retry, Retry::Never);
    assert!(rig.seen().is_empty());
}

/// "Too many calls" took no effect, is no other failure, and says when to come back.
pub async fn a_rate_limit_names_its_delay_and_sent_nothing(rig: &impl Rig) {
    let adapter = rig.adapter();
    let handle = made(&*adapter, rig, Body::plain("before")).await;
    let wait = Duration::from_secs(7);
    rig.fault(CallKind::Create, Fault::RateLimited(wait));
    let created = failed(&*adapter, rig).await;
    rig.fault(CallKind::Edit, Fault::RateLimited(wait));
    let edited = failed_edit(&*adapter, rig, &handle).await;
    for failure in [created, edited] {
        assert_eq!(failure.kind, FailureKind::RateLimited, "{failure}");
        assert_eq!(failure.certainty, Certainty::NotSent, "{failure}");
        assert_eq!(failure.retry, Retry::After(wait), "{failure}");
    }
    assert_eq!(
        rig.seen()
            .iter()
            .map(|seen| seen.text.as_str())
            .collect::<Vec<_>>(),
        ["before"]
    );
}

/// An error page from something between says nothing about the effect.
pub async fn a_server_error_may_have_sent_it(rig: &impl Rig) {
    let adapter = rig.adapter();
    rig.fault(CallKind::Create, Fault::BadGateway);
    let failure = failed(&*adapter, rig).await;
    assert_eq!(failure.certainty, Certainty::MaybeSent, "{failure}");
    assert_eq!(failure.kind, FailureKind::Server, "{failure}");
    assert_ne!(failure.retry, Retry::Never);
}

/// Refused credentials concern everything that the account does, and no retry helps.
pub async fn refused_credentials_concern_the_account(rig: &impl Rig) {
    let failure = failed(&*rig.unauthorized(), rig).await;
    assert_eq!(failure.kind, FailureKind::Unauthorized, "{failure}");
    assert_eq!(failure.scope, FailureScope::Account);
    assert_eq!(failure.certainty, Certainty::NotSent);
    assert_eq!(failure.retry, Retry::Never);
}
