//! What the demo model says.

/// Every kind of Markdown.
pub(super) const MARKDOWN: &str = include_str!("markdown.md");

/// What one can try.
pub(super) fn help() -> String {
    "Hello! I am the **demo model** of this installation: no real AI, just a friendly script that \
     shows what the gateway does. Try one of these:\n\n\
     - `long`: an answer of several messages\n\
     - `markdown`: every kind of formatting\n\
     - `tool`, `time` or `calc (2 + 3) * 4`: tools at work\n\
     - `slow`: a stream of twenty seconds, good for stopping or for pulling the plug\n\
     - `error`: a model that is overloaded\n\n\
     Anything else gets a short answer. Set an API key in the configuration to talk to a real \
     model."
        .to_owned()
}

/// More than 9,000 characters, so that splitting is seen.
pub(super) fn long() -> String {
    include_str!("long.md").to_owned()
}

/// A text for the slow stream.
pub(super) fn slow() -> String {
    let steps = [
        "I am the demo model, and I take my time: this answer needs about twenty seconds.",
        "While it grows you can watch the message being edited, or the draft being redrawn.",
        "The gateway decides how often that happens: as often as the platform permits, and never \
         with the same text twice.",
        "This is a good moment to send `/stop`, to write something else, or to kill the process \
         and start it again.",
        "After a restart the turn goes on from its journal, and the answer still arrives once.",
        "Nearly done.",
        "That was it. Thank you for your patience!",
    ];
    let numbered = |(index, step): (usize, &&str)| format!("{}. {step}", index + 1);
    steps
        .iter()
        .enumerate()
        .map(numbered)
        .collect::<Vec<_>>()
        .join("\n")
}

/// An answer to anything.
pub(super) fn echo(text: &str, turn: usize) -> String {
    const SHOWN: usize = 200;
    let flat: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut quote: String = flat.chars().take(SHOWN).collect();
    if flat.chars().count() > SHOWN {
        quote.push('…');
    }
    let words = flat.split(' ').count();
    let count = if words == 1 {
        "one word".to_owned()
    } else {
        format!("{words} words")
    };
    format!(
        "You said:\n\n> {quote}\n\nThat is {count}, and message number {turn} of this conversation \
         as I see it. I am the demo model, no real AI, so I can't say much more about it; a real \
         model would answer here. Send `help` to see what I can show you."
    )
}
