use std::time::Duration;

use talaria_types::{CallKind, PlaceKind, ScopePart};

use super::{capabilities, limits};

/// The calls per second that a limit lets through in the long run.
fn rate(limit: &talaria_types::Limit) -> f64 {
    f64::from(limit.calls) / limit.per.as_secs_f64()
}

#[test]
fn messages_stay_two_percent_below_the_published_rates() {
    let limits = limits(PlaceKind::Group);
    let of = |scope: &[ScopePart], published: f64| {
        limits.iter().any(|limit| {
            limit.scope == scope
                && limit.kinds.contains(&CallKind::Create)
                && rate(limit) <= published * 0.981
                && rate(limit) >= published * 0.979
        })
    };
    assert!(of(&[ScopePart::Account, ScopePart::Chat], 1.0));
    assert!(of(&[ScopePart::Account], 30.0));
    assert!(of(&[ScopePart::Account, ScopePart::Chat], 20.0 / 60.0));
}

#[test]
fn the_group_limit_applies_in_groups_only() {
    let direct = limits(PlaceKind::Direct);
    let group = limits(PlaceKind::Group);
    assert_eq!(group.len(), direct.len() + 1);
    assert!(
        direct
            .iter()
            .all(|limit| limit.per < Duration::from_secs(60))
    );
}

#[test]
fn drafts_always_leave_room_for_a_sealed_post() {
    for limit in limits(PlaceKind::Group) {
        assert!(limit.burst > limit.kept_for_sealed);
        let messages = limit.kinds.contains(&CallKind::Edit);
        assert_eq!(messages, limit.kept_for_sealed > 0, "{limit:?}");
    }
}

#[test]
fn the_typing_signal_is_repeated_within_its_own_limit() {
    let caps = capabilities(PlaceKind::Direct);
    let ttl = caps.typing_ttl.unwrap();
    let own = caps
        .limits
        .iter()
        .filter(|limit| limit.kinds.contains(&CallKind::Signal));
    for limit in own {
        assert!(limit.per / limit.calls < ttl, "{limit:?}");
    }
}
