//! Answers as text.

use serde_json::Value;

use crate::exit::Failure;

/// Prints an answer, as JSON or by `text`.
#[expect(clippy::print_stdout, reason = "this is what the command prints")]
pub(crate) fn show(answer: &Value, json: bool, text: fn(&Value) -> String) -> Result<(), Failure> {
    if json {
        let text = serde_json::to_string_pretty(answer).map_err(|error| Failure::other(&error))?;
        println!("{text}");
    } else {
        println!("{}", text(answer).trim_end());
    }
    Ok(())
}

pub(crate) fn list(answer: &Value) -> String {
    let rows: Vec<[String; 6]> = rows(answer)
        .iter()
        .map(|row| {
            let state = match field(row, "detail").as_str() {
                "" => field(row, "state"),
                detail => format!("{}: {detail}", field(row, "state")),
            };
            [
                field(row, "kind"),
                field(row, "id"),
                field(row, "conversation"),
                time(row, "at_ms"),
                field(row, "message"),
                state,
            ]
        })
        .collect();
    if rows.is_empty() {
        return "Nothing is owed.".to_owned();
    }
    table(
        ["KIND", "ID", "CONVERSATION", "SINCE", "MESSAGE", "STATE"],
        &rows,
    )
}

pub(crate) fn pairing(answer: &Value) -> String {
    let rows: Vec<[String; 6]> = rows(answer)
        .iter()
        .map(|row| {
            [
                field(row, "user"),
                field(row, "name"),
                field(row, "account"),
                field(row, "code"),
                time(row, "at_ms"),
                field(row, "state"),
            ]
        })
        .collect();
    if rows.is_empty() {
        return "Nobody has asked for access.".to_owned();
    }
    table(["USER", "NAME", "ACCOUNT", "CODE", "SINCE", "STATE"], &rows)
}

pub(crate) fn trace(answer: &Value) -> String {
    let title = format!(
        "{} {}\n",
        field(answer, "title"),
        field(answer, "conversation")
    );
    let lines: Vec<[String; 3]> = answer
        .get("events")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
        .map(|event| {
            [
                time(event, "at_ms"),
                field(event, "what"),
                field(event, "detail"),
            ]
        })
        .collect();
    format!("{title}{}", table(["WHEN", "WHAT", "DETAIL"], &lines))
}

fn rows(answer: &Value) -> &[Value] {
    answer.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn field(row: &Value, name: &str) -> String {
    match row.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => {
            // Names and texts come from outside: a control character must not reach a terminal.
            text.chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect()
        }
        Some(other) => other.to_string(),
    }
}

/// Milliseconds since the epoch as UTC.
fn time(row: &Value, name: &str) -> String {
    let Some(ms) = row.get(name).and_then(Value::as_u64) else {
        return String::new();
    };
    let (days, rest) = (ms / 86_400_000, ms % 86_400_000);
    let (year, month, day) = civil(days);
    let (hours, minutes) = (rest / 3_600_000, rest / 60_000 % 60);
    let (seconds, millis) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

/// The civil date of a day since 1970-01-01 (proleptic Gregorian, by 400-year eras).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = head.map(str::len);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: Vec<&str>| {
        cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.chars().count())))
            .collect::<Vec<_>>()
            .join("  ")
            .trim_end()
            .to_owned()
    };
    let mut lines = vec![line(head.to_vec())];
    lines.extend(
        rows.iter()
            .map(|row| line(row.iter().map(String::as_str).collect())),
    );
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_become_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(20_787), (2026, 11, 30));
        assert_eq!(civil(11_016), (2000, 2, 29));
    }
}
