//! The tool `current_time`.

use std::time::SystemTime;

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use serde_json::{Value, json};
use talaria_types::model::{ToolClass, ToolSpec};

use super::{Tool, ToolContext, ToolOutput};

/// Tells date, time and weekday, in UTC, in an IANA time zone (the zone data is part of the
/// program) or at an offset from UTC.
#[derive(Clone, Copy, Debug)]
pub struct CurrentTime {
    clock: fn() -> SystemTime,
}

impl CurrentTime {
    #[must_use]
    pub fn new(clock: fn() -> SystemTime) -> Self {
        Self { clock }
    }
}

impl Tool for CurrentTime {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "current_time".to_owned(),
            description: "The current date, time and weekday. Without a timezone: UTC.".to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "timezone": {
                        "type": "string",
                        "maxLength": 64,
                        "description": "IANA name, such as Europe/Berlin, or offset from UTC, such as +05:30"
                    }
                },
                "additionalProperties": false
            }),
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Pure
    }

    fn concurrency_safe(&self) -> bool {
        true
    }

    fn run(&self, input: Value, _context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        let zone = input
            .get("timezone")
            .and_then(Value::as_str)
            .unwrap_or_default();
        future::ready(answer((self.clock)(), zone)).boxed()
    }
}

fn answer(now: SystemTime, zone: &str) -> ToolOutput {
    let zone = zone.trim();
    let Some((zone, label)) = time_zone(zone) else {
        return ToolOutput::error(format!(
            "{zone:?} is no known timezone. Use an IANA name, such as Europe/Berlin, or an offset, such as +05:30."
        ));
    };
    let Ok(now) = Timestamp::try_from(now) else {
        return ToolOutput::error("The clock of this machine is not set.");
    };
    let now = jiff::ZonedDateTime::new(now, zone);
    ToolOutput::ok(format!(
        "{}, {} ({label})",
        now.strftime("%Y-%m-%dT%H:%M:%S%:z"),
        now.strftime("%A")
    ))
}

/// The zone and how to name it in the answer.
fn time_zone(text: &str) -> Option<(TimeZone, String)> {
    if text.is_empty() || text.eq_ignore_ascii_case("utc") || text.eq_ignore_ascii_case("z") {
        return Some((TimeZone::UTC, "UTC".to_owned()));
    }
    if let Some(seconds) = offset_seconds(text) {
        let zone = TimeZone::fixed(Offset::from_seconds(seconds).ok()?);
        return Some((zone, "UTC offset".to_owned()));
    }
    let zone = TimeZone::get(text).ok()?;
    let label = zone.iana_name().unwrap_or(text).to_owned();
    Some((zone, label))
}

/// `+2`, `-0330`, `+05:30`, `UTC+2`, `GMT-3`. The furthest offset in use is 14 hours.
fn offset_seconds(text: &str) -> Option<i32> {
    let head = text
        .get(..3)
        .filter(|head| ["utc", "gmt"].contains(&head.to_ascii_lowercase().as_str()));
    let text = text.get(head.map_or(0, str::len)..)?;
    let (sign, digits) = match text
        .strip_prefix('-')
        .or_else(|| text.strip_prefix('\u{2212}'))
    {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+')?),
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None => digits
            .split_at_checked(digits.len().saturating_sub(2))
            .filter(|(hours, _)| !hours.is_empty())
            .unwrap_or((digits, "0")),
    };
    let number = |text: &str| {
        let plain = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| text.parse::<i32>().ok()).flatten()
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests;
