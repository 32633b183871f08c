//! The writer on an engine that the test controls: groups, the deadline, failures, closing.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex};
use std::time::Instant;

use super::super::engine::Changes;
use super::super::{Class, Space};
use super::*;

const LONG: Duration = Duration::from_secs(60);

/// What the engine does at a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Work,
    /// Stays in the sync until the mode changes.
    Stall,
    Fail,
    Panic,
}

#[derive(Debug)]
struct Control {
    state: Mutex<(Mode, Seen)>,
    changed: Condvar,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    syncs: usize,
    /// Whether the writer is inside a sync.
    inside: bool,
    entries: BTreeMap<Key, Value>,
    epochs: BTreeMap<String, u64>,
    dropped: bool,
}

impl Control {
    fn new(mode: Mode) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new((mode, Seen::default())),
            changed: Condvar::new(),
        })
    }

    fn set(&self, mode: Mode) {
        self.state.lock().unwrap().0 = mode;
        self.changed.notify_all();
    }

    fn seen(&self) -> Seen {
        self.state.lock().unwrap().1.clone()
    }

    /// Waits for a condition, with a deadline.
    fn wait_until(&self, condition: impl Fn(&Seen) -> bool) {
        let state = self.state.lock().unwrap();
        let waited = self
            .changed
            .wait_timeout_while(state, LONG, |(_, seen)| !condition(seen));
        assert!(
            !waited.unwrap().1.timed_out(),
            "the condition did not come true"
        );
    }

    fn change<T>(&self, change: impl FnOnce(&mut Seen) -> T) -> T {
        let result = change(&mut self.state.lock().unwrap().1);
        self.changed.notify_all();
        result
    }
}

struct Puppet(Arc<Control>);

impl Drop for Puppet {
    fn drop(&mut self) {
        self.0.change(|seen| seen.dropped = true);
    }
}

impl Engine for Puppet {
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StoreError> {
        Ok(self.0.seen().entries.get(key).cloned())
    }
    fn contains(&self, key: &[u8]) -> Result<bool, StoreError> {
        Ok(self.get(key)?.is_some())
    }
    fn scan(&self, _: &[u8], _: Option<&[u8]>, _: usize) -> Result<Page, StoreError> {
        Err(StoreError::Damaged {
            reason: "scan".to_owned(),
        })
    }
    fn epoch(&self, account: &str) -> Result<u64, StoreError> {
        Ok(self.0.seen().epochs.get(account).copied().unwrap_or(0))
    }
    fn space(&self) -> Result<Space, StoreError> {
        Ok(Space {
            free: 1,
            low_water: 0,
            used: 0,
        })
    }
    fn apply(&mut self, changes: &Changes) -> Result<(), StoreError> {
        self.0.change(|seen| {
            for (key, value) in &changes.entries {
                match value {
                    Some(value) => seen.entries.insert(key.clone(), value.clone()),
                    None => seen.entries.remove(key),
                };
            }
            seen.epochs.extend(changes.epochs.clone());
        });
        Ok(())
    }
    fn sync(&mut self) -> Result<(), StoreError> {
        self.0
            .change(|seen| (seen.inside, seen.syncs) = (true, seen.syncs + 1));
        let state = self.0.state.lock().unwrap();
        let mode = self
            .0
            .changed
            .wait_while(state, |(mode, _)| *mode == Mode::Stall)
            .unwrap()
            .0;
        self.0.change(|seen| seen.inside = false);
        match mode {
            Mode::Work | Mode::Stall => Ok(()),
            Mode::Fail => Err(StoreError::Io {
                action: "syncing",
                reason: "no disk".to_owned(),
            }),
            Mode::Panic => panic!("the engine's panic, asked for by the test"),
        }
    }
}

fn start(deadline: Duration) -> (Arc<Control>, Writer, Epoch) {
    let control = Control::new(Mode::Work);
    let writer = Writer::start(Puppet(Arc::clone(&control)), deadline).unwrap();
    let epoch = writer.open_epoch("a").unwrap();
    (control, writer, epoch)
}

type Answer = mpsc::Receiver<Result<Durable, CommitError>>;

fn submit(writer: &Writer, batch: Batch) -> Answer {
    let (sender, receiver) = mpsc::channel();
    writer.submit(batch, Box::new(move |result| sender.send(result).unwrap()));
    receiver
}

fn answer(answer: &Answer) -> Result<Durable, CommitError> {
    answer.recv_timeout(LONG).unwrap()
}

/// A writer that stands in the sync of a first commit, with more queued behind it.
fn stalled(deadline: Duration) -> (Arc<Control>, Writer, Vec<Answer>) {
    let (control, writer, epoch) = start(deadline);
    control.set(Mode::Stall);
    let mut answers = vec![submit(&writer, Batch::new(epoch.clone()).put("0", ""))];
    control.wait_until(|seen| seen.inside);
    for n in 1..9 {
        answers.push(submit(
            &writer,
            Batch::new(epoch.clone()).put(n.to_string(), ""),
        ));
    }
    (control, writer, answers)
}

#[test]
fn what_queues_up_during_a_sync_is_one_group() {
    let (control, writer, answers) = stalled(LONG);
    let before = control.seen().syncs;
    assert!(
        answers.iter().all(|answer| answer.try_recv().is_err()),
        "answered before its sync"
    );
    control.set(Mode::Work);
    assert!(answers.iter().all(|a| answer(a).is_ok()));
    assert_eq!(control.seen().syncs, before + 1);
    assert_eq!(writer.failure(), None);
}

