//! From raw sections to what is meant: the file's value, else the environment's, else the
//! default; checked, with its source written down. One file for each group of sections.

mod access;
mod agent;
mod providers;
mod telegram;

use std::path::{Path, PathBuf};
use std::time::Duration;

use talaria_types::Secret;
use url::{Host, Url};

use crate::document::{Document, Key};
use crate::environment::{Environment, Variable};
use crate::error::{Error, Location, Problem, Warning};
use crate::load::xdg;
use crate::model::{Config, Delivery, Gateway};
use crate::raw::{RawFile, RawGateway};
use crate::secret::{RawSecret, expand};
use crate::sources::{Source, Sources};

const LISTEN: &str = "127.0.0.1:8787";
const MAX_AGE: &str = "24h";

/// Variables that a later build reads. They are said to be unused rather than ignored in silence.
const LATER_VARIABLES: [(&str, &str); 4] = [
    ("OPENAI_API_KEY", "OpenAI"),
    ("DISCORD_BOT_TOKEN", "Discord"),
    ("SLACK_BOT_TOKEN", "Slack"),
    ("SLACK_APP_TOKEN", "Slack"),
];

pub(crate) struct Meaning<'a> {
    document: Option<&'a Document>,
    environment: &'a Environment,
    /// Where relative paths in the file begin: its own folder.
    folder: PathBuf,
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) sources: Sources,
}

impl<'a> Meaning<'a> {
    pub(crate) fn new(document: Option<&'a Document>, environment: &'a Environment) -> Self {
        let path = document.map(|document| document.path.as_path());
        let absolute = path.and_then(|path| std::path::absolute(path).ok());
        let folder = absolute
            .as_deref()
            .and_then(Path::parent)
            .unwrap_or(Path::new("/"));
        Self {
            document,
            environment,
            folder: folder.to_owned(),
            problems: Vec::new(),
            warnings: Vec::new(),
            sources: Sources::default(),
        }
    }

    /// `None` only if there is a problem.
    pub(crate) fn config(&mut self, raw: RawFile) -> Option<Config> {
        let gateway = self.gateway(raw.gateway);
        let (agent, providers) = self.agent(raw.agent, raw.providers);
        let access = self.access(raw.access);
        let max_age = self.read("delivery.max_age", raw.delivery.max_age, MAX_AGE, max_age);
        let telegram = self.telegram(raw.telegram);
        self.unused_variables();
        self.file_permissions();
        Some(Config {
            gateway: gateway?,
            agent: agent?,
            providers: providers?,
            access: access?,
            delivery: Delivery { max_age: max_age? },
            telegram: telegram?,
        })
    }

    fn gateway(&mut self, raw: RawGateway) -> Option<Gateway> {
        let data_dir = self.data_dir(raw.data_dir);
        let listen = self.read("gateway.listen", raw.listen, LISTEN, |text| match text {
            "off" => Ok(None),
            address => match address.parse() {
                Ok(address) => Ok(Some(address)),
                Err(_) => Err(Error::Listen {
                    given: text.to_owned(),
                }),
            },
        });
        Some(Gateway {
            data_dir: data_dir?,
            listen: listen?,
        })
    }

    pub(crate) fn data_dir(&mut self, raw: Key<String>) -> Option<PathBuf> {
        const KEY: &str = "gateway.data_dir";
        let (found, source) = match raw {
            Key::Set { value, line } => match expand(&value, self.environment, &self.folder) {
                Ok(path) => (path, Source::File { line }),
                Err(error) => return self.refuse(KEY, Some(line), error),
            },
            Key::Broken => return None,
            Key::Absent => match self.default_data_dir() {
                Some(found) => found,
                None => return self.refuse(KEY, None, Error::NoDataDir),
            },
        };
        self.sources.value(KEY, found.display(), source);
        Some(found)
    }

    fn default_data_dir(&self) -> Option<(PathBuf, Source)> {
        let from = |name: &str| Source::Environment {
            name: name.to_owned(),
        };
        // systemd lists one path for each StateDirectory= (systemd.exec).
        let listed = self.environment.text("STATE_DIRECTORY");
        let first = listed
            .as_deref()
            .and_then(|list| list.split(':').find(|path| !path.is_empty()));
        if let Some(path) = first {
            return Some((self.folder.join(path), from("STATE_DIRECTORY")));
        }
        let (path, set) = xdg(self.environment, "XDG_STATE_HOME", ".local/state")?;
        Some((
            path,
            if set {
                from("XDG_STATE_HOME")
            } else {
                Source::Default
            },
        ))
    }

    /// A text value that `parse` understands. A default has to be understood, too.
    fn read<T>(
        &mut self,
        key: &str,
        raw: Key<String>,
        default: &str,
        parse: impl FnOnce(&str) -> Result<T, Error>,
    ) -> Option<T> {
        let (text, line, source) = match raw {
            Key::Set { value, line } => (value, Some(line), Source::File { line }),
            Key::Absent => (default.to_owned(), None, Source::Default),
            Key::Broken => return None,
        };
        match parse(&text) {
            Ok(value) => {
                // Not before: an address with a password in it is refused, and not shown.
                self.sources.value(key, text, source);
                Some(value)
            }
            Err(error) => self.refuse(key, line, error),
        }
    }

