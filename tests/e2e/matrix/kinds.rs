//! The kinds of answers: what is asked, what the model says, and what has to be read in the end.

use serde_json::json;
use talaria_emulators::anthropic::{Block, Matcher, Message, Place, Reply, Trouble};
use talaria_emulators::{FaultKind, FaultSpec};
use talaria_harness::setup::ANN;
use talaria_harness::{Rig, Setup};

/// More than any run asks for.
const ALWAYS: u32 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Short,
    ThreeParts,
    /// Two steps with a call each, then the answer.
    Tools,
    /// The model's first stream is cut.
    Cut,
    /// `/help`.
    Command,
    /// The draft had more parts than the answer.
    Withdrawn,
    /// The first create's answer is lost.
    Repeated,
}

impl Kind {
    pub(crate) const ALL: [Self; 7] = [
        Self::Short,
        Self::ThreeParts,
        Self::Tools,
        Self::Cut,
        Self::Command,
        Self::Withdrawn,
        Self::Repeated,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::ThreeParts => "three parts",
            Self::Tools => "two tool calls",
            Self::Cut => "stream cut once",
            Self::Command => "command",
            Self::Withdrawn => "parts withdrawn",
            Self::Repeated => "create unanswered",
        }
    }

    pub(crate) fn setup(self) -> Setup {
        let mut setup = crate::support::setup();
        setup.tokens_per_second = match self {
            Self::ThreeParts | Self::Withdrawn => 1200.0,
            Self::Short | Self::Tools | Self::Cut | Self::Command | Self::Repeated => 60.0,
        };
        setup
    }

    pub(crate) fn question(self) -> &'static str {
        match self {
            Self::Command => "/help",
            Self::Short
            | Self::ThreeParts
            | Self::Tools
            | Self::Cut
            | Self::Withdrawn
            | Self::Repeated => "Please answer",
        }
    }

    /// What has to be read after the question, as Markdown.
    pub(crate) fn markdown(self) -> String {
        match self {
            Self::Short | Self::Repeated => SHORT.to_owned(),
            Self::ThreeParts => long(3),
            Self::Tools => format!("{LOOKING}\n\n{AGAIN}\n\n{DONE}"),
            Self::Cut | Self::Withdrawn => WHOLE.to_owned(),
            Self::Command => talaria_core::wording::help(),
        }
    }

    /// A text that the model began and that is not part of the answer.
    pub(crate) fn dropped(self) -> Option<String> {
        (self == Self::Withdrawn).then(|| talaria_oracle::plain_text(&long(2)))
    }

    /// How many tools one undisturbed answer runs.
    pub(crate) fn tools(self) -> usize {
        if self == Self::Tools { 2 } else { 0 }
    }

    /// Whether the answer has a label even without a kill.
    pub(crate) fn labels(self) -> usize {
        usize::from(self == Self::Repeated)
    }

    /// What goes wrong, and what the model says: the same however often it is asked.
    pub(crate) fn prepare(self, rig: &Rig) {
        let model = rig.model();
        let say = |reply: Reply| model.script_times(Matcher::Any, ALWAYS, reply);
        match self {
            Self::Short => say(Reply::text(SHORT)),
            Self::Repeated => {
                rig.telegram()
                    .fault(FaultSpec::next("sendMessage", FaultKind::CutAfter).in_chat(ANN));
                say(Reply::text(SHORT));
            }
            Self::ThreeParts => say(Reply::text(&long(3))),
            Self::Tools => {
                let call = |text: &str, id: &str, expression: &str| {
                    let input = json!({ "expression": expression });
                    Message::blocks(vec![
                        Block::text(text),
                        Block::tool(id, "calculator", input),
                    ])
                };
                let has = |id: &str| Matcher::HasToolResult(id.to_owned());
                model.script_times(has("toolu_second"), ALWAYS, Reply::text(DONE));
                model.script_times(
                    has("toolu_first"),
                    ALWAYS,
                    call(AGAIN, "toolu_second", "6 * 7"),
                );
                model.script_times(Matcher::Any, ALWAYS, call(LOOKING, "toolu_first", "20 + 1"));
            }
            Self::Cut => {
                let cut = Place::Deltas {
                    block: 0,
                    deltas: 6,
                };
                model.script(
                    Matcher::Any,
                    Message::text(WHOLE).with_fault(cut, Trouble::Cut),
                );
                say(Reply::text(WHOLE));
            }
            Self::Withdrawn => {
                let text = long(2);
                let cut = Message::text(&text).with_fault(Place::BlockStop(0), Trouble::Cut);
                model.script(Matcher::Any, cut);
                say(Reply::text(WHOLE));
            }
            Self::Command => {}
        }
    }
}

const SHORT: &str = "The quick answer: bread needs **flour**, water, salt and time; most of it is time, and \
the rest is patience with the dough while it rests in a warm place near the window.";
const LOOKING: &str = "First I add twenty and one.";
const AGAIN: &str = "Then I multiply six by seven.";
const DONE: &str =
    "Both are done: the first is twenty-one, the second is forty-two, and nothing else is asked.";
const WHOLE: &str = "A whole answer after some trouble: it begins here, it goes on for a while so that a draft \
is shown on the way, and it ends here.";

/// A text of so many messages: numbered paragraphs, no two alike.
fn long(parts: usize) -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < (parts - 1) * 4096 + 1500 {
        number += 1;
        text.push_str(&format!(
            "Paragraph {number} of the long answer tells what happens on day {number}: the dough rises, \
             is folded {number} times, and rests again until the evening of that day.\n\n"
        ));
    }
    text
}
