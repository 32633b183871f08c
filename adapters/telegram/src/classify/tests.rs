mod texts;

use std::time::Duration;

use talaria_types::{CallKind, Certainty, ChatId, FailureKind, FailureScope, Retry};

use super::{Reading, Refusal, lost, read, refused};
use crate::http::{Answer, Lost};
use texts::TEXTS;

fn refusal(status: u16, description: &str) -> Refusal {
    Refusal {
        status,
        description: Some(description.to_owned()),
        ..Refusal::default()
    }
}

#[test]
fn every_known_text_has_its_meaning_and_was_not_sent() {
    for (status, text, kind, scope) in TEXTS {
        let failure = refused(CallKind::Create, &refusal(*status, text)).unwrap_err();
        assert_eq!(&failure.kind, kind, "{text}");
        assert_eq!(&failure.scope, scope, "{text}");
        assert_eq!(failure.certainty, Certainty::NotSent, "{text}");
        let waits = failure.kind == FailureKind::Conflict;
        assert_eq!(waits, failure.retry != Retry::Never, "{text}");
        assert!(
            failure.detail.starts_with(&status.to_string()),
            "{}",
            failure.detail
        );
    }
}

#[test]
fn what_is_already_so_is_success() {
    let same = refusal(
        400,
        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
    assert!(refused(CallKind::Edit, &same).is_ok());
    assert!(refused(CallKind::Create, &same).is_err());
    let gone = refusal(400, "Bad Request: message to delete not found");
    assert!(refused(CallKind::Delete, &gone).is_ok());
    assert!(refused(CallKind::Edit, &gone).is_err());
}

#[test]
fn a_flood_error_is_no_format_error_and_names_its_wait() {
    let wait = |refusal: Refusal| {
        let failure = refused(CallKind::Edit, &refusal).unwrap_err();
        assert_eq!(failure.kind, FailureKind::RateLimited);
        assert_eq!(failure.scope, FailureScope::Chat);
        assert_eq!(failure.certainty, Certainty::NotSent);
        failure.retry
    };
    let seconds = |s| Retry::After(Duration::from_secs(s));
    let parameters = Refusal {
        retry_after: Some(280),
        ..refusal(429, "Too Many Requests")
    };
    assert_eq!(wait(parameters), seconds(280));
    assert_eq!(
        wait(refusal(429, "Too Many Requests: retry after 7")),
        seconds(7)
    );
    assert_eq!(
        wait(Refusal {
            status: 429,
            ..Refusal::default()
        }),
        seconds(5)
    );
    // Zero would be an endless loop.
    let zero = Refusal {
        retry_after: Some(0),
        ..refusal(429, "Too Many Requests")
    };
    assert_eq!(wait(zero), seconds(1));
}

#[test]
fn a_group_that_became_a_supergroup_names_its_new_chat() {
    let moved = Refusal {
        migrate_to: Some(-1_001_234_500_001),
        ..refusal(
            400,
            "Bad Request: group chat was upgraded to a supergroup chat",
        )
    };
    let failure = refused(CallKind::Create, &moved).unwrap_err();
    assert_eq!(
        failure.kind,
        FailureKind::Moved(ChatId::new("-1001234500001"))
    );
    assert_eq!(failure.retry, Retry::Now);
}

#[test]
fn a_server_error_may_have_sent_it() {
    for description in [Some("Internal Server Error".to_owned()), None] {
        for status in [500, 502, 504] {
            let refusal = Refusal {
                status,
                description: description.clone(),
                ..Refusal::default()
            };
            let failure = refused(CallKind::Create, &refusal).unwrap_err();
            assert_eq!(failure.kind, FailureKind::Server);
            assert_eq!(failure.certainty, Certainty::MaybeSent);
            assert!(matches!(failure.retry, Retry::After(_)));
        }
    }
}

#[test]
fn an_answer_that_is_not_the_bot_apis_condemns_no_token() {
    for (status, certainty) in [
        (403, Certainty::NotSent),
        (404, Certainty::NotSent),
        (407, Certainty::NotSent),
        (408, Certainty::MaybeSent),
        (200, Certainty::MaybeSent),
        (302, Certainty::MaybeSent),
    ] {
        let failure = refused(
            CallKind::Create,
            &Refusal {
                status,
                ..Refusal::default()
            },
        )
        .unwrap_err();
        assert_eq!(failure.kind, FailureKind::Server, "{status}");
        assert_eq!(failure.certainty, certainty, "{status}");
        assert!(matches!(failure.retry, Retry::After(_)), "{status}");
    }
}

#[test]
fn a_lost_answer_is_told_from_a_request_that_never_left() {
    let refused = lost(&Lost::NotSent {
        detail: "connection refused".into(),
    });
    assert_eq!(
        (refused.certainty, refused.kind),
        (Certainty::NotSent, FailureKind::Network)
    );
    let cut = lost(&Lost::MaybeSent {
        detail: "reset".into(),
    });
    assert_eq!(
        (cut.certainty, cut.kind),
        (Certainty::MaybeSent, FailureKind::Network)
    );
    let large = lost(&Lost::TooLarge { head: vec![] });
    assert_eq!(
        (large.certainty, large.kind),
        (Certainty::MaybeSent, FailureKind::Server)
    );
}

#[test]
fn no_secret_stays_in_a_detail() {
    let said =
        "Bad Request: see https://api.example.test/bot900100:AAExampleExampleExampleExample/x";
    let failure = refused(CallKind::Create, &refusal(400, said)).unwrap_err();
    assert!(!failure.detail.contains("AAExample"), "{}", failure.detail);
    assert!(
        failure.detail.contains("api.example.test"),
        "{}",
        failure.detail
    );
}

#[test]
fn the_envelope_is_read_from_body_and_header() {
    let answer = |status, body: &str, retry_after| Answer {
        status,
        retry_after,
        body: body.as_bytes().to_vec(),
    };
    let ok = answer(
        200,
        r#"{"ok":true,"result":{"a":[1]},"description":"x"}"#,
        None,
    );
    assert!(matches!(read(&ok), Reading::Ok(r#"{"a":[1]}"#)));
    assert!(matches!(
        read(&answer(200, r#"{"ok":true}"#, None)),
        Reading::Ok("null")
    ));

    let refusal = |answer: Answer| match read(&answer) {
        Reading::Refused(refusal) => refusal,
        Reading::Ok(result) => panic!("read as success: {result}"),
    };
    let flood = r#"{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}"#;
    assert_eq!(refusal(answer(429, flood, Some(9))).retry_after, Some(5));
    // A body without the number, or no body of the platform's at all: the header has it.
    assert_eq!(
        refusal(answer(429, r#"{"ok":false}"#, Some(9))).retry_after,
        Some(9)
    );
    assert_eq!(refusal(answer(429, "<html>", Some(9))).retry_after, Some(9));
    let cut = refusal(answer(200, r#"{"ok":true,"resu"#, None));
    assert_eq!((cut.status, cut.description), (200, None));
}