    fn number(&mut self, key: &str, raw: Key<i64>, default: u32, max: u32) -> Option<u32> {
        let (value, line, source) = match raw {
            Key::Set { value, line } => (value, Some(line), Source::File { line }),
            Key::Absent => (i64::from(default), None, Source::Default),
            Key::Broken => return None,
        };
        match u32::try_from(value) {
            Ok(number) if (1..=max).contains(&number) => {
                self.sources.value(key, number, source);
                Some(number)
            }
            Ok(_) | Err(_) => {
                let error = Error::OutOfRange {
                    given: value.to_string(),
                    min: 1,
                    max,
                };
                self.refuse(key, line, error)
            }
        }
    }

    /// A list whose entries `parse` understands; each that it doesn't is a problem of its own.
    fn entries<T>(
        &mut self,
        key: &str,
        raw: Key<Vec<String>>,
        parse: impl Fn(&str) -> Result<T, Error>,
    ) -> Option<Vec<T>> {
        let (texts, line, source) = match raw {
            Key::Set { value, line } => (value, Some(line), Source::File { line }),
            Key::Absent => (Vec::new(), None, Source::Default),
            Key::Broken => return None,
        };
        let mut values = Vec::new();
        for text in &texts {
            match parse(text) {
                Ok(value) => values.push(value),
                Err(error) => self.problem(key, line, error),
            }
        }
        self.sources.value(key, texts.join(", "), source);
        (values.len() == texts.len()).then_some(values)
    }

    /// A secret that the file sets.
    fn secret(&mut self, key: &str, raw: &RawSecret, line: usize) -> Option<Secret> {
        let value = raw.value(self.environment, &self.folder);
        self.sources.secret(key, value.is_ok(), raw.source(line));
        match value {
            Ok(secret) => {
                if matches!(raw, RawSecret::Plain(_)) {
                    self.warnings.push(Warning::PlainSecret {
                        key: key.to_owned(),
                    });
                }
                Some(secret)
            }
            Err(error) => self.refuse(key, Some(line), error),
        }
    }

    /// An address of a server that is sent a secret.
    fn secret_address(
        &mut self,
        key: &str,
        raw: Key<String>,
        default: &'static str,
    ) -> Option<String> {
        let found = self.read(key, raw, default, |text| address(text, default))?;
        if is_open_road(&found) {
            self.warnings.push(Warning::PlainHttp {
                key: key.to_owned(),
            });
        }
        Some(found)
    }

    fn problem(&mut self, key: &str, line: Option<usize>, error: Error) {
        let location = line.and_then(|line| {
            let file = self.document?.path.clone();
            Some(Location {
                file,
                line: Some(line),
            })
        });
        self.problems.push(Problem {
            key: Some(key.to_owned()),
            location,
            error,
        });
    }

    fn refuse<T>(&mut self, key: &str, line: Option<usize>, error: Error) -> Option<T> {
        self.problem(key, line, error);
        None
    }

    fn unused_variables(&mut self) {
        for (name, what) in LATER_VARIABLES {
            if self.environment.text(name).is_some() {
                self.warnings.push(Warning::NotInBuild { name, what });
            }
        }
        for name in [telegram::TOKEN_VARIABLE, providers::KEY_VARIABLE] {
            if self.environment.get(name) == Variable::Blank {
                self.warnings.push(Warning::Blank { name });
            }
        }
    }

    /// Secrets in a file that every user of the machine can read.
    #[cfg(unix)]
    fn file_permissions(&mut self) {
        use std::os::unix::fs::PermissionsExt as _;
        let plain = self
            .warnings
            .iter()
            .any(|w| matches!(w, Warning::PlainSecret { .. }));
        let Some(document) = self.document.filter(|_| plain) else {
            return;
        };
        if let Ok(found) = std::fs::metadata(&document.path)
            && found.permissions().mode() & 0o004 != 0
        {
            self.warnings.push(Warning::ReadableByOthers {
                file: document.path.clone(),
            });
        }
    }

    #[cfg(not(unix))]
    fn file_permissions(&mut self) {}
}

/// An http or https address without its final slash.
fn address(text: &str, example: &'static str) -> Result<String, Error> {
    let wrong = |reason| Error::Url { reason, example };
    let Ok(url) = Url::parse(text.trim()) else {
        return Err(wrong("can't be understood"));
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("begins with neither http:// nor https://"));
    }
    if !url.has_host() {
        return Err(wrong("names no host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            "holds a user name or password, which belong into the secret",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("has a ? or # in it"));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Whether what is sent there can be read on its way.
fn is_open_road(address: &str) -> bool {
    let Ok(url) = Url::parse(address) else {
        return false;
    };
    let here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => true,
    };
    url.scheme() == "http" && !here
}

fn max_age(text: &str) -> Result<Duration, Error> {
    const LEAST: Duration = Duration::from_secs(60);
    const MOST: Duration = Duration::from_secs(30 * 24 * 60 * 60);
    match humantime::parse_duration(text.trim()) {
        Ok(length) if (LEAST..=MOST).contains(&length) => Ok(length),
        Ok(_) | Err(_) => Err(Error::Duration {
            given: text.to_owned(),
            range: "1m to 30d",
        }),
    }
}

#[cfg(test)]
mod tests;
