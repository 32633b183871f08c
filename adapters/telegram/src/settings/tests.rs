use talaria_types::Secret;

use super::{Error, TelegramSettings};

fn settings(token: &str) -> TelegramSettings {
    TelegramSettings::new("main", Secret::new(token))
}

#[test]
fn the_account_is_the_number_in_the_token() {
    let account = settings("900100:AAxx_yy-zz").account().unwrap();
    assert_eq!(account.as_str(), "telegram:900100");
}

#[test]
fn a_token_of_another_form_is_refused_without_being_shown() {
    for token in [
        "",
        "900100",
        "900100:",
        ":AAxx",
        "abc:AAxx",
        "900100:AA/../getMe",
        "900100:A A",
    ] {
        let error = settings(token).account().unwrap_err();
        assert_eq!(
            error,
            Error::Token {
                name: "main".into()
            }
        );
        assert!(
            token.is_empty() || !error.to_string().contains(token),
            "{error}"
        );
    }
}

#[test]
fn the_api_address_is_taken_with_or_without_a_slash() {
    for (given, base) in [
        ("https://api.telegram.org", "https://api.telegram.org"),
        ("http://127.0.0.1:8081/", "http://127.0.0.1:8081"),
        (
            "https://proxy.example.test/tg/",
            "https://proxy.example.test/tg",
        ),
    ] {
        let settings = TelegramSettings {
            api_url: given.into(),
            ..settings("1:A")
        };
        assert_eq!(settings.base().unwrap(), base);
    }
    for given in [
        "",
        "api.telegram.org",
        "ftp://example.test",
        "https://example.test/?a=b",
    ] {
        let settings = TelegramSettings {
            api_url: given.into(),
            ..settings("1:A")
        };
        assert_eq!(
            settings.base().unwrap_err(),
            Error::ApiUrl {
                name: "main".into()
            }
        );
    }
}
