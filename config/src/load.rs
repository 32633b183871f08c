//! From file and environment to the configuration, with every problem in one pass.

use std::path::{Path, PathBuf};

use crate::document::Document;
use crate::environment::Environment;
use crate::error::{Problem, Problems, Warning};
use crate::meant::Meaning;
use crate::model::Config;
use crate::raw::RawFile;
use crate::sources::Sources;

#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// `--config`. `None`: `$XDG_CONFIG_HOME/talaria/talaria.toml` (`~/.config/...`) if it exists,
    /// else the environment alone.
    pub file: Option<PathBuf>,
    pub environment: Environment,
}

/// A configuration without problems.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub config: Config,
    pub sources: Sources,
    pub warnings: Vec<Warning>,
    /// The file that was read, if there is one.
    pub file: Option<PathBuf>,
}

/// Reads and checks the whole configuration. Secrets are registered for scrubbing on the way.
///
/// # Errors
/// Everything that is wrong with it, with what could be read.
pub fn load(options: LoadOptions) -> Result<Loaded, Problems> {
    let path = file_of(&options);
    let read = match path.as_deref().map(Document::read).transpose() {
        Ok(document) => document,
        Err(problems) => return Err(only(problems, path)),
    };
    of_document(read.as_ref(), &options.environment)
}

/// The data folder alone, for commands that need neither tokens nor keys. Problems elsewhere in
/// the file don't matter here.
///
/// # Errors
/// The file can't be read or parsed, or nothing names a folder.
pub fn data_dir(options: &LoadOptions) -> Result<PathBuf, Problems> {
    let path = file_of(options);
    let read = match path.as_deref().map(Document::read).transpose() {
        Ok(document) => document,
        Err(problems) => return Err(only(problems, path)),
    };
    let raw = match raw(read.as_ref(), &mut Vec::new()) {
        Ok(raw) => raw,
        Err(problems) => return Err(only(problems, path)),
    };
    let mut meaning = Meaning::new(read.as_ref(), &options.environment);
    match meaning.data_dir(raw.gateway.data_dir) {
        Some(folder) => Ok(folder),
        None => Err(only(meaning.problems, path)),
    }
}

pub(crate) fn of_document(
    document: Option<&Document>,
    environment: &Environment,
) -> Result<Loaded, Problems> {
    let file = document.map(|document| document.path.clone());
    let mut problems = Vec::new();
    let raw = match raw(document, &mut problems) {
        Ok(raw) => raw,
        Err(problems) => return Err(only(problems, file)),
    };
    let mut meaning = Meaning::new(document, environment);
    meaning.problems = problems;
    let config = meaning.config(raw);
    let Meaning {
        mut problems,
        warnings,
        sources,
        ..
    } = meaning;
    match config {
        Some(config) if problems.is_empty() => Ok(Loaded {
            config,
            sources,
            warnings,
            file,
        }),
        Some(_) | None => {
            problems.sort_by_key(|problem| {
                let line = problem.location.as_ref().and_then(|location| location.line);
                // What is missing as a whole comes after what stands on a line.
                line.unwrap_or(usize::MAX)
            });
            Err(Problems {
                problems,
                warnings,
                sources,
                file,
            })
        }
    }
}

fn raw(document: Option<&Document>, problems: &mut Vec<Problem>) -> Result<RawFile, Vec<Problem>> {
    match document {
        Some(document) => {
            let root = document.parse()?;
            Ok(RawFile::take(document, root.get_ref(), problems))
        }
        None => Ok(RawFile::default()),
    }
}

fn only(problems: Vec<Problem>, file: Option<PathBuf>) -> Problems {
    Problems {
        problems,
        warnings: Vec::new(),
        sources: Sources::default(),
        file,
    }
}

fn file_of(options: &LoadOptions) -> Option<PathBuf> {
    if options.file.is_some() {
        return options.file.clone();
    }
    let (folder, _) = xdg(&options.environment, "XDG_CONFIG_HOME", ".config")?;
    let path = folder.join("talaria.toml");
    path.exists().then_some(path)
}

/// `talaria` below an XDG base folder, and whether the variable names it. Relative values are
/// ignored (XDG Base Directory Specification).
pub(crate) fn xdg(
    environment: &Environment,
    variable: &str,
    below_home: &str,
) -> Option<(PathBuf, bool)> {
    let set = environment
        .text(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    if let Some(base) = set {
        return Some((base.join("talaria"), true));
    }
    let home = environment.text("HOME")?;
    Some((Path::new(&home).join(below_home).join("talaria"), false))
}

#[cfg(test)]
mod tests;
