use std::path::PathBuf;

use super::Report;
use crate::document::Document;
use crate::environment::Environment;
use crate::load::of_document;

const TOKEN: &str = "123456789:AAExampleExampleExampleExampleExample0";

fn report(text: &str) -> Report {
    let environment = Environment::of([
        ("TELEGRAM_BOT_TOKEN", TOKEN),
        ("ANTHROPIC_API_KEY", "sk-ant-example-example"),
        ("STATE_DIRECTORY", "/var/lib/talaria"),
    ]);
    let document = Document::new(PathBuf::from("/etc/t.toml"), text.to_owned());
    Report::new(&of_document(Some(&document), &environment))
}

#[test]
fn each_value_has_its_source_and_secrets_have_no_value() {
    let report = report(
        "[agent]\nsystem_prompt = 'Be kind.'\n[providers.anthropic]\napi_key = { env = 'ANTHROPIC_API_KEY' }\n",
    );
    let expected = "\
Configuration file: /etc/t.toml
  gateway.data_dir              \"/var/lib/talaria\"             environment STATE_DIRECTORY
  gateway.listen                \"127.0.0.1:8787\"               default
  providers.anthropic.kind      \"anthropic\"                    default
  providers.anthropic.base_url  \"https://api.anthropic.com\"    default
  providers.anthropic.api_key   set (secret)                   environment ANTHROPIC_API_KEY (named in the file, line 4)
  agent.model                   \"anthropic/claude-sonnet-4-6\"  default
  agent.system_prompt           \"Be kind.\"                     file, line 2
  agent.busy                    \"queue\"                        default
  agent.max_steps               \"32\"                           default
  agent.max_tokens              \"8192\"                         default
  access.default                \"pair\"                         default
  access.admins                 \"\"                             default
  delivery.max_age              \"24h\"                          default
  telegram.main.name            \"main\"                         default
  telegram.main.token           set (secret)                   environment TELEGRAM_BOT_TOKEN
  telegram.main.api_url         \"https://api.telegram.org\"     default
  telegram.main.allow           \"\"                             default
The configuration is complete.";
    assert_eq!(report.to_string(), expected);
}

#[test]
fn problems_and_warnings_follow() {
    let report = report(&format!(
        "[agent]\nbussy = 'queue'\n[[telegram]]\ntoken = 'x{TOKEN}'\n"
    ));
    let text = report.to_string();
    let tail: Vec<_> = text
        .lines()
        .skip_while(|line| line.starts_with([' ', 'C']))
        .collect();
    assert_eq!(
        tail,
        [
            "Warning: TELEGRAM_BOT_TOKEN is set and not used, because the file sets the tokens of [[telegram]]",
            "Warning: telegram.main.token is written into the file itself; better { env = \"NAME\" } or { file = \"PATH\" }",
            "Problem 1: /etc/t.toml:2: agent.bussy: there is no such key (did you mean `busy`?); known here: model, system_prompt, busy, max_steps, max_tokens",
            "Problem 2: /etc/t.toml:4: telegram.main.token: this has not the shape of a bot token (digits, a colon, 20 to 64 of A-Z a-z 0-9 _ -); copy it again from @BotFather",
            "The gateway will not start until these 2 problems are solved.",
        ]
    );
}

#[test]
fn the_json_form_says_the_same() {
    let json = serde_json::to_value(report("[access]\ndefault = 'no'\n")).expect("serialises");
    assert_eq!(json["ok"], false);
    assert_eq!(json["file"], "/etc/t.toml");
    let values = json["values"].as_array().expect("a list");
    let of = |key: &str| {
        values
            .iter()
            .find(|entry| entry["key"] == key)
            .expect("listed")
    };
    assert_eq!(
        *of("telegram.main.token"),
        serde_json::json!({
            "key": "telegram.main.token", "secret_set": true,
            "source": "environment", "name": "TELEGRAM_BOT_TOKEN",
        })
    );
    assert_eq!(
        *of("gateway.listen"),
        serde_json::json!({"key": "gateway.listen", "value": "127.0.0.1:8787", "source": "default"})
    );
    assert_eq!(
        json["problems"],
        serde_json::json!([{
            "key": "access.default", "file": "/etc/t.toml", "line": 2,
            "message": "`no` is not one of deny, pair, open",
        }])
    );
}

#[test]
fn a_long_value_is_cut_in_the_text_alone() {
    let long = "word ".repeat(100);
    let report = report(&format!("[agent]\nsystem_prompt = '{long}'\n"));
    assert!(!report.to_string().contains(&long));
    assert!(
        serde_json::to_string(&report)
            .expect("serialises")
            .contains(&long)
    );
}

/// Case I01 at this boundary: no form of a report or problem list holds a secret.
#[test]
fn no_form_shows_a_token() {
    let report = report(&format!(
        "[agent]\nmodel = '{TOKEN}'\n[gateway]\nlisten = '{TOKEN}'\n[access]\nadmins = ['{TOKEN}']\n[[telegram]]\nname = '{TOKEN}'\ntoken = '{TOKEN}'\n'{TOKEN}' = 1\n[providers.'{TOKEN}']\nkind = '{TOKEN}'\n"
    ));
    assert!(!report.ok);
    let json = serde_json::to_string(&report).expect("serialises");
    for shown in [report.to_string(), json] {
        assert!(!shown.contains("AAExample"), "{shown}");
    }
}
