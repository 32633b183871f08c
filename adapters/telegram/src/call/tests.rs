use serde_json::{Value, json};
use talaria_types::{
    AccountId, Action, Body, Button, CallKind, Certainty, ChatId, Command, Entity, EntityKind,
    FailureKind, Fence, Handle, MessageId, Place, PlaceKind, PlatformCall, PostId, Seq, Signal,
    ThreadId, WireKey,
};

use super::{decode, encode};
use crate::http::{Answer, Lost};

fn call(action: Action) -> PlatformCall {
    PlatformCall {
        place: Place {
            account: AccountId::new("telegram:900100"),
            kind: PlaceKind::Direct,
            chat: ChatId::new("5001"),
            thread: None,
        },
        fence: Fence {
            epoch: 1,
            number: 1,
        },
        action,
    }
}

fn key() -> WireKey {
    WireKey::new(
        [1; 4],
        PostId {
            origin: Seq(7),
            ordinal: 0,
        },
        0,
    )
}

fn handle() -> Handle {
    Handle {
        chat: ChatId::new("5001"),
        message: MessageId::new("43"),
    }
}

fn create(body: Body) -> PlatformCall {
    call(Action::Create {
        key: key(),
        body,
        reply_to: None,
    })
}

/// Method and body of a call's request, without the fields that are not set.
fn sent(call: &PlatformCall) -> (String, Value) {
    let request = encode(call).unwrap();
    let mut body: Value = serde_json::from_slice(&request.body).unwrap();
    body.as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    (request.method, body)
}

fn answer(status: u16, body: &Value) -> Result<Answer, Lost> {
    Ok(Answer {
        status,
        retry_after: None,
        body: body.to_string().into_bytes(),
    })
}

#[test]
fn a_create_has_text_entities_and_no_preview() {
    let body = Body {
        text: "Hi 🙂 all".into(),
        entities: vec![Entity {
            kind: EntityKind::Bold,
            offset: 6,
            length: 3,
        }],
        buttons: vec![],
    };
    let (method, sent) = sent(&create(body));
    assert_eq!(method, "sendMessage");
    assert_eq!(
        sent,
        json!({
            "chat_id": 5001,
            "text": "Hi 🙂 all",
            "entities": [{"type": "bold", "offset": 6, "length": 3}],
            "link_preview_options": {"is_disabled": true},
        })
    );
}

#[test]
fn a_create_answers_its_question_in_its_topic_with_its_buttons() {
    let body = Body {
        text: "Run it?".into(),
        entities: vec![],
        buttons: vec![Button {
            label: "Run".into(),
            data: "ok:7f3a".into(),
        }],
    };
    let mut call = call(Action::Create {
        key: key(),
        body,
        reply_to: Some(MessageId::new("42")),
    });
    call.place.thread = Some(ThreadId::new("17"));
    let (_, sent) = sent(&call);
    assert_eq!(sent["message_thread_id"], 17);
    assert_eq!(
        sent["reply_parameters"],
        json!({"message_id": 42, "allow_sending_without_reply": true})
    );
    assert_eq!(
        sent["reply_markup"],
        json!({"inline_keyboard": [[{"text": "Run", "callback_data": "ok:7f3a"}]]})
    );
}

#[test]
fn an_edit_keeps_the_buttons_it_is_given_and_no_others() {
    let with = Body {
        text: "a".into(),
        entities: vec![],
        buttons: vec![Button {
            label: "Run".into(),
            data: "x".into(),
        }],
    };
    let (method, with) = sent(&call(Action::Edit {
        handle: handle(),
        body: with,
    }));
    assert_eq!(method, "editMessageText");
    assert_eq!(
        (&with["chat_id"], &with["message_id"]),
        (&json!(5001), &json!(43))
    );
    assert!(with.get("reply_markup").is_some());
    let (_, without) = sent(&call(Action::Edit {
        handle: handle(),
        body: Body::plain("a"),
    }));
    assert!(without.get("reply_markup").is_none());
}

