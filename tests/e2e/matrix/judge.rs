//! The judgement of a row, from outside: the chat, the model server's requests, the tools' starts.

use std::collections::BTreeSet;

use talaria_emulators::anthropic::Outcome;
use talaria_harness::Trace;
use talaria_harness::chat::without_label;
use talaria_harness::setup::ANN;

use super::kinds::Kind;
use super::run::{Played, Target};

/// A row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) kind: Kind,
    pub(crate) point: String,
    pub(crate) occurrence: usize,
    /// Whether a create was on its way at the kill: its intent durable, its receipt not.
    pub(crate) create: bool,
    /// Whether the screen does not show the whole answer, once, in order.
    pub(crate) lost: usize,
    /// Further messages with (the beginning of) a part that is there already.
    pub(crate) unlabelled: usize,
    pub(crate) labelled: usize,
    /// Model requests after the restart whose response was journalled before the kill.
    pub(crate) asked_again: usize,
    /// Starts of tools beyond those that one answer needs. They are pure.
    pub(crate) tools_again: usize,
    /// The policy's end for a post whose repeat, too, may have been sent, or whose message can't be
    /// found to be removed: given up, and the operator is told.
    pub(crate) given_up: bool,
    pub(crate) problem: Option<String>,
}

/// A part of the answer as it is shown: its messages, told by a common beginning.
struct Part {
    text: String,
    plain: usize,
    labelled: usize,
}

pub(crate) fn judge(played: &Played, target: &Target) -> Row {
    let kind = played.kind;
    let mut texts = played.rig.texts_after(ANN, played.asked);
    // A label shows that the create's receipt was missing, if it may have been at all.
    let label = texts.iter().filter(|text| without_label(text).1).count() > kind.labels();
    let create =
        create_in_flight(&played.first, false) || label && create_in_flight(&played.first, true);
    let abandoned = create && take_dropped(kind, &mut texts);
    let parts = parts(&texts);
    let shown: Vec<String> = parts.iter().map(|part| part.text.clone()).collect();
    let difference = talaria_oracle::equal(&kind.markdown(), &shown).err();
    let (again, again_problem) = tools(played);
    let mut row = Row {
        kind,
        point: target.point.clone(),
        occurrence: target.occurrence,
        create,
        lost: usize::from(difference.is_some()),
        unlabelled: parts.iter().map(|part| part.plain.saturating_sub(1)).sum(),
        labelled: parts.iter().map(|part| part.labelled).sum(),
        asked_again: asked_again(played),
        tools_again: again,
        given_up: played.gave_up,
        problem: None,
    };
    let allowed = kind.labels() + usize::from(create);
    // What policy gives up has to be said: a second unknown create of one post, and a message of a
    // dropped text that nobody can find.
    let may_give_up = create && matches!(kind, Kind::Repeated | Kind::Withdrawn);
    row.problem = if row.given_up && !may_give_up {
        Some("the operator is told that a post was given up".to_owned())
    } else if abandoned && row.labelled == 0 && !row.given_up {
        Some(format!(
            "a message of a dropped text stays, and nobody is told: {texts:?}"
        ))
    } else if row.unlabelled > 0 || row.labelled > allowed {
        Some(format!("copies; shown: {texts:?}"))
    } else if let Some(difference) = difference.filter(|_| !row.given_up) {
        Some(format!("{difference}; shown: {texts:?}"))
    } else if row.asked_again > 0 {
        Some("a journalled response was asked for again".to_owned())
    } else {
        again_problem
    };
    row
}

/// Takes away a message of a text that was dropped: its create was on its way at the kill, so
/// nobody can say which message it made.
fn take_dropped(kind: Kind, texts: &mut Vec<String>) -> bool {
    let Some(dropped) = kind.dropped() else {
        return false;
    };
    let found = texts.iter().position(|text| {
        let line = text.lines().next().unwrap_or_default();
        !line.is_empty() && dropped.contains(line)
    });
    found.map(|index| texts.remove(index)).is_some()
}

fn parts(texts: &[String]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for text in texts {
        let (text, label) = without_label(text);
        let found = parts
            .iter_mut()
            .find(|part| same_beginning(&part.text, text));
        let part = match found {
            Some(part) => part,
            None => {
                parts.push(Part {
                    text: text.to_owned(),
                    plain: 0,
                    labelled: 0,
                });
                parts.last_mut().expect("just pushed")
            }
        };
        if text.len() > part.text.len() {
            text.clone_into(&mut part.text);
        }
        part.plain += usize::from(!label);
        part.labelled += usize::from(label);
    }
    parts
}

/// Whether one text begins as the other is, but for marks at its end.
fn same_beginning(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    long.starts_with(short.trim_end_matches(|c: char| !c.is_alphanumeric()))
}

