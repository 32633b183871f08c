//! The environment, as a value: the process's own, or a map in tests.

use std::collections::BTreeMap;

/// Where variables are looked up. Nothing else in the workspace reads the environment.
#[derive(Clone, Debug, Default)]
pub struct Environment(Option<BTreeMap<String, String>>);

/// What a variable turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    Unset,
    /// Set to nothing or to blanks: how compose files pass on what nobody set.
    Blank,
    /// Not UTF-8.
    NotText,
    Value(String),
}

impl Environment {
    /// The environment of this process.
    #[must_use]
    pub fn process() -> Self {
        Self(None)
    }

    /// These variables and no others.
    pub fn of<K: Into<String>, V: Into<String>>(
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        Self(Some(
            variables
                .into_iter()
                .map(|(k, v)| (k.into(), v.into()))
                .collect(),
        ))
    }

    /// Where a test build is to kill itself; see the gateway's crash points.
    #[must_use]
    pub fn crash_at(&self) -> Option<String> {
        self.text("TALARIA_CRASH_AT")
    }

    /// The file in which a test build writes down the crash points that it passes.
    #[must_use]
    pub fn crash_trace(&self) -> Option<String> {
        self.text("TALARIA_CRASH_TRACE")
    }

    pub(crate) fn get(&self, name: &str) -> Variable {
        let value = match &self.0 {
            Some(map) => map.get(name).cloned(),
            None => match process_variable(name) {
                Some(value) => match value.into_string() {
                    Ok(text) => Some(text),
                    Err(_not_unicode) => return Variable::NotText,
                },
                None => None,
            },
        };
        match value {
            None => Variable::Unset,
            Some(text) if text.trim().is_empty() => Variable::Blank,
            Some(text) => Variable::Value(text),
        }
    }

    /// The value of a variable that is read only where it says something.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        match self.get(name) {
            Variable::Value(text) => Some(text),
            Variable::Unset | Variable::Blank | Variable::NotText => None,
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the environment"
)]
fn process_variable(name: &str) -> Option<std::ffi::OsString> {
    // The system's functions panic on a name that holds one of these, or is empty.
    if name.is_empty() || name.contains(['=', '\0']) {
        return None;
    }
    std::env::var_os(name)
}

#[cfg(test)]
mod tests;