#[test]
fn the_other_calls_have_their_methods() {
    let (method, body) = sent(&call(Action::Delete { handle: handle() }));
    assert_eq!(method, "deleteMessage");
    assert_eq!(body, json!({"chat_id": 5001, "message_id": 43}));

    let (method, body) = sent(&call(Action::Signal(Signal::Typing)));
    assert_eq!(method, "sendChatAction");
    assert_eq!(body, json!({"chat_id": 5001, "action": "typing"}));

    let answer = Action::Answer {
        interaction: "4382b".into(),
        text: Some("é".repeat(300)),
    };
    let (method, body) = sent(&call(answer));
    assert_eq!(method, "answerCallbackQuery");
    assert_eq!(
        body,
        json!({"callback_query_id": "4382b", "text": "é".repeat(200)})
    );

    let (method, body) = sent(&call(Action::Setup {
        commands: Command::ALL.to_vec(),
    }));
    assert_eq!(method, "setMyCommands");
    assert_eq!(body["scope"], json!({"type": "all_private_chats"}));
    let names: Vec<_> = body["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["command"])
        .collect();
    assert_eq!(names, ["start", "new", "stop", "status", "help"]);
}

#[test]
fn what_the_platform_has_not_is_unsupported() {
    let body = Body::plain("x");
    for action in [
        Action::Complete {
            key: key(),
            staged: "s".into(),
        },
        Action::Append {
            handle: handle(),
            delta: body.clone(),
        },
        Action::Close {
            handle: handle(),
            body: Some(body),
        },
        Action::Prove {
            key: key(),
            lower_bound: None,
        },
        Action::React {
            handle: handle(),
            emoji: None,
        },
        Action::Upload {
            key: key(),
            name: "a.txt".into(),
        },
        Action::Read { after: None },
    ] {
        let kind = action.kind();
        let failure = encode(&call(action)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unsupported, "{}", kind.name());
        assert_eq!(failure.certainty, Certainty::NotSent);
    }
}

#[test]
fn ids_that_are_no_numbers_are_refused_before_anything_is_sent() {
    let wrong = Handle {
        chat: ChatId::new("@ops"),
        message: MessageId::new("43"),
    };
    let failure = encode(&call(Action::Delete { handle: wrong })).unwrap_err();
    assert_eq!(
        (failure.certainty, failure.kind),
        (Certainty::NotSent, FailureKind::Refused)
    );
}

#[test]
fn a_created_message_is_its_id_whatever_else_the_answer_holds() {
    let request = encode(&create(Body::plain("x"))).unwrap();
    let made = json!({"ok": true, "result": {"message_id": 77, "chat": "of a newer form"}});
    let receipt = decode(&request.purpose, &answer(200, &made)).unwrap();
    let expected = Handle {
        chat: ChatId::new("5001"),
        message: MessageId::new("77"),
    };
    assert_eq!(receipt.handle, Some(expected));
}

#[test]
fn a_create_without_an_id_was_sent() {
    let request = encode(&create(Body::plain("x"))).unwrap();
    for made in [
        json!({"ok": true, "result": {}}),
        json!({"ok": true, "result": true}),
        json!({"ok": true}),
    ] {
        let failure = decode(&request.purpose, &answer(200, &made)).unwrap_err();
        assert_eq!(failure.certainty, Certainty::Sent, "{made}");
    }
}

#[test]
fn an_edit_and_a_delete_give_their_message_back() {
    let done = answer(200, &json!({"ok": true, "result": true}));
    let same = answer(
        400,
        &json!({"ok": false, "error_code": 400, "description": "Bad Request: message is not modified: specified new message content and reply markup are exactly the same"}),
    );
    for outcome in [&done, &same] {
        let request = encode(&call(Action::Edit {
            handle: handle(),
            body: Body::plain("x"),
        }))
        .unwrap();
        assert_eq!(
            decode(&request.purpose, outcome).unwrap().handle,
            Some(handle())
        );
    }
    let request = encode(&call(Action::Delete { handle: handle() })).unwrap();
    assert_eq!(
        decode(&request.purpose, &done).unwrap().handle,
        Some(handle())
    );
    assert_eq!(request.purpose.kind, CallKind::Delete);
}

#[test]
fn a_cut_answer_may_have_sent_it() {
    let request = encode(&create(Body::plain("x"))).unwrap();
    let cut = Ok(Answer {
        status: 200,
        retry_after: None,
        body: br#"{"ok":true,"res"#.to_vec(),
    });
    let failure = decode(&request.purpose, &cut).unwrap_err();
    assert_eq!(failure.certainty, Certainty::MaybeSent);
    let lost = Err(Lost::NotSent {
        detail: "refused".into(),
    });
    assert_eq!(
        decode(&request.purpose, &lost).unwrap_err().certainty,
        Certainty::NotSent
    );
}
