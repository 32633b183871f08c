//! What the configuration does to a start: exit codes, and messages that name the key and the fix.

use serde_json::Value;
use talaria_emulators::anthropic::{Matcher, Reply};
use talaria_harness::setup::{ANN, API_KEY, TOKEN};
use talaria_harness::{Exit, Rig};

use crate::support::{SOON, case, setup, text, with};

const WRONG_CONFIGURATION: i32 = 78;

/// Starts with this configuration, and expects that it ends at once.
async fn ends(rig: &mut Rig, config: &str, environment: &[(&str, &str)]) -> Exit {
    rig.write_config(config);
    rig.launch(environment);
    rig.exited().await
}

#[test]
fn a_missing_token_is_named_with_its_fix() {
    with(setup(), async |rig| {
        let config = rig.config();
        let exit = ends(rig, &config, &[("TELEGRAM_BOT_TOKEN", "")]).await;
        exit.assert(
            WRONG_CONFIGURATION,
            &["telegram.main.token", "TELEGRAM_BOT_TOKEN", "set it"],
        );
        let exit = ends(rig, &config, &[("TELEGRAM_BOT_TOKEN", "not-a-token")]).await;
        exit.assert(WRONG_CONFIGURATION, &["telegram.main.token", "@BotFather"]);
        let exit = ends(rig, &config, &[("ANTHROPIC_API_KEY", "")]).await;
        exit.assert(
            WRONG_CONFIGURATION,
            &["providers.anthropic.api_key", "ANTHROPIC_API_KEY"],
        );
    });
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_one() {
    with(setup(), async |rig| {
        let config = rig.config().replace("listen =", "lisen =");
        let exit = ends(rig, &config, &[]).await;
        exit.assert(
            WRONG_CONFIGURATION,
            &["gateway.lisen", "did you mean `listen`?"],
        );
        let config = rig.config() + "\n[gatway]\n";
        ends(rig, &config, &[])
            .await
            .assert(WRONG_CONFIGURATION, &["gatway"]);
        ends(rig, "[gateway\n", &[])
            .await
            .assert(WRONG_CONFIGURATION, &["talaria.toml:1"]);
    });
}

#[test]
fn a_file_that_is_not_there_is_no_default() {
    with(setup(), async |rig| {
        std::fs::remove_file(rig.config_file()).expect("the file");
        rig.launch(&[]);
        rig.exited()
            .await
            .assert(WRONG_CONFIGURATION, &["talaria.toml"]);
    });
}

/// Tokens that the platform refuses end the start where no account is left.
#[test]
fn a_token_that_the_platform_refuses_ends_the_start() {
    with(setup(), async |rig| {
        let wrong = TOKEN.replace("Canary", "Wrong1");
        let config = rig.config();
        let exit = ends(rig, &config, &[("TELEGRAM_BOT_TOKEN", &wrong)]).await;
        exit.assert(
            WRONG_CONFIGURATION,
            &["refuses the token", "BotFather", "4200000001"],
        );
        assert!(
            !exit.log.contains("HarnessWrong1"),
            "the token is in the log"
        );
    });
}

/// One refused account of two is down, and seen; the other one works.
#[test]
fn one_refused_account_of_two_does_not_stop_the_other() {
    with(setup(), async |rig| {
        let account = format!(
            "[[telegram]]\nname = \"second\"\napi_url = \"{}\"\ntoken = {{ env = \"SECOND_TOKEN\" }}\n",
            rig.telegram_url()
        );
        rig.write_config(&(rig.config() + &account));
        rig.start_with(&[(
            "SECOND_TOKEN",
            "4200000002:AAHarnessHarnessHarnessNobodysToken",
        )])
        .await;
        let line = rig
            .log()
            .wait_for(SOON, "this account is down")
            .await
            .expect("it is said");
        assert!(
            line.contains("4200000002") && line.contains("BotFather"),
            "{line}"
        );
        assert!(!line.contains("NobodysToken"), "{line}");
        rig.model().script(Matcher::Any, Reply::text("I work."));
        let asked = rig.says(ANN, "Hello");
        rig.answer(ANN, asked, "I work.", SOON).await;
        let health = rig.health_says("degraded", SOON).await;
        let links = health["links"].as_array().expect("links");
        let down: Vec<_> = links.iter().filter(|link| link["up"] == false).collect();
        assert_eq!(down.len(), 1, "{health}");
        assert!(
            down[0]["link"].to_string().contains("4200000002"),
            "{health}"
        );
    });
}

/// The same bot twice is one bot: refused.
#[test]
fn the_same_bot_twice_is_refused() {
    with(setup(), async |rig| {
        let account = format!(
            "[[telegram]]\nname = \"second\"\napi_url = \"{}\"\ntoken = {{ env = \"TELEGRAM_BOT_TOKEN\" }}\n",
            rig.telegram_url()
        );
        let config = rig.config() + &account;
        let exit = ends(rig, &config, &[]).await;
        exit.assert(WRONG_CONFIGURATION, &["4200000001"]);
    });
}

#[test]
fn tokens_in_the_environment_are_enough() {
    with(setup(), async |rig| {
        std::fs::remove_file(rig.config_file()).expect("the file");
        let state = rig.folder().join("state").display().to_string();
        let mut environment = rig.environment();
        environment.push(("STATE_DIRECTORY".to_owned(), state));
        let check = rig
            .command_with(&["config", "check", "--json"], &environment)
            .await;
        assert_eq!(check.code, Some(0), "{check:?}");
        let report: Value = serde_json::from_str(&check.out).expect("JSON");
        assert_eq!(report["ok"], true);
        let source = |key: &str| -> String {
            let values = report["values"].as_array().expect("values");
            let value = values
                .iter()
                .find(|value| value["key"] == key)
                .expect("the key");
            format!(
                "{} {}",
                text(&value["source"]),
                value["name"].as_str().unwrap_or_default()
            )
        };
        assert_eq!(
            source("telegram.main.token"),
            "environment TELEGRAM_BOT_TOKEN"
        );
        assert_eq!(
            source("providers.anthropic.api_key"),
            "environment ANTHROPIC_API_KEY"
        );
        assert_eq!(source("gateway.data_dir"), "environment STATE_DIRECTORY");
        assert!(
            !check.out.contains(TOKEN) && !check.out.contains(API_KEY),
            "a secret is printed"
        );
    });
}

#[test]
fn config_check_says_what_is_wrong_and_what_it_means() {
    with(setup(), async |rig| {
        let good = rig.on_config(&["config", "check"]).await;
        assert_eq!(good.code, Some(0), "{good:?}");
        for shown in [
            "gateway.data_dir",
            "agent.model",
            "environment TELEGRAM_BOT_TOKEN",
        ] {
            assert!(good.out.contains(shown), "{shown}: {good:?}");
        }
        assert!(
            !good.out.contains(TOKEN) && !good.out.contains(API_KEY),
            "a secret is printed"
        );
        rig.write_config(
            &rig.config()
                .replace("default = \"deny\"", "default = \"perhaps\""),
        );
        let bad = rig.on_config(&["config", "check"]).await;
        assert_eq!(bad.code, Some(WRONG_CONFIGURATION), "{bad:?}");
        assert!(
            bad.out.contains("access.default") && bad.out.contains("pair"),
            "{bad:?}"
        );
    });
}

/// I05. The file wins where it sets a key; which it was is said, without the value.
#[test]
fn i05_each_key_has_one_source_and_it_is_shown() {
    let case = case!("I05");
    with(setup(), async |rig| {
        let (file, env) = (&case.given["file"], &case.given["env"]);
        let wanted = text(&case.then["anthropic.api_key"]);
        let model = text(&file["anthropic.model"]);
        let key = format!("api_key = \"{}\"", text(&file["anthropic.api_key"]));
        let config = rig
            .config()
            .replace("api_key = { env = \"ANTHROPIC_API_KEY\" }", &key)
            .replace("anthropic/claude-sonnet-4-6", &format!("anthropic/{model}"));
        rig.write_config(&config);
        let variables: Vec<(&str, &str)> = env
            .as_object()
            .expect("variables")
            .iter()
            .map(|(name, value)| (name.as_str(), text(value)))
            .collect();
        let mut environment = rig.environment();
        environment.retain(|(name, _)| name != "ANTHROPIC_API_KEY");
        environment.extend(
            variables
                .iter()
                .map(|(n, v)| ((*n).to_owned(), (*v).to_owned())),
        );
        let path = rig.config_file().display().to_string();
        let check = rig
            .command_with(&["config", "check", "--config", &path], &environment)
            .await;
        assert_eq!(check.code, Some(0), "{check:?}");
        let line = check
            .out
            .lines()
            .find(|line| line.contains("providers.anthropic.api_key"));
        let line = line.expect("the key's line");
        assert!(line.contains("file, line"), "{line}");
        for value in variables.iter().map(|(_, value)| *value).chain([wanted]) {
            assert!(
                !check.out.contains(value),
                "{value} is printed: {}",
                check.out
            );
        }
        assert!(
            check.out.contains("ANTHROPIC_API_KEY is set and not used"),
            "{}",
            check.out
        );
        // And it is the file's key that the model sees.
        rig.model().set_api_key(Some(wanted.to_owned()));
        rig.model()
            .script(Matcher::Any, Reply::text("The key fits."));
        rig.start_with(&variables).await;
        let asked = rig.says(ANN, "Hello");
        rig.answer(ANN, asked, "The key fits.", SOON).await;
        assert_eq!(
            rig.model().requests()[0].body["model"],
            case.then["anthropic.model"]
        );
    });
}
