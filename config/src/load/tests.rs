use std::path::{Path, PathBuf};

use super::{LoadOptions, data_dir, load};
use crate::environment::Environment;
use crate::error::{Error, Problem, Warning};

const TOKEN: &str = "123456789:AAExampleExampleExampleExampleExample0";
const EXAMPLE: &str = include_str!("../../talaria.example.toml");

fn environment(home: &Path) -> Environment {
    Environment::of([
        ("TELEGRAM_BOT_TOKEN", TOKEN.to_owned()),
        ("ANTHROPIC_API_KEY", "sk-ant-example-example".to_owned()),
        ("HOME", home.display().to_string()),
    ])
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    std::fs::write(&path, text).expect("written");
    path
}

#[test]
fn the_example_file_loads_and_says_the_defaults() {
    let folder = tempfile::tempdir().expect("folder");
    let file = Some(write(folder.path(), "talaria.toml", EXAMPLE));
    let environment = environment(folder.path());
    let from_file = load(LoadOptions {
        file,
        environment: environment.clone(),
    })
    .expect("the example loads");
    assert_eq!(from_file.warnings, []);
    let alone = load(LoadOptions {
        file: None,
        environment,
    })
    .expect("the environment alone");
    assert_eq!(from_file.config.agent, alone.config.agent);
    assert_eq!(from_file.config.delivery, alone.config.delivery);
    assert_eq!(from_file.config.gateway.listen, alone.config.gateway.listen);
    assert_eq!(from_file.config.access.default, alone.config.access.default);
    let keys = |loaded: &super::Loaded| {
        loaded
            .sources
            .0
            .iter()
            .map(|entry| entry.key.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        keys(&from_file),
        keys(&alone),
        "the example shows every key"
    );
    let defaults = from_file
        .sources
        .0
        .iter()
        .filter(|e| e.source == crate::Source::Default);
    assert_eq!(defaults.count(), 0, "the example sets every key");
}

#[test]
fn the_named_file_comes_before_the_users_own() {
    let home = tempfile::tempdir().expect("folder");
    let environment = environment(home.path());
    let at = |file: Option<PathBuf>| {
        let loaded = load(LoadOptions {
            file,
            environment: environment.clone(),
        });
        loaded.expect("loads").file
    };
    assert_eq!(at(None), None);
    let own = write(home.path(), ".config/talaria/talaria.toml", "[agent]\n");
    assert_eq!(at(None), Some(own));
    let named = write(home.path(), "other.toml", "");
    assert_eq!(at(Some(named.clone())), Some(named));
}

#[test]
fn a_file_that_is_not_there_or_not_text_is_a_problem() {
    let folder = tempfile::tempdir().expect("folder");
    let binary = folder.path().join("binary.toml");
    std::fs::write(&binary, [0xff, 0xfe, 0x00]).expect("written");
    let large = write(folder.path(), "large.toml", &"#".repeat(2 * 1024 * 1024));
    for path in [
        folder.path().join("none.toml"),
        folder.path().to_owned(),
        binary,
        large,
    ] {
        let options = LoadOptions {
            file: Some(path.clone()),
            environment: environment(folder.path()),
        };
        let problems = load(options.clone()).expect_err("unreadable").problems;
        assert_eq!(problems.len(), 1);
        assert!(
            matches!(problems[0].error, Error::Unreadable { .. }),
            "{problems:?}"
        );
        assert!(
            problems[0]
                .to_string()
                .contains(&path.display().to_string())
        );
        assert!(data_dir(&options).is_err());
    }
}

#[test]
fn a_byte_order_mark_is_no_problem() {
    let folder = tempfile::tempdir().expect("folder");
    let file = Some(write(
        folder.path(),
        "t.toml",
        "\u{feff}[agent]\nmax_steps = 5\n",
    ));
    let loaded = load(LoadOptions {
        file,
        environment: environment(folder.path()),
    });
    assert_eq!(loaded.expect("loads").config.agent.max_steps, 5);
}

#[test]
fn all_problems_come_at_once_in_the_files_order() {
    let folder = tempfile::tempdir().expect("folder");
    let text = "\
colour = 'red'
[gateway]
listen = 'nowhere'
[agent]
model = 'claude/x'
max_steps = '3'
[delivery]
max_age = 'never'
[[telegram]]
token = { env = 'NOT_SET' }
[[telegram]]
name = 'Two'
token = 'x'
";
    let file = Some(write(folder.path(), "t.toml", text));
    let problems = load(LoadOptions {
        file,
        environment: environment(folder.path()),
    })
    .expect_err("broken");
    let line = |p: &Problem| p.location.as_ref().and_then(|place| place.line);
    let lines: Vec<_> = problems.problems.iter().map(line).collect();
    assert_eq!(lines, [1, 3, 5, 6, 8, 10, 12, 13].map(Some), "{problems}");
    let told = problems.to_string();
    assert!(
        told.starts_with("The configuration has 8 problems:\n  1. "),
        "{told}"
    );
}

#[test]
fn the_data_folder_needs_no_token() {
    let folder = tempfile::tempdir().expect("folder");
    let file = Some(write(
        folder.path(),
        "t.toml",
        "[gateway]\ndata_dir = '/data'\n[agent]\nx=1\n",
    ));
    let environment = Environment::of([("HOME", "/h")]);
    let options = LoadOptions {
        file,
        environment: environment.clone(),
    };
    assert_eq!(data_dir(&options), Ok(PathBuf::from("/data")));
    let alone = LoadOptions {
        file: None,
        environment,
    };
    assert_eq!(
        data_dir(&alone),
        Ok(PathBuf::from("/h/.local/state/talaria"))
    );
}

#[cfg(unix)]
#[test]
fn secrets_in_a_file_that_all_can_read_are_warned_about() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("folder");
    let path = write(
        folder.path(),
        "t.toml",
        &format!("[[telegram]]\ntoken = '{TOKEN}'\n"),
    );
    let environment = environment(folder.path());
    let warned = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&path, permissions).expect("permissions");
        let options = LoadOptions {
            file: Some(path.clone()),
            environment: environment.clone(),
        };
        load(options).expect("loads").warnings
    };
    let readable = Warning::ReadableByOthers { file: path.clone() };
    assert!(warned(0o644).contains(&readable));
    assert!(!warned(0o600).contains(&readable));
}
