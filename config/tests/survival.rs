//! No file and no environment brings the loader down or makes it show a secret. A process of its
//! own: what random files hold as secrets is scrubbed from all text from then on.

use proptest::prelude::*;
use talaria_config::{Environment, LoadOptions, Report, load};

const TOKEN: &str = "123456789:AAExampleExampleExampleExampleExample0";
const EXAMPLE: &str = include_str!("../talaria.example.toml");

fn failed(error: std::io::Error) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

/// Neither panics nor an empty list of problems, and no secret in what is shown.
fn holds(text: &str, variables: Vec<(String, String)>) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join("t.toml");
    std::fs::write(&file, text).map_err(failed)?;
    let environment = Environment::of(variables);
    let outcome = load(LoadOptions {
        file: Some(file),
        environment,
    });
    if let Err(problems) = &outcome {
        prop_assert!(!problems.problems.is_empty());
    }
    let report = Report::new(&outcome);
    let shown = format!(
        "{report}{}",
        serde_json::to_string(&report).map_err(|error| TestCaseError::fail(error.to_string()))?
    );
    prop_assert!(!shown.contains("AAExample"), "{}", shown);
    Ok(())
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(format!("'{TOKEN}'")),
        Just("'anthropic'".to_owned()),
        Just("'demo/x'".to_owned()),
        Just("{ env = 'E' }".to_owned()),
        Just("{ file = '/dev/null' }".to_owned()),
        Just("['telegram:5001', 5001, '5001']".to_owned()),
        Just("1979-05-27".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:?}")),
        "'[ -&(-~]{0,40}'",
        "'[a-z]{1,5}://[a-z0-9.:@/?#]{0,20}'",
        "'[0-9]{1,20}(s|m|h|d|y|days)'",
    ]
}

fn line() -> impl Strategy<Value = String> {
    let section = prop::sample::select(vec![
        "[gateway]",
        "[agent]",
        "[providers.anthropic]",
        "[providers.demo]",
        "[providers.x]",
        "[access]",
        "[delivery]",
        "[[telegram]]",
        "[telegram]",
        "[[discord]]",
        "[x.y]",
    ]);
    let key = prop::sample::select(vec![
        "data_dir",
        "listen",
        "model",
        "system_prompt",
        "busy",
        "max_steps",
        "max_tokens",
        "kind",
        "base_url",
        "api_key",
        "default",
        "admins",
        "max_age",
        "name",
        "token",
        "api_url",
        "allow",
        "unheard_of",
        "token.env",
        "providers.z",
    ]);
    prop_oneof![
        1 => section.prop_map(str::to_owned),
        3 => (key, value()).prop_map(|(key, value)| format!("{key} = {value}")),
    ]
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "\\PC{0,200}", bytes in prop::collection::vec(any::<char>(), 0..80)) {
        holds(&text, Vec::new())?;
        holds(&bytes.into_iter().collect::<String>(), Vec::new())?;
    }

    #[test]
    fn any_lines_are_survived(
        lines in prop::collection::vec(line(), 0..30),
        token in "(123456789:AAExampleExampleExampleExampleExample0|[ -~]{0,50})",
    ) {
        let variables = vec![("TELEGRAM_BOT_TOKEN".to_owned(), token), ("E".to_owned(), TOKEN.to_owned())];
        holds(&lines.join("\n"), variables)?;
    }

    /// The example with one line lost or two swapped.
    #[test]
    fn a_damaged_example_is_survived(first in 0..70usize, second in 0..70usize, drop in any::<bool>()) {
        let mut lines: Vec<_> = EXAMPLE.lines().collect();
        let (first, second) = (first % lines.len(), second % lines.len());
        if drop { lines.remove(first); } else { lines.swap(first, second); }
        holds(&lines.join("\n"), Vec::new())?;
    }
}
