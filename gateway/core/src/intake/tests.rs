use talaria_ledger::store::{Batch, LedgerId, MemoryStore};
use talaria_types::UserId;

use super::*;
use crate::testing::{BEGIN, account, text};

struct Gate {
    store: MemoryStore,
    access: AccessTable,
    next: u64,
    now: u64,
}

impl Gate {
    fn new() -> Self {
        Self {
            store: MemoryStore::new(LedgerId([1; 16])),
            access: AccessTable {
                allow: [UserId::new("u")].into(),
                ..AccessTable::default()
            },
            next: 0,
            now: BEGIN,
        }
    }

    fn plan(&mut self, events: Vec<Inbound>) -> Plan {
        let door = Door {
            store: &self.store,
            account: &account(),
            access: &self.access,
            now: Wall(self.now),
        };
        let received = events
            .into_iter()
            .map(|inbound| Received::Inbound(Box::new(inbound)))
            .collect();
        let next = &mut self.next;
        let mut seq = || {
            *next += 1;
            Seq(*next)
        };
        plan(&door, received, None, &mut seq, &mut || "CODE".to_owned()).unwrap()
    }

    #[expect(clippy::disallowed_methods, reason = "a test has no choke points")]
    fn commit(&mut self, plan: &Plan) -> Result<(), talaria_ledger::store::CommitError> {
        let batch = Batch {
            preconditions: plan.changes.preconditions.clone(),
            puts: plan.changes.puts.clone(),
            removes: plan.changes.removes.clone(),
            ..Batch::new(self.store.open_epoch(account().as_str())?)
        };
        talaria_ledger::store::commit_blocking(&self.store, batch).map(|_durable| ())
    }
}

#[test]
fn p2_a_duplicate_is_known_by_any_of_its_names() {
    let mut gate = Gate::new();
    let first = gate.plan(vec![text(1, "a"), text(1, "a")]);
    assert_eq!(
        (first.accepted.len(), first.duplicates),
        (1, 1),
        "in one delivery"
    );
    gate.commit(&first).unwrap();
    let mut renamed = text(1, "a");
    renamed.key = InboundKey::new("other");
    let mut by_alias = text(9, "a");
    by_alias.aliases = vec![InboundKey::new("new:1")];
    let mut as_alias = text(8, "a");
    as_alias.key = InboundKey::new("alias:1");
    for (what, inbound) in [
        ("key", text(1, "a")),
        ("alias", renamed),
        ("key as alias", by_alias),
        ("alias as key", as_alias),
    ] {
        let plan = gate.plan(vec![inbound]);
        assert_eq!((plan.accepted.len(), plan.duplicates), (0, 1), "{what}");
        assert!(plan.changes.is_empty());
    }
}

#[test]
fn p2_of_two_deliveries_that_race_the_store_takes_one() {
    let mut gate = Gate::new();
    let (one, other) = (gate.plan(vec![text(1, "a")]), gate.plan(vec![text(1, "a")]));
    gate.commit(&one).unwrap();
    assert!(gate.commit(&other).is_err());
}

#[test]
fn p12_a_stranger_leaves_a_counter_and_gets_a_code_once_an_hour() {
    let mut gate = Gate::new();
    let mut inbound = text(1, "let me in");
    inbound.sender.id = UserId::new("stranger");
    let first = gate.plan(vec![inbound.clone(), inbound.clone()]);
    assert_eq!(
        (first.accepted.len(), first.refused, first.notices.len()),
        (0, 2, 1)
    );
    let tombstone = keys::inbound(&account(), &inbound.key);
    assert!(first.changes.puts.iter().all(|(key, _)| *key != tombstone));
    gate.commit(&first).unwrap();
    let soon = gate.plan(vec![inbound.clone()]);
    assert!(soon.notices.is_empty() && soon.changes.is_empty());
    gate.now += 3_600_000;
    assert_eq!(gate.plan(vec![inbound]).notices.len(), 1);
}

#[test]
fn bots_are_not_answered() {
    let mut gate = Gate::new();
    let mut inbound = text(1, "beep");
    inbound.sender.is_bot = true;
    let plan = gate.plan(vec![inbound]);
    assert!(plan.accepted.is_empty() && plan.changes.is_empty());
}
