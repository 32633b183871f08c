//! The scheduler with 200 conversations that wait: one poll, one look ahead, one renewed want.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use talaria_core::pacing::{CallScope, Class, Pacing, Request, Slot, SlotKey};
use talaria_types::{
    AccountId, CallKind, ChatId, Limit, Mono, Origin, Place, PlaceKind, PostId, ScopePart,
};

const CHATS: u32 = 200;

fn limits() -> Vec<Limit> {
    let limit = |scope: &[ScopePart], calls, seconds, burst, kept_for_sealed| Limit {
        scope: scope.to_vec(),
        kinds: vec![CallKind::Create, CallKind::Edit],
        calls,
        per: Duration::from_secs(seconds),
        burst,
        kept_for_sealed,
    };
    let chat = [ScopePart::Account, ScopePart::Chat];
    vec![
        limit(&chat, 1, 1, 3, 1),
        limit(&chat, 20, 60, 5, 2),
        limit(&[ScopePart::Account], 30, 1, 30, 5),
    ]
}

fn request(chat: u32) -> Request {
    let place = Place {
        account: AccountId::new("p:1"),
        kind: PlaceKind::Group,
        chat: ChatId::new(format!("-100{chat}")),
        thread: None,
    };
    let slot = Slot::Post(PostId {
        origin: Origin::default(),
        ordinal: 0,
    });
    Request {
        key: SlotKey {
            conversation: place.conversation(None),
            slot,
        },
        class: Class::Draft,
        kind: CallKind::Edit,
        scope: CallScope::new(&place, None),
        limits: limits(),
        not_before: None,
    }
}

/// Every conversation waits and the account's burst is used up.
fn busy() -> (Pacing, Mono) {
    let mut pacing = Pacing::new();
    let now = Mono(1_000_000);
    for chat in 0..CHATS {
        pacing.want(request(chat), now);
    }
    pacing.poll(now);
    for chat in 0..CHATS {
        pacing.want(request(chat), now);
    }
    (pacing, now)
}

fn bench(criterion: &mut Criterion) {
    let (pacing, now) = busy();
    let mut idle = pacing.clone();
    criterion.bench_function("poll, 200 wait, none may leave", |b| {
        b.iter(|| idle.poll(now))
    });
    criterion.bench_function("poll, 200 wait, one may leave", |b| {
        let at = pacing.next_at(now).unwrap_or(now);
        b.iter_batched_ref(
            || pacing.clone(),
            |pacing| pacing.poll(at),
            BatchSize::LargeInput,
        );
    });
    criterion.bench_function("next_at, 200 wait", |b| {
        b.iter(|| black_box(&pacing).next_at(now))
    });
    let mut renewed = pacing.clone();
    criterion.bench_function("want again, 200 wait", |b| {
        b.iter_batched(
            || request(7),
            |request| renewed.want(request, now),
            BatchSize::SmallInput,
        );
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
