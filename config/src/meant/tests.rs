//! What a file and an environment mean together. One test for each rule.

use std::path::PathBuf;
use std::time::Duration;

use crate::document::Document;
use crate::environment::Environment;
use crate::error::{Error, Problems, Warning};
use crate::load::{Loaded, of_document};
use crate::model::{Busy, Policy, ProviderKind};
use crate::sources::{Shown, Source};

const TOKEN: &str = "123456789:AAExampleExampleExampleExampleExample0";
const OTHER: &str = "987654321:BBExampleExampleExampleExampleExample0";
const KEY: &str = "sk-ant-example-example";

fn complete() -> Vec<(&'static str, &'static str)> {
    vec![
        ("TELEGRAM_BOT_TOKEN", TOKEN),
        ("ANTHROPIC_API_KEY", KEY),
        ("HOME", "/home-of-test"),
    ]
}

fn with(text: &str, variables: &[(&str, &str)]) -> Result<Loaded, Problems> {
    let document = Document::new(PathBuf::from("/etc/talaria/t.toml"), text.to_owned());
    of_document(Some(&document), &Environment::of(variables.iter().copied()))
}

fn fine(text: &str) -> Loaded {
    with(text, &complete()).unwrap_or_else(|problems| panic!("{text}\n{problems}"))
}

/// The problems of a file whose environment has all that is needed, as (key, line, error).
fn wrong(text: &str) -> Vec<(String, Option<usize>, Error)> {
    let problems = with(text, &complete()).expect_err(text).problems;
    let of = |p: crate::Problem| {
        (
            p.key.unwrap_or_default(),
            p.location.and_then(|place| place.line),
            p.error,
        )
    };
    problems.into_iter().map(of).collect()
}

