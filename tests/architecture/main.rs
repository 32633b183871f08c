//! The rules of the layout, kept by reading manifests and sources. Each rule is a function from
//! files or manifests to violations; beside it stand the check of this tree, which says how much
//! it saw, and a proof that the rule can fail. No network, no cargo call.

mod manifest;
mod rules;
mod source;
mod tree;

use std::fmt;

/// One broken rule.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) path: String,
    /// From 1; `None` for a file as a whole.
    pub(crate) line: Option<usize>,
    pub(crate) what: String,
}

impl Violation {
    pub(crate) fn of(path: &str, what: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: None,
            what: what.into(),
        }
    }

    pub(crate) fn at(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: Some(line),
            what: what.into(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.what),
            None => write!(f, "{}: {}", self.path, self.what),
        }
    }
}

/// Fails with the whole list.
#[track_caller]
pub(crate) fn none(violations: &[Violation]) {
    let list: Vec<_> = violations.iter().map(ToString::to_string).collect();
    assert!(
        list.is_empty(),
        "{} violations:\n{}",
        list.len(),
        list.join("\n")
    );
}

/// For the proofs: exactly these paths are reported, in this order.
#[track_caller]
pub(crate) fn reported(violations: &[Violation], paths: &[&str]) {
    let found: Vec<_> = violations
        .iter()
        .map(|violation| violation.path.as_str())
        .collect();
    assert_eq!(found, paths, "{violations:#?}");
}