#[test]
fn a_refusal_waits_for_the_sync_of_what_it_rests_on() {
    use super::super::Precondition::Absent;
    let (control, writer, epoch) = start(LONG);
    control.set(Mode::Stall);
    let first = submit(&writer, Batch::new(epoch.clone()).put("0", ""));
    control.wait_until(|seen| seen.inside);
    let claim = || {
        Batch::new(epoch.clone())
            .require(Absent(b"k".to_vec()))
            .put("k", "")
    };
    let (original, duplicate) = (submit(&writer, claim()), submit(&writer, claim()));
    let syncs = control.seen().syncs;
    control.set(Mode::Fail);
    assert!(answer(&first).is_err());
    assert!(matches!(answer(&original), Err(CommitError::Failed(_))));
    // Never "duplicate": the original is not durable.
    assert!(matches!(answer(&duplicate), Err(CommitError::Failed(_))));
    assert_eq!(control.seen().syncs, syncs);
}

#[test]
fn a_group_that_changes_nothing_is_not_synced() {
    let (control, writer, epoch) = start(LONG);
    let syncs = control.seen().syncs;
    assert!(answer(&submit(&writer, Batch::new(epoch.clone()))).is_ok());
    let fenced = Epoch { number: 9, ..epoch };
    assert!(answer(&submit(&writer, Batch::new(fenced).put("k", ""))).is_err());
    assert_eq!(writer.get(b"k"), Ok(None));
    assert_eq!(control.seen().syncs, syncs);
}

#[test]
fn p11_the_deadline_answers_everyone_and_finishes_the_store() {
    let deadline = Duration::from_millis(50);
    let (control, writer, answers) = stalled(deadline);
    let hung = StoreError::Hung(deadline);
    for open in &answers {
        assert_eq!(answer(open), Err(CommitError::Failed(hung.clone())));
    }
    // The engine comes back: too late, nobody is answered twice, and nothing new is taken.
    control.set(Mode::Work);
    control.wait_until(|seen| seen.dropped);
    assert!(answers.iter().all(|answer| answer.try_recv().is_err()));
    assert_eq!(writer.failure(), Some(hung.clone()));
    assert_eq!(writer.get(b"0"), Err(hung.clone()));
    assert_eq!(writer.open_epoch("a"), Err(CommitError::Failed(hung)));
}

#[test]
fn a_read_behind_a_hung_commit_is_answered_too() {
    let deadline = Duration::from_millis(50);
    let (control, writer, _answers) = stalled(deadline);
    assert_eq!(writer.get(b"0"), Err(StoreError::Hung(deadline)));
    control.set(Mode::Work);
}

#[test]
fn the_deadline_counts_from_each_submit() {
    // Many commits over several deadlines, none of them slow: the watchdog stays quiet.
    let deadline = Duration::from_millis(40);
    let (_control, writer, epoch) = start(deadline);
    #[expect(clippy::disallowed_methods, reason = "the test spans real deadlines")]
    let began = Instant::now();
    while began.elapsed() < deadline * 4 {
        assert!(answer(&submit(&writer, Batch::new(epoch.clone()).put("k", ""))).is_ok());
    }
    assert_eq!(writer.failure(), None);
}

#[test]
fn p11_an_engine_error_is_final() {
    let (control, writer, answers) = stalled(LONG);
    control.set(Mode::Fail);
    let failure = StoreError::Io {
        action: "syncing",
        reason: "no disk".to_owned(),
    };
    for open in &answers {
        assert_eq!(answer(open), Err(CommitError::Failed(failure.clone())));
    }
    control.set(Mode::Work);
    assert_eq!(writer.get(b"0"), Err(failure));
}

#[test]
fn p11_a_panic_of_the_writer_is_final() {
    let (control, writer, answers) = stalled(LONG);
    control.set(Mode::Panic);
    for open in &answers {
        assert_eq!(answer(open), Err(CommitError::Failed(StoreError::Panicked)));
    }
    control.wait_until(|seen| seen.dropped);
    assert_eq!(writer.failure(), Some(StoreError::Panicked));
}

#[test]
fn an_error_of_a_read_is_final_and_answers_that_read() {
    let (_control, writer, epoch) = start(LONG);
    let damaged = StoreError::Damaged {
        reason: "scan".to_owned(),
    };
    assert_eq!(writer.scan(b"", None, 1), Err(damaged.clone()));
    let result = answer(&submit(&writer, Batch::new(epoch)));
    assert_eq!(result, Err(CommitError::Failed(damaged)));
}

#[test]
fn closing_commits_what_is_queued_and_closes_the_engine() {
    let (control, writer, answers) = stalled(LONG);
    std::thread::scope(|scope| {
        let closing = scope.spawn(|| drop(writer));
        control.set(Mode::Work);
        closing.join().unwrap();
    });
    assert!(answers.iter().all(|a| answer(a).is_ok()));
    assert!(control.seen().dropped);
}

#[test]
fn closing_does_not_wait_for_a_hung_engine_for_ever() {
    let (control, writer, answers) = stalled(Duration::from_millis(50));
    drop(writer);
    assert!(!control.seen().dropped, "left behind");
    assert!(answers.iter().all(|a| answer(a).is_err()));
    control.set(Mode::Work);
    control.wait_until(|seen| seen.dropped);
}

#[test]
fn an_answer_may_own_the_store() {
    let (control, writer, epoch) = start(LONG);
    let writer = Arc::new(writer);
    let owner = Arc::clone(&writer);
    let (sender, receiver) = mpsc::channel();
    control.set(Mode::Stall);
    let done: Done = Box::new(move |result| {
        drop(owner);
        sender.send(result).unwrap();
    });
    writer.submit(
        Batch {
            class: Class::Intake,
            ..Batch::new(epoch)
        }
        .put("k", ""),
        done,
    );
    control.wait_until(|seen| seen.inside);
    drop(writer);
    control.set(Mode::Work);
    assert!(answer(&receiver).is_ok());
    control.wait_until(|seen| seen.dropped);
}