fn one(text: &str) -> (String, Option<usize>, Error) {
    let mut found = wrong(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.remove(0)
}

#[test]
fn two_variables_are_enough() {
    let environment = Environment::of(complete());
    let loaded = of_document(None, &environment).expect("complete");
    let config = loaded.config;
    assert_eq!(
        config.gateway.data_dir,
        PathBuf::from("/home-of-test/.local/state/talaria")
    );
    assert_eq!(
        config.gateway.listen,
        Some("127.0.0.1:8787".parse().expect("address"))
    );
    assert_eq!(config.agent.provider, "anthropic");
    assert_eq!(config.agent.model, "claude-sonnet-4-6");
    assert_eq!(config.agent.busy, Busy::Queue);
    assert_eq!(
        (config.agent.max_steps, config.agent.max_tokens),
        (32, 8192)
    );
    assert!(!config.agent.system_prompt.is_empty());
    let provider = &config.providers["anthropic"];
    assert_eq!(provider.kind, ProviderKind::Anthropic);
    assert_eq!(provider.base_url, "https://api.anthropic.com");
    assert_eq!(provider.api_key.as_ref().map(|key| key.expose()), Some(KEY));
    assert_eq!(config.access.default, Policy::Pair);
    assert_eq!(config.delivery.max_age, Duration::from_secs(86_400));
    assert_eq!(config.telegram.len(), 1);
    assert_eq!(config.telegram[0].name, "main");
    assert_eq!(config.telegram[0].bot_id, 123_456_789);
    assert_eq!(config.telegram[0].token.expose(), TOKEN);
    assert_eq!(config.telegram[0].api_url, "https://api.telegram.org");
    assert_eq!(loaded.warnings, []);
}

#[test]
fn nothing_at_all_says_all_that_is_missing() {
    let problems = of_document(None, &Environment::default_of_tests()).expect_err("empty");
    let errors: Vec<_> = problems.problems.into_iter().map(|p| p.error).collect();
    assert_eq!(errors, [Error::NoDataDir, Error::NoModel, Error::NoAccount]);
}

impl Environment {
    fn default_of_tests() -> Self {
        Self::of::<&str, &str>([])
    }
}

/// Case I05, as the design decides it: the file wins, key by key, and the source is shown
/// without the value.
#[test]
fn the_file_wins_key_by_key() {
    let text =
        "[providers.anthropic]\napi_key = \"from-file-1\"\n[agent]\nmodel = \"anthropic/m1\"";
    let loaded = fine(text);
    let provider = &loaded.config.providers["anthropic"];
    assert_eq!(
        provider.api_key.as_ref().map(|key| key.expose()),
        Some("from-file-1")
    );
    assert_eq!(loaded.config.agent.model, "m1");
    let shown = loaded
        .sources
        .get("providers.anthropic.api_key")
        .expect("listed");
    assert_eq!(shown.value, Shown::SecretSet(true));
    assert_eq!(shown.source, Source::File { line: 2 });
    let base = loaded
        .sources
        .get("providers.anthropic.base_url")
        .expect("listed");
    assert_eq!(base.source, Source::Default);
    let token = loaded.sources.get("telegram.main.token").expect("listed");
    assert_eq!(
        token.source,
        Source::Environment {
            name: "TELEGRAM_BOT_TOKEN".to_owned()
        }
    );
    let overruled = |w: &Warning| {
        matches!(
            w,
            Warning::Overruled {
                name: "ANTHROPIC_API_KEY",
                ..
            }
        )
    };
    assert!(
        loaded.warnings.iter().any(overruled),
        "{:?}",
        loaded.warnings
    );
}

#[test]
fn the_environment_fills_what_the_file_leaves_out() {
    let loaded = fine("[providers.claude]\nkind = 'anthropic'\n[[telegram]]\nallow = [5001]\n");
    assert_eq!(loaded.config.agent.provider, "claude");
    assert_eq!(loaded.config.telegram[0].allow[0].as_str(), "5001");
    assert_eq!(loaded.config.telegram[0].token.expose(), TOKEN);
    let source = &loaded
        .sources
        .get("providers.claude.api_key")
        .expect("listed")
        .source;
    assert_eq!(
        *source,
        Source::Environment {
            name: "ANTHROPIC_API_KEY".to_owned()
        }
    );
    assert_eq!(loaded.warnings, []);
}

#[test]
fn one_token_fills_one_account() {
    let (key, line, error) = one(&format!(
        "[[telegram]]\nname = 'a'\n[[telegram]]\nname = 'b'\ntoken = '{OTHER}'\n[[telegram]]\nname='b'\ntoken = '{TOKEN}'"
    ));
    assert_eq!((key.as_str(), line), ("telegram.b.name", Some(7)));
    assert_eq!(
        error,
        Error::SameName {
            name: "b".to_owned()
        }
    );
    let both = wrong("[[telegram]]\nname = 'a'\n[[telegram]]\nname = 'b'\n");
    assert!(
        both.iter()
            .all(|(.., error)| matches!(error, Error::NoToken { .. })),
        "{both:?}"
    );
    assert_eq!(both.len(), 2);
}

#[test]
fn the_same_bot_twice_is_refused() {
    let again = TOKEN.replace("AA", "ZZ");
    let text = format!("[[telegram]]\nname = 'a'\n[[telegram]]\nname = 'b'\ntoken = '{again}'");
    let (key, line, error) = one(&text);
    assert_eq!((key.as_str(), line), ("telegram.b.token", Some(3)));
    assert_eq!(
        error,
        Error::SameBot {
            bot: 123_456_789,
            other: "telegram.a".to_owned()
        }
    );
}

#[test]
fn a_malformed_token_is_refused_and_never_shown() {
    for token in [
        "nonsense",
        "12345678:short",
        ":AAExampleExampleExampleExampleExample0",
        "1:2:3",
        TOKEN,
    ] {
        let token = if token == TOKEN {
            format!("bot{TOKEN}")
        } else {
            token.to_owned()
        };
        let text = format!("[[telegram]]\ntoken = '{token}'");
        let problems = with(&text, &complete()).expect_err("malformed");
        assert_eq!(problems.problems.len(), 1, "{problems}");
        assert_eq!(problems.problems[0].error, Error::Token);
        assert!(!problems.to_string().contains(&token), "{problems}");
    }
}

#[test]
fn what_later_builds_have_is_refused_plainly() {
    for (text, what) in [
        (
            "[agent]\nbusy = 'steer'",
            "`steer` is not in this build yet; it has queue",
        ),
        (
            "[agent]\nbusy = 'interrupt'",
            "`interrupt` is not in this build yet; it has queue",
        ),
        (
            "[providers.o]\nkind = 'openai-chat'",
            "`openai-chat` is not in this build yet; it has anthropic, demo",
        ),
        (
            "[[discord]]\ntoken = 'x'",
            "`[[discord]]` is not in this build yet; it has [[telegram]]",
        ),
        (
            "[[slack]]\nanything = 1",
            "`[[slack]]` is not in this build yet; it has [[telegram]]",
        ),
        (
            "[access]\nadmins = ['slack:U1']",
            "`slack` is not in this build yet; it has telegram",
        ),
    ] {
        let text = format!("{text}\n[providers.anthropic]\n");
        let told = with(&text, &complete()).expect_err("later").to_string();
        assert!(told.contains(what), "{told}");
        assert!(
            told.contains("/etc/talaria/t.toml:2: ") || told.contains("t.toml:1: "),
            "{told}"
        );
    }
}

#[test]
fn choices_are_suggested() {
    let (key, line, error) = one("[access]\ndefault = 'opne'");
    assert_eq!((key.as_str(), line), ("access.default", Some(2)));
    let told = error.to_string();
    assert_eq!(
        told,
        "`opne` is not one of deny, pair, open (did you mean `open`?)"
    );
    assert!(
        one("[agent]\nbusy = 'quque'")
            .2
            .to_string()
            .contains("did you mean `queue`?")
    );
}

#[test]
fn values_have_bounds() {
    assert!(matches!(
        one("[gateway]\nlisten = 'localhost'").2,
        Error::Listen { .. }
    ));
    assert!(matches!(
        one("[agent]\nmax_steps = 0").2,
        Error::OutOfRange { max: 1000, .. }
    ));
    assert!(matches!(
        one("[agent]\nmax_tokens = -9223372036854775808").2,
        Error::OutOfRange { .. }
    ));
    for age in ["1s", "31d", "soon", "", "-1h", "99999999999999999999h"] {
        let (.., error) = one(&format!("[delivery]\nmax_age = '{age}'"));
        assert!(matches!(error, Error::Duration { .. }), "{age}: {error:?}");
    }
    let age = fine("[delivery]\nmax_age = '90m'").config.delivery.max_age;
    assert_eq!(age, Duration::from_secs(5400));
    for model in ["claude", "/x", "anthropic/", "anthropic/a b"] {
        let (.., error) = one(&format!(
            "[providers.anthropic]\n[agent]\nmodel = '{model}'"
        ));
        assert!(matches!(error, Error::Model { .. }), "{model}: {error:?}");
    }
}

#[test]
fn listening_can_be_off_or_anywhere() {
    assert_eq!(
        fine("[gateway]\nlisten = 'off'").config.gateway.listen,
        None
    );
    let any = fine("[gateway]\nlisten = '[::1]:0'").config.gateway.listen;
    assert_eq!(any, Some("[::1]:0".parse().expect("address")));
}

#[test]
fn addresses_are_http_and_bare() {
    for (address, reason) in [
        ("ftp://host", "begins with neither"),
        ("host.example", "can't be understood"),
        ("https://", "can't be understood"),
        ("https://user:hunter2hunter2@host/", "user name or password"),
        ("https://host/?key=hunter2hunter2", "has a ? or #"),
    ] {
        let text = format!("[[telegram]]\napi_url = '{address}'");
        let problems = with(&text, &complete()).expect_err(address);
        let told = problems.to_string();
        assert!(told.contains(reason), "{told}");
        assert!(!format!("{problems:?}").contains("hunter2"), "{problems:?}");
    }
    let loaded = fine("[[telegram]]\napi_url = 'http://127.0.0.1:8081/'");
    assert_eq!(loaded.config.telegram[0].api_url, "http://127.0.0.1:8081");
    assert_eq!(loaded.warnings, []);
    let loaded = fine("[[telegram]]\napi_url = 'http://emulator:8081/base/'");
    assert_eq!(
        loaded.config.telegram[0].api_url,
        "http://emulator:8081/base"
    );
    assert_eq!(
        loaded.warnings,
        [Warning::PlainHttp {
            key: "telegram.main.api_url".to_owned()
        }]
    );
}

#[test]
fn the_model_names_a_provider_that_is_there() {
    let text = "[agent]\nmodel = 'claude/x'\n[providers.demo]\nbase_url = 'http://127.0.0.1:1'";
    let (key, line, error) = one(text);
    assert_eq!((key.as_str(), line), ("agent.model", Some(2)));
    assert_eq!(
        error,
        Error::UnknownProvider {
            name: "claude".to_owned(),
            known: vec!["demo".to_owned()]
        }
    );
    let two = "[providers.a]\nkind='demo'\nbase_url='http://127.0.0.1:1'\n[providers.b]\nkind='demo'\nbase_url='http://127.0.0.1:1'";
    assert_eq!(one(two).2, Error::NoModel);
    let mine = "[agent]\nmodel = 'anthropic/claude'";
    let told = with(mine, &[("TELEGRAM_BOT_TOKEN", TOKEN), ("HOME", "/h")]).expect_err("no key");
    assert_eq!(told.problems.len(), 1, "{told}");
    assert_eq!(
        told.problems[0].error,
        Error::NoKey {
            name: "ANTHROPIC_API_KEY"
        }
    );
}

#[test]
fn the_demo_provider_needs_an_address_and_no_key() {
    let loaded = fine("[providers.demo]\nbase_url = 'http://127.0.0.1:8790/'");
    assert_eq!(loaded.config.agent.model, "demo");
    assert_eq!(
        loaded.config.providers["demo"].base_url,
        "http://127.0.0.1:8790"
    );
    assert!(loaded.config.providers["demo"].api_key.is_none());
    let (key, _, error) = one("[providers.demo]");
    assert_eq!(key, "providers.demo.base_url");
    assert!(matches!(error, Error::Incomplete { .. }));
    let text = "[providers.demo]\nbase_url = 'http://127.0.0.1:1'\napi_key = 'not-needed'";
    assert_eq!(one(text).2, Error::KeyForDemo);
}

#[test]
fn people_are_numbers() {
    for id in [
        "'@somebody'",
        "-100123",
        "'0'",
        "''",
        "'99999999999999999999'",
    ] {
        let (key, _, error) = one(&format!("[[telegram]]\nallow = [5001, {id}]"));
        assert_eq!(key, "telegram.main.allow");
        assert!(matches!(error, Error::UserId { .. }), "{id}: {error:?}");
    }
    let admins = fine("[access]\nadmins = ['telegram:5001']")
        .config
        .access
        .admins;
    assert_eq!(
        (admins[0].platform.as_str(), admins[0].user.as_str()),
        ("telegram", "5001")
    );
    for admin in ["5001", "myspace:5001"] {
        let (.., error) = one(&format!("[access]\nadmins = ['{admin}']"));
        assert!(matches!(error, Error::Principal { .. }), "{error:?}");
    }
}

#[test]
fn secrets_that_the_file_names_have_to_be_there() {
    let text = "[[telegram]]\ntoken = { env = 'MY_TOKEN' }\n[providers.anthropic]\napi_key = { file = 'key.txt' }";
    let found = wrong(text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(
        found[0].2,
        Error::VariableUnset {
            name: "MY_TOKEN".to_owned()
        }
    );
    let Error::SecretFile { path, .. } = &found[1].2 else {
        panic!("{found:?}")
    };
    assert_eq!(path, &PathBuf::from("/etc/talaria/key.txt"));
    for form in ["{}", "{ env = 'A', file = 'B' }"] {
        let (.., error) = one(&format!("[[telegram]]\ntoken = {form}"));
        assert_eq!(error, Error::SecretForm, "{form}");
    }
    let (key, _, error) = one("[[telegram]]\ntoken = { enf = 'A' }");
    assert_eq!(key, "telegram.main.token.enf");
    assert!(matches!(error, Error::UnknownKey { suggestion: Some(s), .. } if s == "env"));
    assert!(matches!(
        one("[[telegram]]\ntoken = 5").2,
        Error::WrongType { .. }
    ));
}

#[test]
fn the_data_folder_has_an_order() {
    let dir = |text: &str, variables: &[(&str, &str)]| {
        let mut all = complete();
        all.extend(variables);
        let loaded = with(text, &all).expect("complete");
        let source = loaded
            .sources
            .get("gateway.data_dir")
            .expect("listed")
            .source
            .clone();
        (loaded.config.gateway.data_dir.display().to_string(), source)
    };
    let named = |name: &str| Source::Environment {
        name: name.to_owned(),
    };
    let all = [
        ("STATE_DIRECTORY", "/var/lib/a:/var/lib/b"),
        ("XDG_STATE_HOME", "/x"),
    ];
    let text = "[gateway]\ndata_dir = 'data'";
    assert_eq!(
        dir(text, &all),
        ("/etc/talaria/data".to_owned(), Source::File { line: 2 })
    );
    assert_eq!(
        dir("", &all),
        ("/var/lib/a".to_owned(), named("STATE_DIRECTORY"))
    );
    assert_eq!(
        dir("", &all[1..]),
        ("/x/talaria".to_owned(), named("XDG_STATE_HOME"))
    );
    let home = (
        "/home-of-test/.local/state/talaria".to_owned(),
        Source::Default,
    );
    assert_eq!(dir("", &[("XDG_STATE_HOME", "relative")]), home);
    assert_eq!(dir("", &[("STATE_DIRECTORY", "")]), home);
}

#[test]
fn warnings_say_what_is_worth_a_look() {
    let mut variables = complete();
    variables.extend([("OPENAI_API_KEY", "other"), ("SLACK_BOT_TOKEN", "xoxb-1")]);
    let text = format!("[access]\ndefault = 'open'\n[[telegram]]\ntoken = '{OTHER}'");
    let loaded = with(&text, &variables).expect("complete");
    assert_eq!(
        loaded.warnings,
        [
            Warning::Open,
            Warning::Overruled {
                name: "TELEGRAM_BOT_TOKEN",
                key: "the tokens of [[telegram]]".to_owned()
            },
            Warning::PlainSecret {
                key: "telegram.main.token".to_owned()
            },
            Warning::NotInBuild {
                name: "OPENAI_API_KEY",
                what: "OpenAI"
            },
            Warning::NotInBuild {
                name: "SLACK_BOT_TOKEN",
                what: "Slack"
            },
        ]
    );
    let blank = [
        ("TELEGRAM_BOT_TOKEN", ""),
        ("ANTHROPIC_API_KEY", KEY),
        ("HOME", "/h"),
    ];
    let problems = with("", &blank).expect_err("no account");
    assert_eq!(
        problems.warnings,
        [Warning::Blank {
            name: "TELEGRAM_BOT_TOKEN"
        }]
    );
    assert_eq!(problems.problems[0].error, Error::NoAccount);
}

#[test]
fn accounts_are_written_with_two_brackets() {
    let (key, line, error) = one(&format!("[telegram]\ntoken = '{TOKEN}'"));
    assert_eq!((key.as_str(), line), ("telegram", Some(1)));
    assert!(
        error.to_string().contains("[[telegram]] with two brackets"),
        "{error}"
    );
}
