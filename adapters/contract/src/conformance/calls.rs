//! Checks of calls that succeed, and the ways in which the suite makes calls.

use std::sync::atomic::{AtomicU64, Ordering};

use talaria_types::{
    Action, Body, CallKind, Capabilities, CreateClass, Failure, FailureKind, Fence, Handle,
    PlatformCall, PostId, RemoveClass, Seq, Signal, UpdateClass, WireKey,
};

use super::{Rig, Seen};
use crate::Adapter;

static NUMBER: AtomicU64 = AtomicU64::new(1);

fn number() -> u64 {
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

pub(super) fn key() -> WireKey {
    WireKey::new(
        *b"test",
        PostId {
            origin: Seq(number()),
            ordinal: 0,
        },
        0,
    )
}

/// A call in the rig's chat.
pub(super) fn call(rig: &impl Rig, action: Action) -> PlatformCall {
    PlatformCall {
        place: rig.place(),
        fence: Fence {
            epoch: 1,
            number: number(),
        },
        action,
    }
}

pub(super) async fn create(
    adapter: &dyn Adapter,
    rig: &impl Rig,
    body: Body,
) -> Result<Handle, Failure> {
    let receipt = adapter
        .call(call(
            rig,
            Action::Create {
                key: key(),
                body,
                reply_to: None,
            },
        ))
        .await?;
    Ok(receipt
        .handle
        .unwrap_or_else(|| panic!("a create succeeded without a handle")))
}

/// A message that was made.
pub(super) async fn made(adapter: &dyn Adapter, rig: &impl Rig, body: Body) -> Handle {
    create(adapter, rig, body)
        .await
        .unwrap_or_else(|failure| panic!("not created: {failure}"))
}

fn texts(rig: &impl Rig) -> Vec<String> {
    rig.seen().into_iter().map(|seen| seen.text).collect()
}

/// A capability says yes exactly when the call does not answer `Unsupported`.
pub async fn a_capability_is_a_call_that_is_supported(rig: &impl Rig) {
    let adapter = rig.adapter();
    let capabilities = adapter.capabilities(&rig.place());
    let handle = made(&*adapter, rig, Body::plain("a message")).await;
    for kind in CallKind::ALL {
        let Some(promised) = promised(&capabilities, kind) else {
            continue;
        };
        let outcome = adapter.call(call(rig, sample(kind, &handle))).await;
        let supported =
            !matches!(&outcome, Err(failure) if failure.kind == FailureKind::Unsupported);
        assert_eq!(promised, supported, "{}: {outcome:?}", kind.name());
    }
}

/// What the capabilities say about a kind of call; `None` where they do not speak of it.
fn promised(capabilities: &Capabilities, kind: CallKind) -> Option<bool> {
    match kind {
        CallKind::Create => Some(true),
        CallKind::Edit => Some(capabilities.update != UpdateClass::None),
        CallKind::Append | CallKind::Close => Some(capabilities.update == UpdateClass::Append),
        CallKind::Delete => Some(capabilities.remove != RemoveClass::No),
        CallKind::Prove => Some(capabilities.create != CreateClass::Blind),
        CallKind::Signal => Some(capabilities.typing_ttl.is_some()),
        CallKind::Answer => Some(capabilities.buttons),
        // Not in the record, and what is absent is unsupported.
        CallKind::Complete | CallKind::React | CallKind::Upload | CallKind::Read => Some(false),
        // A command menu is a courtesy: the gateway offers it, and takes no for an answer.
        CallKind::Setup => None,
    }
}

fn sample(kind: CallKind, handle: &Handle) -> Action {
    let handle = handle.clone();
    let body = Body::plain("something else");
    match kind {
        CallKind::Create => Action::Create {
            key: key(),
            body,
            reply_to: None,
        },
        CallKind::Complete => Action::Complete {
            key: key(),
            staged: "staged".to_owned(),
        },
        CallKind::Edit => Action::Edit { handle, body },
        CallKind::Append => Action::Append {
            handle,
            delta: body,
        },
        CallKind::Close => Action::Close { handle, body: None },
        CallKind::Delete => Action::Delete { handle },
        CallKind::Prove => Action::Prove {
            key: key(),
            lower_bound: None,
        },
        CallKind::Signal => Action::Signal(Signal::Typing),
        CallKind::React => Action::React {
            handle,
            emoji: None,
        },
        CallKind::Answer => Action::Answer {
            interaction: "1".to_owned(),
            text: None,
        },
        CallKind::Upload => Action::Upload {
            key: key(),
            name: "a.txt".to_owned(),
        },
        CallKind::Read => Action::Read { after: None },
        CallKind::Setup => Action::Setup {
            commands: Vec::new(),
        },
    }
}

/// The receipt of a create names the message; with it, it is changed and removed.
pub async fn a_message_is_made_changed_and_removed(rig: &impl Rig) {
    let adapter = rig.adapter();
    let asked = rig.say("a question");
    let action = Action::Create {
        key: key(),
        body: Body::plain("first"),
        reply_to: Some(asked),
    };
    let receipt = adapter.call(call(rig, action)).await;
    let receipt = receipt.unwrap_or_else(|failure| panic!("not created: {failure}"));
    let Some(handle) = receipt.handle else {
        panic!("a create succeeded without a handle")
    };
    let seen = |text: &str| Seen {
        message: handle.message.clone(),
        text: text.to_owned(),
        buttons: Vec::new(),
    };
    assert_eq!(rig.seen(), [seen("first")]);

    let edit = Action::Edit {
        handle: handle.clone(),
        body: Body::plain("second 🙂"),
    };
    let receipt = adapter.call(call(rig, edit)).await;
    let receipt = receipt.unwrap_or_else(|failure| panic!("not changed: {failure}"));
    assert_eq!(receipt.handle.as_ref(), Some(&handle));
    assert_eq!(rig.seen(), [seen("second 🙂")]);

    let outcome = adapter
        .call(call(
            rig,
            Action::Delete {
                handle: handle.clone(),
            },
        ))
        .await;
    assert!(outcome.is_ok(), "{outcome:?}");
    assert!(rig.seen().is_empty());
}

/// An edit to what the message shows already is a success: a repeated edit must be able to end.
pub async fn an_edit_without_change_succeeds(rig: &impl Rig) {
    let adapter = rig.adapter();
    let handle = made(&*adapter, rig, Body::plain("the same")).await;
    for _ in 0..2 {
        let edit = Action::Edit {
            handle: handle.clone(),
            body: Body::plain("the same"),
        };
        let receipt = adapter.call(call(rig, edit)).await;
        let receipt = receipt.unwrap_or_else(|failure| panic!("refused: {failure}"));
        assert_eq!(receipt.handle.as_ref(), Some(&handle));
    }
    assert_eq!(texts(rig), ["the same"]);
}

/// Removing a message that is not there is a success, for the same reason.
pub async fn removing_what_is_gone_succeeds(rig: &impl Rig) {
    let adapter = rig.adapter();
    let handle = made(&*adapter, rig, Body::plain("short-lived")).await;
    for _ in 0..2 {
        let outcome = adapter
            .call(call(
                rig,
                Action::Delete {
                    handle: handle.clone(),
                },
            ))
            .await;
        assert!(outcome.is_ok(), "{outcome:?}");
    }
    let edit = Action::Edit {
        handle,
        body: Body::plain("too late"),
    };
    match adapter.call(call(rig, edit)).await {
        Err(failure) => assert_eq!(failure.kind, FailureKind::MessageGone),
        Ok(receipt) => panic!("a removed message was changed: {receipt:?}"),
    }
}

/// A text of exactly the limit arrives whole, in the limit's own unit; a longer one is refused as
/// too long, and shows nothing.
pub async fn text_of_the_limit_passes(rig: &impl Rig) {
    let adapter = rig.adapter();
    let Capabilities {
        text_limit,
        text_unit,
        ..
    } = adapter.capabilities(&rig.place());
    let emoji = "🙂";
    let mut text = emoji.repeat(8);
    text.push_str(&"x".repeat(text_limit - text_unit.count(&text)));
    assert_eq!(text_unit.count(&text), text_limit);
    made(&*adapter, rig, Body::plain(text.clone())).await;
    assert_eq!(texts(rig), [text.clone()]);

    // Longer in every unit.
    let longer = text + &emoji.repeat(text_limit);
    match create(&*adapter, rig, Body::plain(longer)).await {
        Err(failure) => assert_eq!(failure.kind, FailureKind::TooLong, "{failure}"),
        Ok(handle) => panic!("a text above the limit was sent: {handle}"),
    }
    assert_eq!(rig.seen().len(), 1);
}

/// A typing signal is seen.
pub async fn typing_is_shown(rig: &impl Rig) {
    let adapter = rig.adapter();
    if adapter.capabilities(&rig.place()).typing_ttl.is_none() {
        return;
    }
    assert!(!rig.typing());
    let outcome = adapter
        .call(call(rig, Action::Signal(Signal::Typing)))
        .await;
    assert!(outcome.is_ok(), "{outcome:?}");
    assert!(rig.typing());
}
