use talaria_types::{Body, Button, CallKind, Entity, EntityKind, Fence, PostId};

use super::*;

every! { entity_kinds: EntityKind {
    EntityKind::Bold => EntityKind::Bold,
    EntityKind::Italic => EntityKind::Italic,
    EntityKind::Underline => EntityKind::Underline,
    EntityKind::Strikethrough => EntityKind::Strikethrough,
    EntityKind::Spoiler => EntityKind::Spoiler,
    EntityKind::Blockquote => EntityKind::Blockquote,
    EntityKind::ExpandableBlockquote => EntityKind::ExpandableBlockquote,
    EntityKind::Code => EntityKind::Code,
    EntityKind::Pre { .. } => EntityKind::Pre { language: Some("rust".to_owned()) },
    EntityKind::TextLink { .. } => EntityKind::TextLink { url: "https://example.org/".to_owned() },
}}

fn body() -> Body {
    let mut kinds = entity_kinds();
    kinds.push(EntityKind::Pre { language: None });
    let entity = |kind| Entity {
        kind,
        offset: 4,
        length: 5,
    };
    Body {
        text: "The whole answer 🦀".to_owned(),
        entities: kinds.into_iter().map(entity).collect(),
        buttons: vec![Button {
            label: "Approve".to_owned(),
            data: "approve:1".to_owned(),
        }],
    }
}

every! { wanteds: Wanted {
    Wanted::Live => Wanted::Live,
    Wanted::Sealed { .. } => Wanted::Sealed { rev: 3, body: body() },
    Wanted::Absent => Wanted::Absent,
}}

every! { calls: CallKind {
    CallKind::Create => CallKind::Create,
    CallKind::Complete => CallKind::Complete,
    CallKind::Edit => CallKind::Edit,
    CallKind::Append => CallKind::Append,
    CallKind::Close => CallKind::Close,
    CallKind::Delete => CallKind::Delete,
    CallKind::Prove => CallKind::Prove,
    CallKind::Signal => CallKind::Signal,
    CallKind::React => CallKind::React,
    CallKind::Answer => CallKind::Answer,
    CallKind::Upload => CallKind::Upload,
    CallKind::Read => CallKind::Read,
    CallKind::Setup => CallKind::Setup,
}}

every! { revs: Rev {
    Rev::Live => Rev::Live,
    Rev::Sealed(_) => Rev::Sealed(3),
    Rev::Unknown => Rev::Unknown,
}}

every! { phases: Phase {
    Phase::Open => Phase::Open,
    Phase::Closed => Phase::Closed,
}}

every! { whys: Gone {
    Gone::Removed => Gone::Removed,
    Gone::Lost => Gone::Lost,
}}

fn attempt(call: CallKind) -> Attempt {
    Attempt {
        fence: Fence {
            epoch: 4,
            number: 11,
        },
        call,
        rev: Rev::Sealed(3),
        lower_bound: None,
        body_hash: None,
        target: None,
        at: AT,
    }
}

every! { knowns: Known {
    Known::None => Known::None,
    Known::Staged { .. } => Known::Staged { reference: "F1".to_owned() },
    Known::Unresolved { .. } => Known::Unresolved {
        attempt: attempt(CallKind::Create),
        looks: 2,
        undecidable: true,
    },
    Known::Here { .. } => Known::Here {
        handle: handle("43"),
        phase: Phase::Closed,
        rev: Rev::Sealed(3),
    },
    Known::Gone { .. } => Known::Gone { why: Gone::Lost },
}}

every! { post_kinds: PostKind {
    PostKind::Answer => PostKind::Answer,
    PostKind::Command => PostKind::Command,
    PostKind::Status => PostKind::Status,
    PostKind::Approval => PostKind::Approval,
    PostKind::Notice => PostKind::Notice,
    PostKind::File => PostKind::File,
}}

every! { settlements: Settlement {
    Settlement::Delivered => Settlement::Delivered,
    Settlement::DeliveredUnseen => Settlement::DeliveredUnseen,
    Settlement::Withdrawn => Settlement::Withdrawn,
    Settlement::RemovedBySomeone => Settlement::RemovedBySomeone,
    Settlement::Refused { .. } => Settlement::Refused { reason: "the bot was kicked".to_owned() },
    Settlement::Unresolved => Settlement::Unresolved,
    Settlement::Expired => Settlement::Expired,
    Settlement::GivenUp => Settlement::GivenUp,
}}

fn post() -> PostRecord {
    PostRecord::new(
        PostId {
            origin: SEQ,
            ordinal: 1,
        },
        conversation(),
        place(PlaceKind::Direct),
        PostKind::Answer,
        9,
        Wanted::Live,
        AT,
    )
}

fn full_post() -> PostRecord {
    PostRecord {
        place: place(PlaceKind::Group),
        reply_to: Some(MessageId::new("42")),
        incarnation: 1,
        wanted: Wanted::Sealed {
            rev: 3,
            body: body(),
        },
        known: Known::Here {
            handle: handle("43"),
            phase: Phase::Closed,
            rev: Rev::Sealed(2),
        },
        attempt: Some(Attempt {
            lower_bound: Some(MessageId::new("42")),
            body_hash: Some("cbf29ce484222325".to_owned()),
            target: Some(handle("41")),
            ..attempt(CallKind::Delete)
        }),
        extra: vec![handle("41"), handle("44")],
        acknowledged: Some(2),
        labelled: true,
        plainer: true,
        recreated: true,
        recoveries: 2,
        settled: Some(Settled {
            at: AT,
            how: Settlement::Delivered,
        }),
        ..post()
    }
}

pub(super) fn all() -> Vec<Example> {
    let mut examples = vec![example("full", &full_post()), example("minimal", &post())];
    let mut with = |name: &str, change: &dyn Fn(&mut PostRecord)| {
        let mut record = post();
        change(&mut record);
        examples.push(example(name, &record));
    };
    for kind in post_kinds() {
        with("kind", &|post| post.kind = kind);
    }
    for wanted in wanteds() {
        with("wanted", &|post| post.wanted = wanted.clone());
    }
    for known in knowns() {
        with("known", &|post| post.known = known.clone());
    }
    for phase in phases() {
        for rev in revs() {
            let handle = handle("43");
            let known = Known::Here { handle, phase, rev };
            with("here", &|post| post.known = known.clone());
        }
    }
    for why in whys() {
        with("gone", &|post| post.known = Known::Gone { why });
    }
    for call in calls() {
        with("attempt", &|post| post.attempt = Some(attempt(call)));
    }
    for how in settlements() {
        let at = AT;
        with("settled", &|post| {
            let how = how.clone();
            post.settled = Some(Settled { at, how });
        });
    }
    examples
}
