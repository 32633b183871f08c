//! What a run of kills found, and what is needed to look into a fault.

use std::collections::BTreeMap;

use talaria_emulators::anthropic::RequestLog;

use super::{Kind, Options, Question, Run, shown, verdict};
use crate::latency::requests;
use crate::table::{Table, ms};
use crate::verdict::{Verdict, Whole};

impl Run {
    /// The section, and whether the promises were kept.
    pub(super) fn report(&self, options: &Options) -> (String, bool) {
        let requests = requests(&self.rig.model());
        let mut table = Table::new([
            "questions",
            "number",
            "model requests (least)",
            "lost",
            "truncated or stale",
            "given up, said so",
            "copies without a label",
            "copies with a label",
            "asked again after the answer was seen",
        ]);
        let kinds = [
            ("short", Some(Kind::Short)),
            ("three parts", Some(Kind::ThreeParts)),
            ("with a tool", Some(Kind::Tool)),
            ("slow", Some(Kind::Slow)),
        ];
        for (name, kind) in kinds {
            table.row(self.tally(kind, &requests).row(name));
        }
        let all = self.tally(None, &requests);
        table.row(all.row("all"));
        for question in &self.questions {
            let verdict = verdict(&self.telegram, question);
            if verdict.whole != Whole::Yes || verdict.unlabelled_copies > 0 {
                self.explain(question, &verdict);
            }
        }
        let hit = self.questions.iter().filter(|question| question.kills > 0);
        let refused = crate::load::refused(&self.telegram, 0);
        self.explain_refusals();
        let text = format!(
            "## kills\n\n{} SIGKILLs at random moments (seed {}), {} chats; {} questions were open at a kill; {refused} calls answered 429.\n\n{}\nFrom the start after a kill to the first poll: median {:.0} ms, most {:.0} ms. From a question that was hit to its whole answer: median {:.1} s, most {:.1} s.\n",
            options.kills,
            options.seed,
            options.chats,
            hit.count(),
            table.markdown(),
            self.to_poll.median(),
            self.to_poll.max(),
            self.to_whole.median(),
            self.to_whole.max(),
        );
        (text, all.is_good())
    }

    fn tally(&self, kind: Option<Kind>, requests: &BTreeMap<usize, Vec<RequestLog>>) -> Tally {
        let mut tally = Tally::default();
        let of_kind = |question: &&Question| kind.is_none_or(|kind| question.kind == kind);
        for question in self.questions.iter().filter(of_kind) {
            let verdict = verdict(&self.telegram, question);
            let requests = requests.get(&question.asked.number);
            let requests = requests.map(Vec::as_slice).unwrap_or_default();
            let late = |at: u64| question.whole_us.is_some_and(|whole| at > whole);
            tally.questions += 1;
            tally.requests += requests.len();
            tally.least += 1 + usize::from(question.kind == Kind::Tool);
            tally.again += requests.iter().filter(|r| late(r.at_us)).count();
            tally.unlabelled += verdict.unlabelled_copies;
            tally.labelled += verdict.labelled_copies;
            match verdict.whole {
                Whole::Yes => {}
                Whole::No => tally.lost += 1,
                Whole::Partly => tally.partly += 1,
                Whole::GivenUp => tally.given_up += 1,
            }
        }
        tally
    }

    /// Each refused call with what came for its chat before, in seconds around it.
    fn explain_refusals(&self) {
        let calls = self.telegram.calls();
        for refused in calls.iter().filter(|call| call.status == 429) {
            let around = |at_us: u64| ms(refused.at_us, at_us) / 1000.0;
            let before: Vec<String> = calls
                .iter()
                .filter(|call| call.chat == refused.chat && call.number < refused.number)
                .filter(|call| around(call.at_us) > -6.0)
                .map(|call| {
                    format!(
                        "{} {:.3} ({})",
                        call.method,
                        around(call.at_us),
                        call.status
                    )
                })
                .collect();
            let kills: Vec<String> = self
                .killed_us
                .iter()
                .map(|at| around(*at))
                .filter(|at| (-6.0..0.0).contains(at))
                .map(|at| format!("{at:.3}"))
                .collect();
            eprintln!(
                "refused: {} in {:?} ({:?}); kills {kills:?}; before: {before:?}",
                refused.method, refused.chat, refused.description
            );
        }
    }

    fn explain(&self, question: &Question, verdict: &Verdict) {
        let heads: Vec<String> = shown(&self.telegram, question)
            .iter()
            .map(|text| format!("{:.60}… ({})", text, text.len()))
            .collect();
        eprintln!(
            "question {} ({:?}, {} kills, chat {}): {verdict:?}: {heads:#?}",
            question.asked.number, question.kind, question.kills, question.asked.user
        );
    }
}

/// What became of the questions of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    questions: usize,
    requests: usize,
    /// So many requests there are without a kill.
    least: usize,
    lost: usize,
    partly: usize,
    given_up: usize,
    unlabelled: usize,
    labelled: usize,
    /// Requests for a question whose answer had been seen whole.
    again: usize,
}

impl Tally {
    fn is_good(&self) -> bool {
        self.lost + self.partly + self.unlabelled + self.again == 0
            && self.questions > 0
            && self.requests >= self.least
    }

    fn row(&self, name: &str) -> Vec<String> {
        vec![
            name.to_owned(),
            self.questions.to_string(),
            format!("{} ({})", self.requests, self.least),
            self.lost.to_string(),
            self.partly.to_string(),
            self.given_up.to_string(),
            self.unlabelled.to_string(),
            self.labelled.to_string(),
            self.again.to_string(),
        ]
    }
}
