//! What `config check` shows: each value and where it came from, warnings, problems.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use crate::error::{Problem, Problems, Warning};
use crate::load::Loaded;
use crate::sources::{Shown, Sources};

/// A longer value is cut in the text form.
const WIDTH: usize = 60;

/// Holds no secret, in either form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    pub ok: bool,
    /// The file that was read; `None` means the environment alone.
    pub file: Option<PathBuf>,
    pub values: Sources,
    pub warnings: Vec<Warning>,
    pub problems: Vec<Problem>,
}

impl Report {
    #[must_use]
    pub fn new(outcome: &Result<Loaded, Problems>) -> Self {
        match outcome {
            Ok(loaded) => Self {
                ok: true,
                file: loaded.file.clone(),
                values: loaded.sources.clone(),
                warnings: loaded.warnings.clone(),
                problems: Vec::new(),
            },
            Err(found) => Self {
                ok: false,
                file: found.file.clone(),
                values: found.sources.clone(),
                warnings: found.warnings.clone(),
                problems: found.problems.clone(),
            },
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => writeln!(f, "Configuration file: {}", file.display())?,
            None => writeln!(f, "Configuration file: none (the environment alone)")?,
        }
        let rows = self.values.0.iter().map(|entry| {
            let value = shortened(&entry.value);
            (entry.key.as_str(), value, entry.source.to_string())
        });
        let rows: Vec<_> = rows.collect();
        let width = |text: &str| text.chars().count();
        let keys = rows.iter().map(|(key, ..)| width(key)).max().unwrap_or(0);
        let values = rows
            .iter()
            .map(|(_, value, _)| width(value))
            .max()
            .unwrap_or(0);
        for (key, value, source) in &rows {
            writeln!(f, "  {key:keys$}  {value:values$}  {source}")?;
        }
        for warning in &self.warnings {
            writeln!(f, "Warning: {warning}")?;
        }
        for (number, problem) in self.problems.iter().enumerate() {
            writeln!(f, "Problem {}: {problem}", number + 1)?;
        }
        match self.problems.len() {
            0 => f.write_str("The configuration is complete."),
            1 => f.write_str("The gateway will not start until this problem is solved."),
            count => write!(
                f,
                "The gateway will not start until these {count} problems are solved."
            ),
        }
    }
}

fn shortened(value: &Shown) -> String {
    let text = value.to_string();
    if text.chars().count() <= WIDTH {
        return text;
    }
    let kept: String = text.chars().take(WIDTH - 4).collect();
    format!("{kept}...\"")
}

#[cfg(test)]
mod tests;
