//! Other commands of the program, run to their end.

use std::process::Stdio;

use tokio::process::Command;

use crate::group::Group;
use crate::process::PATIENCE;
use crate::rig::Rig;

/// What a command printed, and its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Rig {
    /// Runs `talaria` with these arguments.
    ///
    /// # Panics
    /// If it can't be started or does not end.
    pub async fn command(&self, arguments: &[&str]) -> Done {
        self.command_with(arguments, &self.environment()).await
    }

    /// Runs `talaria` on this test's configuration file.
    ///
    /// # Panics
    /// If it can't be started or does not end.
    pub async fn on_config(&self, arguments: &[&str]) -> Done {
        let config = self.config_file().display().to_string();
        let mut all = arguments.to_vec();
        all.extend(["--config", &config]);
        self.command(&all).await
    }

    /// Runs `talaria` with these arguments and these variables only.
    ///
    /// # Panics
    /// If it can't be started or does not end.
    pub async fn command_with(&self, arguments: &[&str], environment: &[(String, String)]) -> Done {
        let child = Command::new(&self.setup.binary)
            .args(arguments)
            .env_clear()
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .expect("the program");
        let _group = Group::of(child.id().expect("a running child"), &self.deadline);
        let done = tokio::time::timeout(PATIENCE, child.wait_with_output())
            .await
            .unwrap_or_else(|_| panic!("{arguments:?} does not end"))
            .expect("its output");
        Done {
            code: done.status.code(),
            out: String::from_utf8_lossy(&done.stdout).into_owned(),
            err: String::from_utf8_lossy(&done.stderr).into_owned(),
        }
    }
}
