//! From the configuration to each crate's own settings.

use std::sync::Arc;

use talaria_agent::{Anthropic, AnthropicSettings, Http, Model, Timeouts, Toolbox};
use talaria_config::{Config, Policy, Provider, ProviderKind};
use talaria_core::access::{AccessDefault, AccessTable};
use talaria_core::context::Settings;
use talaria_markup::TelegramRenderer;
use talaria_runtime::{AccountSettings, Agent, Clock, GatewaySettings};
use talaria_telegram::{TelegramAdapter, TelegramSettings};
use talaria_types::{AccountId, Secret};

use crate::exit::{CONFIGURATION, Failure, OTHER, chain};

/// Everything that runs.
pub(crate) fn gateway(config: &Config) -> Result<GatewaySettings, Failure> {
    let agent = agent(config)?;
    let core = Settings {
        model: format!("{}/{}", config.agent.provider, config.agent.model),
        system_prompt: config.agent.system_prompt.clone(),
        tools: agent.toolbox.specs(),
        max_tokens: config.agent.max_tokens,
        max_steps: config.agent.max_steps,
        max_age: config.delivery.max_age,
        ..Settings::default()
    };
    let accounts = telegram(config)?;
    Ok(GatewaySettings {
        agent,
        core,
        accounts,
    })
}

/// The accounts' identities, known without asking the network.
pub(crate) fn account_ids(settings: &GatewaySettings) -> Vec<AccountId> {
    settings
        .accounts
        .iter()
        .map(|account| account.account.clone())
        .collect()
}

fn agent(config: &Config) -> Result<Agent, Failure> {
    let name = &config.agent.provider;
    let provider = config.providers.get(name).ok_or_else(|| {
        Failure::new(
            CONFIGURATION,
            format!("agent.model names the provider {name:?}, which is not configured"),
        )
    })?;
    let http = Http::new(Timeouts::default(), Clock::system_time)
        .map_err(|error| Failure::new(OTHER, chain(&error)))?;
    let toolbox = Toolbox::with_pure_tools(Clock::system_time)
        .map_err(|error| Failure::new(OTHER, chain(&error)))?;
    let model = model(name, provider, &config.agent.model, http)?;
    Ok(Agent {
        model,
        toolbox: Arc::new(toolbox),
    })
}

fn model(
    name: &str,
    provider: &Provider,
    model: &str,
    http: Http,
) -> Result<Arc<dyn Model>, Failure> {
    match provider.kind {
        // The demo is a local server that speaks the same wire format and asks for no key.
        ProviderKind::Anthropic | ProviderKind::Demo => {
            let settings = AnthropicSettings {
                provider: name.to_owned(),
                base_url: provider.base_url.clone(),
                api_key: provider
                    .api_key
                    .clone()
                    .unwrap_or_else(|| Secret::new("demo")),
                model: model.to_owned(),
            };
            let client = Anthropic::new(http, settings).map_err(|error| {
                Failure::new(
                    CONFIGURATION,
                    format!("providers.{name}: {}", chain(&error)),
                )
            })?;
            Ok(Arc::new(client))
        }
    }
}

fn telegram(config: &Config) -> Result<Vec<AccountSettings>, Failure> {
    let mut accounts = Vec::new();
    for bot in &config.telegram {
        let mut settings = TelegramSettings::new(bot.name.clone(), bot.token.clone());
        settings.api_url.clone_from(&bot.api_url);
        let adapter = TelegramAdapter::new(settings)
            .map_err(|error| Failure::new(CONFIGURATION, chain(&error)))?;
        let admins = config
            .access
            .admins
            .iter()
            .filter(|admin| admin.platform == "telegram");
        accounts.push(AccountSettings {
            account: adapter.account().clone(),
            name: bot.name.clone(),
            adapter: Arc::new(adapter),
            renderer: Arc::new(TelegramRenderer::default()),
            access: AccessTable {
                default: match config.access.default {
                    Policy::Deny => AccessDefault::Deny,
                    Policy::Pair => AccessDefault::Pair,
                    Policy::Open => AccessDefault::Open,
                },
                allow: bot.allow.iter().cloned().collect(),
                admins: admins.map(|admin| admin.user.clone()).collect(),
                paired: std::collections::BTreeSet::new(),
            },
        });
    }
    Ok(accounts)
}
