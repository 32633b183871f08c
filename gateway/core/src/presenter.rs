//! Turn events into wanted posts: a pure function of the journalled steps and the text that is
//! being read.

use std::time::Duration;
use talaria_ledger::records::{Outcome, PostKind, PostRecord, Wanted};

use talaria_types::{Body, Mono, PostId, RenderStage};

use crate::context::Context;
use crate::turn::Turn;
use crate::wording;

/// A reply that grows: where its parts ended so far.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// Split points: source offsets at which a part was full. They don't move while the text
    /// before them stands.
    frozen: Vec<usize>,
    /// The text that was rendered last.
    rendered: String,
    /// When the first text came.
    since: Option<Mono>,
}

/// How much text a first draft has at least: a notification that shows one word helps nobody, and
/// an answer that is whole by then is one call.
const FIRST_CHARS: usize = 40;
/// A first draft waits for that much text no longer than this.
const FIRST_WAIT: Duration = Duration::from_millis(400);

/// What a growing reply wants to show.
#[derive(Debug)]
pub(crate) enum Live {
    Unchanged,
    /// Too little for a first draft; look again then.
    Wait(Mono),
    Show(Vec<Body>),
}

impl Reply {
    /// The bodies that the live posts should show.
    pub(crate) fn live(&mut self, turn: &Turn, cx: &Context) -> Live {
        let (text, _) = turn.visible_text();
        if text == self.rendered || text.trim().is_empty() {
            return Live::Unchanged;
        }
        let until = *self.since.get_or_insert(cx.now.mono) + FIRST_WAIT;
        let few = text.chars().take(FIRST_CHARS).count() < FIRST_CHARS;
        if self.rendered.is_empty() && few && cx.now.mono < until {
            return Live::Wait(until);
        }
        let bodies = self.render(&text, RenderStage::Live, cx);
        self.rendered = text;
        Live::Show(bodies)
    }

    /// The bodies of the settled reply.
    pub(crate) fn sealed(&mut self, turn: &Turn, outcome: Outcome, cx: &Context) -> Vec<Body> {
        let text = final_text(turn, outcome, cx.settings.max_steps);
        let bodies = self.render(&text, RenderStage::Final, cx);
        if bodies.is_empty() && !text.trim().is_empty() {
            // Markdown that shows nothing, a lone link definition for example. P3: an answered
            // turn has its posts.
            return vec![Body::plain(wording::EMPTY_ANSWER)];
        }
        bodies
    }

    fn render(&mut self, text: &str, stage: RenderStage, cx: &Context) -> Vec<Body> {
        // A response that was dropped and asked again takes its split points with it.
        let common = common_prefix(&self.rendered, text);
        self.frozen.retain(|end| *end <= common);
        let parts = cx.renderer.render(text, stage, &self.frozen);
        self.frozen = parts
            .iter()
            .take(parts.len().saturating_sub(1))
            .map(|part| part.source_end)
            .collect();
        parts.into_iter().map(|part| part.body).collect()
    }
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// The whole text of a reply: what was said, and how it ended if it is not whole.
pub(crate) fn final_text(turn: &Turn, outcome: Outcome, max_steps: u32) -> String {
    let (said, _) = turn.visible_text();
    let said = said.trim_end();
    let ending = match outcome {
        Outcome::GivenUp if turn.next_step() >= max_steps => {
            Some(wording::too_many_steps(max_steps))
        }
        Outcome::Finished
        | Outcome::Stopped
        | Outcome::Failed { .. }
        | Outcome::GivenUp
        | Outcome::Superseded => wording::ending(outcome).map(str::to_owned),
    };
    match (said.trim().is_empty(), ending, outcome) {
        (true, None, _) => wording::EMPTY_ANSWER.to_owned(),
        // The command's own answer says it already.
        (true, Some(_), Outcome::Stopped | Outcome::Superseded) => String::new(),
        (true, Some(ending), _) => ending,
        (false, None, _) => said.to_owned(),
        (false, Some(ending), _) => format!("{}\n\n{ending}", close_fence(said)),
    }
}

/// A text that stops inside a code fence would swallow what is put under it.
fn close_fence(text: &str) -> String {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let line = line.trim_start();
        let fence = ["```", "~~~"]
            .into_iter()
            .find(|fence| line.starts_with(fence));
        match (open, fence) {
            (None, Some(fence)) => open = Some(fence),
            (Some(current), Some(fence)) if current == fence => open = None,
            (None | Some(_), _) => {}
        }
    }
    open.map_or_else(|| text.to_owned(), |fence| format!("{text}\n{fence}"))
}

/// A post of a turn's reply that nobody has tried yet.
pub(crate) fn post_of(turn: &Turn, ordinal: u16, now: talaria_types::Wall) -> PostRecord {
    let record = &turn.record;
    let id = PostId {
        origin: record.id.0,
        ordinal,
    };
    let mut post = PostRecord::new(
        id,
        record.conversation.clone(),
        record.place.clone(),
        PostKind::Answer,
        record.reply,
        Wanted::Live,
        now,
    );
    post.reply_to = record
        .inbounds
        .last()
        .and_then(|inbound| inbound.message.clone());
    post
}

#[cfg(test)]
mod tests;
