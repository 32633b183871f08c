//! `[agent]`, and which provider it means.

use std::collections::BTreeMap;

use super::Meaning;
use super::providers::{ANTHROPIC, KEY_VARIABLE};
use crate::document::{Key, nearest};
use crate::error::{Error, Warning};
use crate::model::{Agent, Busy, Provider, ProviderKind};
use crate::raw::{RawAgent, RawProvider};
use crate::sources::Source;

const DEFAULT_MODEL: &str = "claude-sonnet-4-6";
const DEMO_MODEL: &str = "demo";
const EXAMPLE: &str = "anthropic/claude-sonnet-4-6";
const MAX_STEPS: u32 = 32;
const MAX_TOKENS: u32 = 8192;

const SYSTEM_PROMPT: &str = "You are a helpful assistant in a chat. Answer plainly and briefly, \
in the language of the person you talk to. Use Markdown where it helps. If you don't know \
something, say so.";

/// What this build does while a turn is running.
const BUSY: [(&str, Busy); 1] = [("queue", Busy::Queue)];
/// What a later build does, too.
const BUSY_LATER: [&str; 2] = ["steer", "interrupt"];

impl Meaning<'_> {
    /// The agent and the providers, which decide together: the model names a provider, and
    /// without a model the providers decide it.
    pub(super) fn agent(
        &mut self,
        raw: RawAgent,
        providers: Vec<RawProvider>,
    ) -> (Option<Agent>, Option<BTreeMap<String, Provider>>) {
        let chosen = match &raw.model {
            Key::Set { value, .. } => value.split_once('/').map(|(name, _)| name.to_owned()),
            Key::Absent | Key::Broken => None,
        };
        let in_file: Vec<String> = providers.iter().map(|found| found.name.clone()).collect();
        let has_key = self.environment.text(KEY_VARIABLE).is_some();
        let missing = !in_file.iter().any(|name| name == ANTHROPIC);
        // The environment's provider: where the file names none, or names it in the model alone.
        let implied = match (&raw.model, &chosen) {
            (Key::Absent, _) => in_file.is_empty() && has_key,
            (_, Some(name)) => name == ANTHROPIC && missing,
            (_, None) => false,
        };
        let by_file = if in_file.is_empty() {
            "agent.model"
        } else {
            "providers"
        };
        let (found, complete, key_used) = self.providers(providers, implied);
        if has_key && !key_used {
            let key = by_file.to_owned();
            self.warnings.push(Warning::Overruled {
                name: KEY_VARIABLE,
                key,
            });
        }

        let model = self.model(raw.model, &found, &in_file);
        let system_prompt = self.read(
            "agent.system_prompt",
            raw.system_prompt,
            SYSTEM_PROMPT,
            |text| Ok(text.to_owned()),
        );
        let busy = self.read("agent.busy", raw.busy, "queue", busy);
        let max_steps = self.number("agent.max_steps", raw.max_steps, MAX_STEPS, 1000);
        let max_tokens = self.number("agent.max_tokens", raw.max_tokens, MAX_TOKENS, 1_000_000);
        let agent = || {
            let (provider, model) = model?;
            Some(Agent {
                provider,
                model,
                system_prompt: system_prompt?,
                busy: busy?,
                max_steps: max_steps?,
                max_tokens: max_tokens?,
            })
        };
        (agent(), complete.then_some(found))
    }

    /// Provider and model id.
    fn model(
        &mut self,
        raw: Key<String>,
        found: &BTreeMap<String, Provider>,
        in_file: &[String],
    ) -> Option<(String, String)> {
        const KEY: &str = "agent.model";
        match raw {
            Key::Broken => None,
            Key::Set { value, line } => {
                let parts = value.split_once('/').filter(|(name, model)| {
                    !name.is_empty() && !model.is_empty() && !value.contains(char::is_whitespace)
                });
                let Some((name, model)) = parts else {
                    let error = Error::Model {
                        given: value.clone(),
                        example: EXAMPLE,
                    };
                    return self.refuse(KEY, Some(line), error);
                };
                // A section that is there and wrong has its own problem.
                let known = name == ANTHROPIC || in_file.iter().any(|known| known == name);
                if !known {
                    let (name, known) = (name.to_owned(), in_file.to_vec());
                    return self.refuse(KEY, Some(line), Error::UnknownProvider { name, known });
                }
                self.sources.value(KEY, &value, Source::File { line });
                Some((name.to_owned(), model.to_owned()))
            }
            Key::Absent => {
                let only = if found.len() == 1 {
                    found.iter().next()
                } else {
                    None
                };
                let named = found.get_key_value(ANTHROPIC);
                let Some((name, provider)) = only.or(named) else {
                    // Providers that are there and wrong have their own problems.
                    if in_file.is_empty() || found.len() > 1 {
                        self.problem(KEY, None, Error::NoModel);
                    }
                    return None;
                };
                let model = match provider.kind {
                    ProviderKind::Anthropic => DEFAULT_MODEL,
                    ProviderKind::Demo => DEMO_MODEL,
                };
                self.sources
                    .value(KEY, format!("{name}/{model}"), Source::Default);
                Some((name.clone(), model.to_owned()))
            }
        }
    }
}

fn busy(text: &str) -> Result<Busy, Error> {
    if let Some((_, busy)) = BUSY.iter().find(|(name, _)| *name == text) {
        return Ok(*busy);
    }
    let names = BUSY.map(|(name, _)| name);
    if BUSY_LATER.contains(&text) {
        return Err(Error::NotInBuild {
            given: text.to_owned(),
            available: names.join(", "),
        });
    }
    let suggestion = nearest(text, &names);
    Err(Error::NoSuchChoice {
        given: text.to_owned(),
        choices: names.join(", "),
        suggestion,
    })
}
