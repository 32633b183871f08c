use std::collections::BTreeSet;

use talaria_types::model::{ModelError, ModelErrorKind};

use super::failure_sentence;

fn sentence(kind: ModelErrorKind) -> &'static str {
    let detail = "HTTP 500 from api.example: sk-ant-secret".to_owned();
    failure_sentence(&ModelError {
        kind,
        retry_after: None,
        detail,
    })
}

#[test]
fn each_group_has_its_own_plain_sentence() {
    use ModelErrorKind::*;
    let kinds = [
        Auth,
        Billing,
        Overloaded,
        RateLimited,
        Network,
        TooLong,
        Server,
        Invalid,
    ];
    let all: BTreeSet<&str> = kinds.into_iter().map(sentence).collect();
    assert_eq!(all.len(), kinds.len());
    for text in all {
        assert!(
            text.ends_with('.') && text.matches(". ").count() == 0,
            "one sentence: {text}"
        );
        assert!(
            !text.contains("HTTP") && !text.contains("500") && !text.contains("sk-"),
            "{text}"
        );
    }
}

#[test]
fn a_sentence_says_what_can_be_done() {
    assert!(sentence(ModelErrorKind::TooLong).contains("/new"));
    assert!(sentence(ModelErrorKind::Auth).contains("key"));
    assert!(sentence(ModelErrorKind::Billing).contains("credit"));
    assert_eq!(
        sentence(ModelErrorKind::Protocol),
        sentence(ModelErrorKind::Server)
    );
}
