//! A configuration file as TOML whose every key knows its line, and a reader that takes typed
//! values out of a table. A section's known keys are the ones that were asked for, so the list
//! that unknown keys are held against can't go stale.

use std::path::{Path, PathBuf};

use talaria_types::secret::scrub;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Error, Location, Problem};

/// No hand writes a larger configuration; something else was named by mistake.
const MAX_BYTES: u64 = 1024 * 1024;

/// A value out of the file. `Broken` has its problem reported already: whoever takes the default
/// in its place adds no second one.
#[derive(Debug, Default)]
pub(crate) enum Key<T> {
    #[default]
    Absent,
    Broken,
    Set {
        value: T,
        line: usize,
    },
}

/// The file's text and where its lines begin.
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    starts: Vec<usize>,
}

impl Document {
    pub(crate) fn new(path: PathBuf, text: String) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(breaks.map(|(at, _)| at + 1))
            .collect();
        Self { path, text, starts }
    }

    pub(crate) fn read(path: &Path) -> Result<Self, Vec<Problem>> {
        let problem = |reason: String| {
            let location = Some(Location {
                file: path.to_owned(),
                line: None,
            });
            vec![Problem {
                key: None,
                location,
                error: Error::Unreadable { reason },
            }]
        };
        let length = std::fs::metadata(path)
            .map_err(|error| problem(error.to_string()))?
            .len();
        if length > MAX_BYTES {
            return Err(problem("it is larger than 1 MiB".to_owned()));
        }
        let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
        // Editors on Windows begin a file with a byte order mark, which TOML doesn't know.
        let text = text
            .strip_prefix('\u{feff}')
            .map(str::to_owned)
            .unwrap_or(text);
        Ok(Self::new(path.to_owned(), text))
    }

    pub(crate) fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    pub(crate) fn problem(&self, key: Option<String>, line: usize, error: Error) -> Problem {
        let location = Location {
            file: self.path.clone(),
            line: Some(line),
        };
        Problem {
            key,
            location: Some(location),
            error,
        }
    }

    /// The root table, or what is wrong with the syntax. The library's own display of an error
    /// quotes the line, which may hold a secret; only its message is kept.
    pub(crate) fn parse(&self) -> Result<Spanned<DeTable<'_>>, Vec<Problem>> {
        let (table, errors) = DeTable::parse_recoverable(&self.text);
        if errors.is_empty() {
            return Ok(table);
        }
        let problems = errors.iter().map(|error| {
            let line = self.line(error.span().map_or(0, |span| span.start));
            let message = scrub(error.message().trim()).replace('\n', "; ");
            self.problem(None, line, Error::Syntax { message })
        });
        Err(problems.collect())
    }
}

/// A table that is being read.
pub(crate) struct Reader<'a> {
    pub(crate) document: &'a Document,
    /// Dotted, empty for the root.
    pub(crate) path: String,
    table: &'a DeTable<'a>,
    asked: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(document: &'a Document, path: String, table: &'a DeTable<'a>) -> Self {
        Self {
            document,
            path,
            table,
            asked: Vec::new(),
        }
    }

    pub(crate) fn key(&self, name: &str) -> String {
        // An unknown key may be anything, also a pasted secret.
        let name = scrub(name);
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// The value of a key and the line on which the key stands.
    pub(crate) fn take(&mut self, name: &'static str) -> Option<(&'a DeValue<'a>, usize)> {
        self.asked.push(name);
        let (key, value) = self.table.get_key_value(name)?;
        Some((value.get_ref(), self.document.line(key.span().start)))
    }

    fn typed<T>(
        &mut self,
        name: &'static str,
        expected: &'static str,
        problems: &mut Vec<Problem>,
        convert: impl FnOnce(&'a DeValue<'a>) -> Option<T>,
    ) -> Key<T> {
        let Some((found, line)) = self.take(name) else {
            return Key::Absent;
        };
        if let Some(value) = convert(found) {
            return Key::Set { value, line };
        }
        let error = Error::WrongType {
            expected,
            found: type_of(found),
        };
        problems.push(self.document.problem(Some(self.key(name)), line, error));
        Key::Broken
    }

    pub(crate) fn text(&mut self, name: &'static str, problems: &mut Vec<Problem>) -> Key<String> {
        self.typed(name, "text in quotes", problems, |value| {
            value.as_str().map(str::to_owned)
        })
    }

    /// A whole number; a float or one beyond 64 bits is the wrong type.
    pub(crate) fn number(&mut self, name: &'static str, problems: &mut Vec<Problem>) -> Key<i64> {
        self.typed(name, "a whole number", problems, integer)
    }

    /// A list of texts; whole numbers in it are taken as their digits, since ids are numbers.
    pub(crate) fn list(
        &mut self,
        name: &'static str,
        problems: &mut Vec<Problem>,
    ) -> Key<Vec<String>> {
        self.typed(name, "a list of texts", problems, |value| {
            let entry = |item: &Spanned<DeValue<'_>>| match item.get_ref() {
                DeValue::String(text) => Some(text.to_string()),
                number => integer(number).map(|number| number.to_string()),
            };
            value.as_array()?.iter().map(entry).collect()
        })
    }

    /// A table below this one.
    pub(crate) fn section(
        &mut self,
        name: &'static str,
        problems: &mut Vec<Problem>,
    ) -> Key<&'a DeTable<'a>> {
        self.typed(name, "a section", problems, DeValue::as_table)
    }

    /// Refuses every key that nobody asked for.
    pub(crate) fn finish(self, problems: &mut Vec<Problem>) {
        for key in self.table.keys() {
            let name = key.get_ref().as_ref();
            if self.asked.contains(&name) {
                continue;
            }
            let suggestion = nearest(name, &self.asked);
            let known = if self.asked.is_empty() {
                "none".to_owned()
            } else {
                self.asked.join(", ")
            };
            let error = Error::UnknownKey { suggestion, known };
            let line = self.document.line(key.span().start);
            problems.push(self.document.problem(Some(self.key(name)), line, error));
        }
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let number = value.as_integer()?;
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

pub(crate) fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a section",
    }
}

/// The known name that was probably meant.
pub(crate) fn nearest(given: &str, known: &[&str]) -> Option<String> {
    // Beyond this nobody meant a key, and the distance would take long.
    if given.len() > 64 {
        return None;
    }
    let given = given.to_lowercase();
    let close = known
        .iter()
        .map(|name| (strsim::osa_distance(&given, name), *name))
        .filter(|(distance, name)| *distance <= name.len().max(3) / 3)
        .min();
    let within = || {
        known.iter().find(|name| {
            given.len() > 3 && name.len() > 3 && (given.contains(**name) || name.contains(&given))
        })
    };
    close
        .map(|(_, name)| name.to_owned())
        .or_else(|| within().map(|name| (*name).to_owned()))
}

#[cfg(test)]
mod tests;
