//! The configuration file that the child is started with.

use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::Error;

/// Name of the one emulated Telegram account in the configuration.
const ACCOUNT_NAME: &str = "playground";

/// What the child has to know.
pub(crate) struct Facts<'a> {
    pub(crate) data_dir: &'a Path,
    pub(crate) model_url: &'a str,
    pub(crate) telegram_url: &'a str,
    pub(crate) telegram_token_file: &'a Path,
}

#[derive(Serialize)]
struct File<'a> {
    gateway: Gateway<'a>,
    agent: Agent,
    providers: Providers<'a>,
    access: Access,
    telegram: [Telegram<'a>; 1],
}

#[derive(Serialize)]
struct Gateway<'a> {
    data_dir: &'a Path,
    listen: &'static str,
}

#[derive(Serialize)]
struct Agent {
    model: &'static str,
}

#[derive(Serialize)]
struct Providers<'a> {
    demo: Demo<'a>,
}

#[derive(Serialize)]
struct Demo<'a> {
    kind: &'static str,
    base_url: &'a str,
}

#[derive(Serialize)]
struct Access {
    default: &'static str,
}

#[derive(Serialize)]
struct Telegram<'a> {
    name: &'static str,
    token: Secret<'a>,
    api_url: &'a str,
}

#[derive(Serialize)]
struct Secret<'a> {
    file: &'a Path,
}

/// The file's text.
pub(crate) fn render(facts: &Facts<'_>) -> Result<String, toml::ser::Error> {
    toml::to_string(&File {
        gateway: Gateway {
            data_dir: facts.data_dir,
            listen: "127.0.0.1:0",
        },
        agent: Agent { model: "demo/demo" },
        providers: Providers {
            demo: Demo {
                kind: "demo",
                base_url: facts.model_url,
            },
        },
        access: Access { default: "open" },
        telegram: [Telegram {
            name: ACCOUNT_NAME,
            token: Secret {
                file: facts.telegram_token_file,
            },
            api_url: facts.telegram_url,
        }],
    })
}

/// Writes `text` to a new file that only this user can read.
pub(crate) fn write_private(path: &Path, text: &str) -> Result<(), Error> {
    let written = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| Error::Files {
        path: path.to_owned(),
        source,
    })
}

/// Makes `path` and its parents; a new folder is for this user only, an existing one is left as is.
pub(crate) fn private_folder(path: &Path) -> Result<PathBuf, Error> {
    let failed = |source| Error::Files {
        path: path.to_owned(),
        source,
    };
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(failed)?;
    // The child runs in another folder, so a relative path would mean something else there.
    std::path::absolute(path).map_err(failed)
}

#[cfg(test)]
mod tests;
