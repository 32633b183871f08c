use super::{Bucket, Rate};

/// Sends at `percent` of the rate for `seconds`; returns the number of refusals.
fn refusals(rate: Rate, percent: u32, seconds: u64) -> u32 {
    let mut bucket = Bucket::default();
    let step = 1_000_000.0 / rate.per_second * 100.0 / f64::from(percent);
    let mut refused = 0;
    let mut at = 0.0;
    while at < seconds as f64 * 1e6 {
        match bucket.check(rate, at as u64) {
            Ok(()) => bucket.charge(rate, at as u64),
            Err(_) => refused += 1,
        }
        at += step;
    }
    refused
}

#[test]
fn five_per_cent_over_is_refused_and_the_limit_itself_is_not() {
    for rate in [Rate::new(1.0, 3), Rate::new(30.0, 30)] {
        assert_eq!(refusals(rate, 95, 300), 0);
        assert_eq!(refusals(rate, 100, 300), 0);
        assert!(refusals(rate, 105, 60) > 0, "{rate:?}");
        assert!(refusals(rate, 300, 10) > 0, "{rate:?}");
    }
}

#[test]
fn the_burst_passes_and_the_next_call_is_told_when() {
    let rate = Rate::new(1.0, 3);
    let mut bucket = Bucket::default();
    for _ in 0..3 {
        assert_eq!(bucket.check(rate, 5_000_000), Ok(()));
        bucket.charge(rate, 5_000_000);
    }
    assert_eq!(bucket.check(rate, 5_000_100), Err(1));
    assert_eq!(
        bucket.check(rate, 5_900_000),
        Err(1),
        "refused until retry_after has passed"
    );
    assert_eq!(bucket.check(rate, 6_000_100), Ok(()));
}