/// Requests after the restart whose response was journalled before the kill, told by the hash of
/// their bodies.
fn asked_again(played: &Played) -> usize {
    let requests = played.rig.model().requests();
    let (before, after) = requests.split_at(played.requests.min(requests.len()));
    let journalled =
        played.first.count("commit:step:after") + played.first.count("commit:settle:after");
    let finished: BTreeSet<&str> = before
        .iter()
        .filter(|request| request.outcome == Outcome::Finished)
        .take(journalled)
        .map(|request| request.body_hash.as_str())
        .collect();
    after
        .iter()
        .filter(|request| finished.contains(request.body_hash.as_str()))
        .count()
}

/// Starts of tools beyond need; and whether one ran again whose result was journalled.
fn tools(played: &Played) -> (usize, Option<String>) {
    const START: &str = "work:tool:before";
    let needed = played.kind.tools();
    let (first, second) = (played.first.count(START), played.second.count(START));
    let journalled = played.first.count("commit:tool_finished:after");
    let problem = if first + second < needed {
        Some(format!("only {first} + {second} tools ran"))
    } else if second > needed.saturating_sub(journalled) {
        Some(format!(
            "{journalled} results were journalled, and {second} tools ran after that"
        ))
    } else {
        None
    };
    ((first + second).saturating_sub(needed), problem)
}

/// Whether a create was between its durable intent and its durable receipt when the process died.
/// The trace does not say whose a receipt is: where an edit was answered as well, it may be that
/// one's. `doubt` counts such a receipt as the edit's, and an intent from the moment that it was
/// handed in: another thread's kill may come between its sync and the next point.
fn create_in_flight(trace: &Trace, doubt: bool) -> bool {
    let (mut handed_in, mut intents) = (0, 0);
    let (mut answered, mut received, mut edits) = (0, 0, 0);
    for point in &trace.0 {
        match point.as_str() {
            "commit:intent:before" => handed_in += 1,
            "commit:intent:after" => intents += 1,
            "call:create:after" => answered += 1,
            "call:edit:after" | "call:delete:after" => edits += 1,
            "commit:receipt:after" if doubt && edits > 0 => edits = 0,
            "commit:receipt:after" if received < answered => received += 1,
            _ => {}
        }
    }
    let intents = if doubt {
        intents.max(handed_in)
    } else {
        intents
    };
    intents > received
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(texts: &[&str]) -> Vec<(String, usize, usize)> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let parts = parts(&texts).into_iter();
        parts
            .map(|part| (part.text, part.plain, part.labelled))
            .collect()
    }

    #[test]
    fn copies_are_counted_with_and_without_a_label() {
        let one = |text: &str, plain, labelled| (text.to_owned(), plain, labelled);
        assert_eq!(
            counted(&["a b", "c d"]),
            [one("a b", 1, 0), one("c d", 1, 0)]
        );
        assert_eq!(counted(&["a b", "a b"]), [one("a b", 2, 0)]);
        let label = "(This may be a repeat.)\na b c";
        assert_eq!(counted(&["a b c", label]), [one("a b c", 1, 1)]);
        assert_eq!(
            counted(&[label]),
            [one("a b c", 0, 1)],
            "it never came before"
        );
        assert_eq!(
            counted(&["a b", label]),
            [one("a b c", 1, 1)],
            "a fragment is a copy"
        );
        assert_eq!(
            counted(&["a…", "a b c"]),
            [one("a b c", 2, 0)],
            "with marks at its end too"
        );
        assert_eq!(counted(&["(🔁?)\na", "a"]), [one("a", 1, 1)]);
    }

    #[test]
    fn a_create_is_in_flight_from_its_intent_to_its_receipt() {
        let trace = |points: &[&str]| Trace(points.iter().map(|p| (*p).to_owned()).collect());
        let passed = |points: &[&str]| create_in_flight(&trace(points), false);
        let (intent, answer, receipt) = (
            "commit:intent:after",
            "call:create:after",
            "commit:receipt:after",
        );
        assert!(!passed(&["commit:start:after", "commit:intent:before"]));
        assert!(passed(&[intent]));
        assert!(passed(&[
            intent,
            "call:create:before",
            answer,
            "commit:receipt:before"
        ]));
        assert!(!passed(&[intent, answer, receipt]));
        assert!(
            passed(&[intent, answer, receipt, receipt, intent]),
            "a receipt of an edit"
        );
        assert!(
            passed(&[intent, receipt, answer]),
            "that receipt is another's"
        );
        let edited = [intent, "call:edit:after", answer, receipt];
        assert!(!passed(&edited));
        assert!(
            create_in_flight(&trace(&edited), true),
            "that receipt may be the edit's"
        );
        assert!(
            create_in_flight(&trace(&["commit:intent:before"]), true),
            "the commit may be durable"
        );
        let all = [&edited[..], &[receipt]].concat();
        assert!(!create_in_flight(&trace(&all), true));
    }
}
