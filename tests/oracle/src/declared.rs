//! What a renderer may change about a text.

/// A transformation that is no difference.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    pub what: &'static str,
    pub why: &'static str,
}

/// Everything that [`crate::equal`] accepts beside equal words in equal order.
pub const DECLARED: &[Declared] = &[
    Declared {
        what: "white space between words and blocks is any white space; between messages none",
        why: "platforms trim messages, and a message's end is the gap",
    },
    Declared {
        what: "trailing white space and blank lines in code are not compared; indentation is",
        why: "platforms trim the end of messages; indentation is content",
    },
    Declared {
        what: "a bullet is one of • ◦ ▪ - *",
        why: "platforms without lists show a sign",
    },
    Declared {
        what: "a number may be higher than its list says",
        why: "models do not indent the bullets under numbered steps, which ends the list for a \
              parser; readers expect 1, 2, 3",
    },
    Declared {
        what: "a task's box is ☐ or ☑, with or without a bullet",
        why: "platforms without task lists show a sign",
    },
    Declared {
        what: "markers of lists that are nested deeper than 16 may be missing",
        why: "a renderer bounds its depth against hostile texts",
    },
    Declared {
        what: "a rule is a word of at least three of ─ - * _",
        why: "platforms without rules show a line",
    },
    Declared {
        what: "table cells stand between bars, the header above a line",
        why: "platforms without tables show them in monospace",
    },
    Declared {
        what: "a table's header comes again at the start of a message that begins inside the table",
        why: "a split table must stay readable",
    },
    Declared {
        what: "a link's target may follow its label in round brackets",
        why: "a target that the platform does not link is shown rather than lost",
    },
    Declared {
        what: "a target that is not shown in round brackets is not compared",
        why: "it is in the format, not in the text; a table cell has no format",
    },
    Declared {
        what: "an image is its alternative text, or its target where it has none",
        why: "a text message holds no image",
    },
    Declared {
        what: "single tildes are text",
        why: "in chats a tilde says \"about\"; only two strike out",
    },
    Declared {
        what: "HTML is shown as it is written",
        why: "a model's HTML is never obeyed",
    },
    Declared {
        what: "controls but tab and newline, and U+202A to U+202E, are not compared",
        why: "platforms strip them",
    },
    Declared {
        what: "a word, or a line of code, that is longer than a message may go on in the next",
        why: "there is no better place to cut",
    },
    Declared {
        what: "in more than one message, a reference link may be shown as it is written",
        why: "its definition may come after its message was frozen",
    },
];
