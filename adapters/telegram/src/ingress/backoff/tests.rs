use std::time::Duration;

use talaria_types::Secret;

use super::Backoff;
use crate::settings::TelegramSettings;

fn backoff() -> Backoff {
    Backoff::new(&TelegramSettings::new("main", Secret::new("1:A")))
}

#[test]
fn waits_double_up_to_half_a_minute_and_start_over() {
    let mut backoff = backoff();
    let waits: Vec<_> = (0..7).map(|_| backoff.next().as_secs()).collect();
    assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
    backoff.reset();
    assert_eq!(backoff.next(), Duration::from_secs(1));
}

#[test]
fn a_conflict_waits_longer_but_not_for_ever() {
    let mut backoff = backoff();
    let waits: Vec<_> = (0..4).map(|_| backoff.slower().as_secs()).collect();
    assert_eq!(waits, [5, 10, 20, 30]);
}
