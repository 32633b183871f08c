//! Checks of what comes in.

use talaria_types::{Action, Body, Button, CallKind, Content, Inbound};

use super::calls::{call, create, made};
use super::{Rig, TestIntake};
use crate::{Exit, LinkState};

/// P1: while its commit is pending, an event is not acknowledged, so a crash brings it back; after
/// the commit it is acknowledged, and does not come again.
pub async fn p1_an_event_is_acknowledged_only_after_its_commit(rig: &impl Rig) {
    let first = TestIntake::new(None);
    first.hold();
    let message = rig.say("hello");
    let adapter = rig.adapter();
    first
        .receiving(&*adapter, async {
            first.until(|intake| intake.offered() > 0).await;
            // Whatever the adapter does beside the pending commit is done when a call was answered.
            made(&*adapter, rig, Body::plain("meanwhile")).await;
            assert!(
                !rig.acknowledged(&message),
                "acknowledged before the commit"
            );
        })
        .await;
    assert!(first.inbounds().is_empty());

    let second = TestIntake::new(first.durable_cursor());
    second
        .receiving(&*rig.adapter(), async {
            second.until(|intake| intake.texts() == ["hello"]).await;
            second.until(|_| rig.acknowledged(&message)).await;
        })
        .await;

    let third = TestIntake::new(second.durable_cursor());
    third
        .receiving(&*rig.adapter(), async {
            rig.say("again");
            third.until(|intake| !intake.texts().is_empty()).await;
            assert_eq!(third.texts(), ["again"]);
        })
        .await;
}

/// P2: what the platform delivers twice has one key, so that the ledger can drop one of them.
pub async fn a_duplicate_has_the_key_of_its_original(rig: &impl Rig) {
    let intake = TestIntake::new(None);
    rig.say_twice("twice");
    rig.say("once");
    intake
        .receiving(&*rig.adapter(), async {
            intake
                .until(|intake| intake.texts().iter().any(|text| text == "once"))
                .await;
        })
        .await;
    let keys = |inbound: &Inbound| {
        let mut keys = inbound.aliases.clone();
        keys.push(inbound.key.clone());
        keys
    };
    let inbounds = intake.inbounds();
    let (twice, once): (Vec<_>, Vec<_>) = inbounds.iter().partition(|inbound| {
        inbound.content
            == Content::Text {
                text: "twice".to_owned(),
            }
    });
    let [original, others @ ..] = twice.as_slice() else {
        panic!("the message is missing")
    };
    for duplicate in others {
        assert!(
            keys(original)
                .iter()
                .any(|key| keys(duplicate).contains(key)),
            "{duplicate:?}"
        );
    }
    for other in once {
        assert!(
            !keys(original).iter().any(|key| keys(other).contains(key)),
            "{other:?}"
        );
    }
}

/// An event that can't be read is set aside, once, and what comes before and after it arrives.
pub async fn a_bad_event_blocks_no_neighbour(rig: &impl Rig) {
    let intake = TestIntake::new(None);
    rig.say("before");
    rig.garble();
    let last = rig.say("after");
    intake
        .receiving(&*rig.adapter(), async {
            intake
                .until(|intake| intake.texts() == ["before", "after"])
                .await;
            intake.until(|_| rig.acknowledged(&last)).await;
        })
        .await;
    assert_eq!(intake.quarantined().len(), 1);
}

/// A closed sink ends the receiving, and what it did not take stays with the platform.
pub async fn a_closed_sink_ends_receiving(rig: &impl Rig) {
    let intake = TestIntake::new(None);
    let adapter = rig.adapter();
    rig.say("in time");
    let close = async {
        intake.until(|intake| !intake.texts().is_empty()).await;
        assert!(intake.links().contains(&LinkState::Alive));
        intake.close();
        rig.say("too late")
    };
    let (exit, message) = futures::future::join(intake.received(&*adapter), close).await;
    assert_eq!(exit, Exit::SinkClosed);
    assert!(!rig.acknowledged(&message));
}

/// Refused credentials end the receiving, with a hint for the operator.
pub async fn refused_credentials_end_receiving(rig: &impl Rig) {
    match TestIntake::new(None).received(&*rig.unauthorized()).await {
        Exit::Unauthorized { detail } => assert!(detail.contains("token"), "no hint: {detail}"),
        other @ Exit::SinkClosed => panic!("wrong exit: {other:?}"),
    }
}

/// A platform that can't be reached is reported, again and again, and ends nothing.
pub async fn an_unreachable_platform_is_reported_and_tried_again(rig: &impl Rig) {
    let intake = TestIntake::new(None);
    let down = |link: &LinkState| matches!(link, LinkState::Down { reason } if !reason.is_empty());
    intake
        .receiving(&*rig.unreachable(), async {
            intake
                .until(|intake| intake.links().iter().filter(|link| down(link)).count() >= 2)
                .await;
        })
        .await;
    assert!(!intake.links().contains(&LinkState::Alive));
}

/// A pressed button comes back with its data, and the press can be answered.
pub async fn a_press_comes_back_with_its_data_and_is_answered(rig: &impl Rig) {
    let adapter = rig.adapter();
    if !adapter.capabilities(&rig.place()).buttons {
        return;
    }
    let button = Button {
        label: "Allow".to_owned(),
        data: "ok:7f3a".to_owned(),
    };
    let body = Body {
        buttons: vec![button],
        ..Body::plain("Run it?")
    };
    let asked = create(&*adapter, rig, body).await;
    let asked = asked.unwrap_or_else(|failure| panic!("not created: {failure}"));
    assert_eq!(
        rig.seen().last().map(|seen| seen.buttons.clone()),
        Some(vec!["Allow".to_owned()])
    );

    let intake = TestIntake::new(None);
    intake
        .receiving(&*adapter, async {
            rig.press(&asked, "ok:7f3a");
            intake.until(|intake| !intake.inbounds().is_empty()).await;
            let inbounds = intake.inbounds();
            let Some(Inbound {
                content: Content::Press { data, interaction },
                message,
                ..
            }) = inbounds.first()
            else {
                panic!("no press: {inbounds:?}");
            };
            assert_eq!(data, "ok:7f3a");
            assert_eq!(message.as_ref(), Some(&asked.message));
            let answer = Action::Answer {
                interaction: interaction.clone(),
                text: None,
            };
            let outcome = adapter.call(call(rig, answer)).await;
            assert!(outcome.is_ok(), "{outcome:?}");
            assert!(rig.press_answered(&asked));
        })
        .await;
    assert_eq!(rig.calls(CallKind::Answer), 1);
}
