//! The three forms of a secret, and their values.

use std::path::{Path, PathBuf};

use talaria_types::Secret;

use crate::document::{Key, Reader, type_of};
use crate::environment::{Environment, Variable};
use crate::error::{Error, Problem};
use crate::sources::Source;

/// Keys and tokens are a line; a larger file is not a secret.
const MAX_BYTES: u64 = 64 * 1024;

/// A secret as the file has it.
#[derive(Debug)]
pub(crate) enum RawSecret {
    Plain(Secret),
    Variable(String),
    File(String),
}

impl RawSecret {
    pub(crate) fn take(
        reader: &mut Reader<'_>,
        name: &'static str,
        problems: &mut Vec<Problem>,
    ) -> Key<Self> {
        let Some((value, line)) = reader.take(name) else {
            return Key::Absent;
        };
        let key = reader.key(name);
        if let Some(text) = value.as_str() {
            let secret = Secret::new(text);
            secret.register();
            return Key::Set {
                value: Self::Plain(secret),
                line,
            };
        }
        let Some(table) = value.as_table() else {
            let error = Error::WrongType {
                expected: "a secret",
                found: type_of(value),
            };
            problems.push(reader.document.problem(Some(key), line, error));
            return Key::Broken;
        };
        let before = problems.len();
        let mut form = Reader::new(reader.document, key.clone(), table);
        let forms = (form.text("env", problems), form.text("file", problems));
        form.finish(problems);
        let value = match forms {
            (Key::Set { value, .. }, Key::Absent) => Self::Variable(value),
            (Key::Absent, Key::Set { value, .. }) => Self::File(value),
            (Key::Broken, _) | (_, Key::Broken) => return Key::Broken,
            (Key::Absent, Key::Absent) | (Key::Set { .. }, Key::Set { .. }) => {
                if before == problems.len() {
                    problems.push(reader.document.problem(Some(key), line, Error::SecretForm));
                }
                return Key::Broken;
            }
        };
        Key::Set { value, line }
    }

    /// The secret itself. `folder` is where relative paths begin.
    pub(crate) fn value(&self, environment: &Environment, folder: &Path) -> Result<Secret, Error> {
        let secret = match self {
            Self::Plain(secret) if secret.expose().trim().is_empty() => return Err(Error::Empty),
            Self::Plain(secret) => secret.clone(),
            Self::Variable(name) => variable(environment, name)?,
            Self::File(path) => file(&expand(path, environment, folder)?)?,
        };
        checked(secret)
    }

    pub(crate) fn source(&self, line: usize) -> Source {
        match self {
            Self::Plain(_) => Source::File { line },
            Self::Variable(name) => Source::FileEnvironment {
                line,
                name: name.clone(),
            },
            Self::File(path) => Source::FileSecret {
                line,
                path: path.clone(),
            },
        }
    }
}

/// A secret from a variable, which has to be there.
pub(crate) fn variable(environment: &Environment, name: &str) -> Result<Secret, Error> {
    match environment.get(name) {
        Variable::Value(text) => Ok(Secret::new(text.trim())),
        Variable::Unset => Err(Error::VariableUnset {
            name: name.to_owned(),
        }),
        Variable::Blank => Err(Error::VariableBlank {
            name: name.to_owned(),
        }),
        Variable::NotText => Err(Error::VariableNotText {
            name: name.to_owned(),
        }),
    }
}

/// Refuses what would end up broken in a header or an address.
pub(crate) fn checked(secret: Secret) -> Result<Secret, Error> {
    secret.register();
    if secret.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(secret)
    } else {
        Err(Error::SecretCharacters)
    }
}

fn file(path: &Path) -> Result<Secret, Error> {
    let unreadable = |reason: String| Error::SecretFile {
        path: path.to_owned(),
        reason,
    };
    let length = std::fs::metadata(path)
        .map_err(|error| unreadable(error.to_string()))?
        .len();
    if length > MAX_BYTES {
        return Err(unreadable("it is larger than 64 KiB".to_owned()));
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    // Editors and `echo` end a file with a line break that is not part of the secret.
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::SecretFileEmpty {
            path: path.to_owned(),
        });
    }
    Ok(Secret::new(text))
}

/// A path as the file has it: `~/` is the home folder, a relative path begins at `folder`.
pub(crate) fn expand(
    path: &str,
    environment: &Environment,
    folder: &Path,
) -> Result<PathBuf, Error> {
    if path.trim().is_empty() {
        return Err(Error::Empty);
    }
    match path
        .strip_prefix("~/")
        .or(if path == "~" { Some("") } else { None })
    {
        Some(rest) => {
            let home = environment.text("HOME").ok_or(Error::NoHome)?;
            Ok(Path::new(&home).join(rest))
        }
        None => Ok(folder.join(path)),
    }
}

#[cfg(test)]
mod tests;
