//! What became of one question, judged by what its chat shows at the end.

use talaria_harness::chat::without_label;

/// How an answer ended up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whole {
    /// It is there, all of it.
    Yes,
    /// Something of it is there.
    Partly,
    /// Given up after three crashes, and the chat says so.
    GivenUp,
    /// Nothing is there.
    No,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub whole: Whole,
    /// Messages beside the answer of which one of the pair has the label.
    pub labelled_copies: usize,
    /// Messages beside the answer without any label.
    pub unlabelled_copies: usize,
    /// Messages with the label, whether or not there is a second one.
    pub labels: usize,
}

/// How the wording of P13 begins.
const GIVEN_UP: &str = "I had to give up";

/// Judges the messages of one answer, in the chat's order. Each paragraph of `markdown` begins with
/// a word of its own, so that what belongs together is known.
#[must_use]
pub fn judge(markdown: &str, shown: &[String]) -> Verdict {
    let parts: Vec<(&str, bool)> = shown.iter().map(|text| without_label(text)).collect();
    let labels = parts.iter().filter(|(_, label)| *label).count();
    let none = Verdict {
        whole: Whole::No,
        labelled_copies: 0,
        unlabelled_copies: 0,
        labels,
    };
    if parts.is_empty() {
        return none;
    }
    let Some(chosen) = subset(markdown, &parts) else {
        let given_up = parts.iter().any(|(text, _)| text.contains(GIVEN_UP));
        let whole = if given_up {
            Whole::GivenUp
        } else {
            Whole::Partly
        };
        return Verdict { whole, ..none };
    };
    let mut verdict = Verdict {
        whole: Whole::Yes,
        ..none
    };
    for (index, (text, label)) in parts.iter().enumerate() {
        if chosen & (1 << index) != 0 {
            continue;
        }
        let head = text.split_whitespace().next().unwrap_or_default();
        let twin = parts
            .iter()
            .enumerate()
            .any(|(other, (text, label))| other != index && *label && text.contains(head));
        if *label || twin {
            verdict.labelled_copies += 1;
        } else {
            verdict.unlabelled_copies += 1;
        }
    }
    verdict
}

/// The messages that are the answer, as bits.
fn subset(markdown: &str, parts: &[(&str, bool)]) -> Option<u32> {
    let count = u32::try_from(parts.len().min(12)).ok()?;
    let mut all: Vec<u32> = (1..1u32 << count).collect();
    // The most likely first: all of them, then all but one.
    all.sort_by_key(|bits| std::cmp::Reverse(bits.count_ones()));
    all.into_iter().find(|bits| {
        let chosen = parts
            .iter()
            .enumerate()
            .filter(|(index, _)| bits & (1 << index) != 0)
            .map(|(_, (text, _))| (*text).to_owned());
        talaria_oracle::equal(markdown, &chosen.collect::<Vec<_>>()).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(shown: &[&str]) -> (Whole, usize, usize) {
        let shown: Vec<String> = shown.iter().map(|text| (*text).to_owned()).collect();
        let verdict = judge("q1p0 one two\n\nq1p1 three four", &shown);
        (
            verdict.whole,
            verdict.labelled_copies,
            verdict.unlabelled_copies,
        )
    }

    #[test]
    fn copies_are_told_apart_by_their_label() {
        let whole = "q1p0 one two\n\nq1p1 three four";
        let label = format!("(This may be a repeat.)\n{whole}");
        assert_eq!(judged(&[whole]), (Whole::Yes, 0, 0));
        assert_eq!(judged(&[&label]), (Whole::Yes, 0, 0));
        assert_eq!(judged(&[whole, &label]), (Whole::Yes, 1, 0));
        assert_eq!(judged(&[whole, whole]), (Whole::Yes, 0, 1));
        assert_eq!(judged(&["q1p0 one", whole]), (Whole::Yes, 0, 1));
        assert_eq!(judged(&["q1p0 one", &label]), (Whole::Yes, 1, 0));
        assert_eq!(
            judged(&["q1p0 one two", "q1p1 three four"]),
            (Whole::Yes, 0, 0)
        );
        assert_eq!(judged(&["q1p0 one two"]), (Whole::Partly, 0, 0));
        assert_eq!(judged(&[]), (Whole::No, 0, 0));
    }
}
