use std::time::{Duration, SystemTime};

use super::{answer, offset_seconds};

fn at(seconds: u64, zone: &str) -> String {
    let output = answer(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds), zone);
    assert!(!output.is_error, "{}", output.content);
    output.content
}

/// 2026-11-30T15:00:00Z and 2026-07-01T23:30:00Z.
const WINTER: u64 = 1_796_050_800;
const SUMMER: u64 = 1_782_948_600;

#[test]
fn utc_is_the_default() {
    assert_eq!(at(WINTER, ""), "2026-11-30T15:00:00+00:00, Monday (UTC)");
    assert_eq!(at(WINTER, " utc "), at(WINTER, ""));
}

#[test]
fn zones_know_summer_time_and_the_day_may_differ() {
    assert_eq!(
        at(WINTER, "Europe/Berlin"),
        "2026-11-30T16:00:00+01:00, Monday (Europe/Berlin)"
    );
    assert_eq!(
        at(SUMMER, "europe/berlin"),
        "2026-07-02T01:30:00+02:00, Thursday (Europe/Berlin)"
    );
    assert_eq!(
        at(SUMMER, "Asia/Kathmandu"),
        "2026-07-02T05:15:00+05:45, Thursday (Asia/Kathmandu)"
    );
}

#[test]
fn offsets_come_in_the_usual_forms() {
    assert_eq!(
        at(WINTER, "-03:30"),
        "2026-11-30T11:30:00-03:30, Monday (UTC offset)"
    );
    let half_six = Some(5 * 3600 + 1800);
    for (text, want) in [
        ("+05:30", half_six),
        ("+0530", half_six),
        ("UTC+5:30", half_six),
        ("+530", half_six),
        ("+2", Some(7200)),
        ("GMT-3", Some(-10800)),
        ("\u{2212}3", Some(-10800)),
        ("+14:00", Some(50400)),
        ("+15:00", None),
        ("+1:60", None),
        ("+", None),
        ("+a", None),
        ("++2", None),
        ("+5:", None),
        ("+123456", None),
        ("5", None),
        ("UTC", None),
    ] {
        assert_eq!(offset_seconds(text), want, "{text}");
    }
}

#[test]
fn an_unknown_zone_is_an_error_that_says_what_fits() {
    for zone in ["Mars/Olympus", "../../etc/passwd", "+99", "Ünï/Cödé"] {
        let output = answer(SystemTime::UNIX_EPOCH, zone);
        assert!(
            output.is_error && output.content.contains("Europe/Berlin"),
            "{}",
            output.content
        );
    }
}
