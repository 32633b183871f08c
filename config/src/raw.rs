//! The sections as the file has them: typed, each key with its line, nothing filled in.

use toml::de::{DeTable, DeValue};

use crate::document::{Document, Key, Reader, type_of};
use crate::error::{Error, Problem};
use crate::secret::RawSecret;

/// Chat platforms that this build has. The others' sections are refused.
pub(crate) const PLATFORMS: [&str; 1] = ["telegram"];

#[derive(Default)]
pub(crate) struct RawFile {
    pub(crate) gateway: RawGateway,
    pub(crate) agent: RawAgent,
    pub(crate) providers: Vec<RawProvider>,
    pub(crate) access: RawAccess,
    pub(crate) delivery: RawDelivery,
    /// `None` if the file doesn't speak of it, so that the environment may.
    pub(crate) telegram: Option<Vec<RawTelegram>>,
}

#[derive(Default)]
pub(crate) struct RawGateway {
    pub(crate) data_dir: Key<String>,
    pub(crate) listen: Key<String>,
}

#[derive(Default)]
pub(crate) struct RawAgent {
    pub(crate) model: Key<String>,
    pub(crate) system_prompt: Key<String>,
    pub(crate) busy: Key<String>,
    pub(crate) max_steps: Key<i64>,
    pub(crate) max_tokens: Key<i64>,
}

pub(crate) struct RawProvider {
    pub(crate) name: String,
    /// `None` for the one that the environment implies.
    pub(crate) line: Option<usize>,
    pub(crate) kind: Key<String>,
    pub(crate) base_url: Key<String>,
    pub(crate) api_key: Key<RawSecret>,
}

#[derive(Default)]
pub(crate) struct RawAccess {
    pub(crate) default: Key<String>,
    pub(crate) admins: Key<Vec<String>>,
}

#[derive(Default)]
pub(crate) struct RawDelivery {
    pub(crate) max_age: Key<String>,
}

#[derive(Default)]
pub(crate) struct RawTelegram {
    /// `None` for the one that the environment implies.
    pub(crate) line: Option<usize>,
    pub(crate) name: Key<String>,
    pub(crate) token: Key<RawSecret>,
    pub(crate) api_url: Key<String>,
    pub(crate) allow: Key<Vec<String>>,
}

impl RawFile {
    pub(crate) fn take(
        document: &Document,
        root: &DeTable<'_>,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut file = Self::default();
        let mut top = Reader::new(document, String::new(), root);
        if let Key::Set { value, .. } = top.section("gateway", problems) {
            let mut reader = Reader::new(document, "gateway".to_owned(), value);
            file.gateway.data_dir = reader.text("data_dir", problems);
            file.gateway.listen = reader.text("listen", problems);
            reader.finish(problems);
        }
        if let Key::Set { value, .. } = top.section("agent", problems) {
            let mut reader = Reader::new(document, "agent".to_owned(), value);
            file.agent.model = reader.text("model", problems);
            file.agent.system_prompt = reader.text("system_prompt", problems);
            file.agent.busy = reader.text("busy", problems);
            file.agent.max_steps = reader.number("max_steps", problems);
            file.agent.max_tokens = reader.number("max_tokens", problems);
            reader.finish(problems);
        }
        if let Key::Set { value, .. } = top.section("providers", problems) {
            file.providers = providers(document, value, problems);
        }
        if let Key::Set { value, .. } = top.section("access", problems) {
            let mut reader = Reader::new(document, "access".to_owned(), value);
            file.access.default = reader.text("default", problems);
            file.access.admins = reader.list("admins", problems);
            reader.finish(problems);
        }
        if let Key::Set { value, .. } = top.section("delivery", problems) {
            let mut reader = Reader::new(document, "delivery".to_owned(), value);
            file.delivery.max_age = reader.text("max_age", problems);
            reader.finish(problems);
        }
        file.telegram = accounts(&mut top, problems);
        for later in ["discord", "slack"] {
            if let Some((_, line)) = top.take(later) {
                let available = format!("[[{}]]", PLATFORMS.join("]], [["));
                let error = Error::NotInBuild {
                    given: format!("[[{later}]]"),
                    available,
                };
                problems.push(document.problem(Some(later.to_owned()), line, error));
            }
        }
        top.finish(problems);
        file
    }
}

fn providers(
    document: &Document,
    table: &DeTable<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<RawProvider> {
    let mut found = Vec::new();
    for (key, value) in table {
        let name = key.get_ref().to_string();
        let line = document.line(key.span().start);
        let path = format!("providers.{}", in_keys(&name));
        let Some(section) = value.get_ref().as_table() else {
            let error = Error::WrongType {
                expected: "a section",
                found: type_of(value.get_ref()),
            };
            problems.push(document.problem(Some(path), line, error));
            continue;
        };
        if !is_name(&name) {
            let error = Error::Name {
                given: name.clone(),
            };
            problems.push(document.problem(Some(path.clone()), line, error));
        }
        let mut reader = Reader::new(document, path, section);
        found.push(RawProvider {
            name,
            line: Some(line),
            kind: reader.text("kind", problems),
            base_url: reader.text("base_url", problems),
            api_key: RawSecret::take(&mut reader, "api_key", problems),
        });
        reader.finish(problems);
    }
    found
}

fn accounts(top: &mut Reader<'_>, problems: &mut Vec<Problem>) -> Option<Vec<RawTelegram>> {
    let (value, line) = top.take("telegram")?;
    let document = top.document;
    let mut found = Vec::new();
    let mut refuse = |value: &DeValue<'_>, line| {
        let expected = "an account, written [[telegram]] with two brackets";
        let error = Error::WrongType {
            expected,
            found: type_of(value),
        };
        problems.push(document.problem(Some("telegram".to_owned()), line, error));
    };
    let Some(entries) = value.as_array() else {
        refuse(value, line);
        return Some(found);
    };
    let mut tables = Vec::new();
    for entry in entries {
        let line = document.line(entry.span().start);
        match entry.get_ref().as_table() {
            Some(table) => tables.push((table, line)),
            None => refuse(entry.get_ref(), line),
        }
    }
    for (table, line) in tables {
        let name = table.get("name").and_then(|name| name.get_ref().as_str());
        let path = format!("telegram.{}", in_keys(name.unwrap_or(DEFAULT_NAME)));
        let mut reader = Reader::new(document, path, table);
        found.push(RawTelegram {
            line: Some(line),
            name: reader.text("name", problems),
            token: RawSecret::take(&mut reader, "token", problems),
            api_url: reader.text("api_url", problems),
            allow: reader.list("allow", problems),
        });
        reader.finish(problems);
    }
    Some(found)
}

/// What an account is called that says nothing.
pub(crate) const DEFAULT_NAME: &str = "main";

/// Names stand in keys, logs and `provider/model`, so they hold no dot, slash or blank.
pub(crate) fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    (1..=32).contains(&text.len()) && text.chars().all(fits)
}

/// A name as it stands in keys. One that is refused may be anything, also a pasted secret.
pub(crate) fn in_keys(name: &str) -> &str {
    if is_name(name) {
        name
    } else {
        "(unusable name)"
    }
}
