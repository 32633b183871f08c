//! A gateway with everything around it: emulated platform and model, configuration, data folder.

use std::path::{Path, PathBuf};

use rustix::process::Signal;
use talaria_emulators::{
    AnthropicControl, AnthropicEmulator, AnthropicOptions, TelegramControl, TelegramEmulator,
    TelegramOptions,
};
use tempfile::TempDir;

use crate::deadline::Deadline;
use crate::log::Log;
use crate::process::{Exit, Gateway, PATIENCE};
use crate::setup::Setup;

/// Dropping it ends the gateway, whatever state it is in.
#[derive(Debug)]
pub struct Rig {
    gateway: Option<Gateway>,
    pub setup: Setup,
    pub deadline: Deadline,
    telegram: TelegramEmulator,
    model: AnthropicEmulator,
    folder: TempDir,
}

impl Rig {
    /// Starts the surroundings and writes the configuration; not the gateway.
    ///
    /// # Panics
    /// If something of that fails.
    pub async fn new(setup: Setup, deadline: &Deadline) -> Self {
        let mut options = TelegramOptions::with_bot(&setup.token, "harness_bot");
        options.limits = setup.limits;
        let telegram = TelegramEmulator::start(options)
            .await
            .expect("the platform");
        for user in &setup.users {
            telegram
                .control()
                .add_user(*user, &format!("User {user}"), None);
        }
        let model = AnthropicEmulator::start(AnthropicOptions {
            api_key: Some(setup.api_key.clone()),
            tokens_per_second: setup.tokens_per_second,
            ..AnthropicOptions::default()
        })
        .await
        .expect("the model");
        let folder = tempfile::Builder::new()
            .prefix("talaria-test-")
            .tempdir()
            .expect("a folder");
        let rig = Self {
            gateway: None,
            setup,
            deadline: deadline.clone(),
            telegram,
            model,
            folder,
        };
        rig.write_config(&rig.config());
        rig
    }

    /// As [`Rig::new`], with the gateway running.
    ///
    /// # Panics
    /// If it does not come up.
    pub async fn started(setup: Setup, deadline: &Deadline) -> Self {
        let mut rig = Self::new(setup, deadline).await;
        rig.start().await;
        rig
    }

    #[must_use]
    pub fn telegram(&self) -> TelegramControl {
        self.telegram.control()
    }

    #[must_use]
    pub fn telegram_url(&self) -> String {
        self.telegram.api_url()
    }

    #[must_use]
    pub fn model(&self) -> AnthropicControl {
        self.model.control()
    }

    #[must_use]
    pub fn model_url(&self) -> String {
        self.model.base_url()
    }

    /// The test's own folder, with the configuration and the data folder in it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.folder().join("data")
    }

    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.folder().join("talaria.toml")
    }

    /// The configuration that the setup means.
    #[must_use]
    pub fn config(&self) -> String {
        self.setup
            .config(&self.data_dir(), &self.telegram_url(), &self.model_url())
    }

    /// Replaces the configuration file.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn write_config(&self, text: &str) {
        std::fs::write(self.config_file(), text).expect("the configuration file");
    }

    /// The variables that every process of this test gets.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        self.setup.environment(self.folder())
    }

    /// A process of the gateway's program, whether it comes up or not.
    #[must_use]
    pub fn spawn(&self, more: &[(&str, &str)]) -> Gateway {
        let config = self.config_file().display().to_string();
        let arguments = ["run", "--config", &config, "--log", &self.setup.log];
        let mut environment = self.environment();
        for (name, value) in more {
            environment.retain(|(known, _)| known != name);
            environment.push(((*name).to_owned(), (*value).to_owned()));
        }
        Gateway::spawn(&self.setup.binary, &arguments, &environment, &self.deadline)
    }

    /// Starts the gateway and waits until it runs.
    ///
    /// # Panics
    /// If one runs already, or if it does not come up.
    pub async fn start(&mut self) {
        self.start_with(&[]).await;
    }

    /// As [`Rig::start`], with more variables.
    ///
    /// # Panics
    /// If one runs already, or if it does not come up.
    pub async fn start_with(&mut self, more: &[(&str, &str)]) {
        self.launch(more);
        let log = self.log();
        if log.wait_for(PATIENCE, "talaria runs").await.is_none() {
            panic!("the gateway does not come up:\n{}", log.text());
        }
    }

    /// Starts the gateway without waiting for anything.
    ///
    /// # Panics
    /// If one runs already.
    pub fn launch(&mut self, more: &[(&str, &str)]) {
        assert!(self.gateway.is_none(), "a gateway runs already");
        self.gateway = Some(self.spawn(more));
    }

    /// The running gateway.
    ///
    /// # Panics
    /// If there is none.
    pub fn gateway(&mut self) -> &mut Gateway {
        self.gateway.as_mut().expect("a gateway")
    }

    /// The running gateway's log.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn log(&self) -> Log {
        self.gateway.as_ref().expect("a gateway").log().clone()
    }

    /// The running gateway's log as text, for what a failed test says.
    pub(crate) fn log_text(&self) -> String {
        self.gateway
            .as_ref()
            .map(|gateway| gateway.log().text())
            .unwrap_or_default()
    }

    /// Ends the gateway with SIGKILL.
    ///
    /// # Panics
    /// If there is none.
    pub async fn kill(&mut self) -> Exit {
        self.gateway.take().expect("a gateway").kill().await
    }

    /// Ends the gateway with SIGTERM.
    ///
    /// # Panics
    /// If there is none, or if it does not end.
    pub async fn terminate(&mut self) -> Exit {
        self.gateway
            .take()
            .expect("a gateway")
            .end_by(Signal::TERM)
            .await
    }

    /// Waits until the gateway ended by itself.
    ///
    /// # Panics
    /// If there is none, or if it does not end.
    pub async fn exited(&mut self) -> Exit {
        let exit = self.gateway().exit(PATIENCE).await;
        self.gateway = None;
        exit
    }
}
