//! The reconciler: the posts of one conversation that are not settled, and for each the next call
//! by the transition table.

mod answers;
mod calls;
mod item;

use std::collections::{BTreeMap, VecDeque};

use talaria_ledger::Changes;
use talaria_ledger::records::{Known, PostRecord, Settlement, Wanted};
use talaria_ledger::transition::{Next, next};
use talaria_types::crash::CommitKind;
use talaria_types::mutation::{self, Mutation};
use talaria_types::{AccountId, Body, Handle, Mono, PostId};

use crate::Error;
use crate::context::Context;
use crate::io::{Effect, Note};
use crate::wording;
use item::Item;

/// How many settled posts are remembered.
const RECENT: usize = 64;
/// How many removed messages are remembered.
const FORMER: usize = 256;

/// The order of P8: reply, then the post in it.
type Place = (u64, PostId);

#[derive(Debug)]
pub(crate) struct Outbox {
    account: AccountId,
    /// Four bytes of the ledger's id, for wire keys.
    ledger: [u8; 4],
    epoch: u64,
    fences: u64,
    items: BTreeMap<Place, Item>,
    /// The posts that were settled last: a late answer may still bring a message id.
    recent: BTreeMap<PostId, PostRecord>,
    /// Messages whose removal was asked for: none of them is a post's any more.
    former: VecDeque<Handle>,
    /// When a call last showed the people here something.
    pub(crate) last_shown: Option<Mono>,
    /// Some post waits for a signal to show life (rows 3 and 4).
    pub(crate) show_life: bool,
}

impl Outbox {
    pub(crate) fn new(account: AccountId, ledger: [u8; 4], epoch: u64, fences: u64) -> Self {
        Self {
            account,
            ledger,
            epoch,
            fences,
            items: BTreeMap::new(),
            recent: BTreeMap::new(),
            former: VecDeque::new(),
            last_shown: None,
            show_life: false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Takes a post that an earlier process left owed. Its calls are counted (P13) when the
    /// process before crashed.
    pub(crate) fn restore(&mut self, post: PostRecord, crashed: bool, cx: &Context) {
        let mut item = Item::new(post);
        item.restored(crashed, cx);
        if mutation::on(Mutation::RenderAgain)
            && let Wanted::Sealed { rev, body } = &item.post.wanted
        {
            let again = cx
                .renderer
                .render(&body.text, talaria_types::RenderStage::Final, &[]);
            if let Some(part) = again.into_iter().next() {
                item.post.wanted = Wanted::Sealed {
                    rev: *rev,
                    body: part.body,
                };
            }
        }
        self.items.insert((item.post.reply, item.post.id), item);
    }

    /// Takes a post that is in the ledger already, put there by the commit that is just durable.
    pub(crate) fn insert(&mut self, post: PostRecord) {
        self.recent.remove(&post.id);
        let place = (post.reply, post.id);
        match self.items.get_mut(&place) {
            Some(item) => item.post = post,
            None => {
                self.items.insert(place, Item::new(post));
            }
        }
    }

    /// Whether a post of that origin waits for its call or for the answer to one.
    pub(crate) fn has_call(&self, origin: talaria_types::Origin) -> bool {
        self.items
            .values()
            .any(|item| item.post.id.origin == origin && item.has_call())
    }

    /// Takes a post that somebody else put into the ledger. A restore may have brought it already,
    /// and a call for it may be on its way: that one stands.
    pub(crate) fn take_over(&mut self, post: PostRecord) {
        if self.place_of(post.id).is_none() && !self.recent.contains_key(&post.id) {
            self.insert(post);
        }
    }

    /// The posts of one reply or command, by ordinal.
    pub(crate) fn of_origin(&self, origin: talaria_types::Origin) -> Vec<&PostRecord> {
        self.items
            .values()
            .map(|item| &item.post)
            .filter(|post| post.id.origin == origin)
            .collect()
    }

    /// What a live post should show now. Makes the post if there is none.
    pub(crate) fn set_live(&mut self, post: PostRecord, body: Body, cx: &Context) {
        let item = self
            .items
            .entry((post.reply, post.id))
            .or_insert_with(|| Item::new(post));
        item.live = Some(if item.plain_draft {
            cx.renderer.plainer(&body)
        } else {
            body
        });
    }

    /// Decides for every post, in order.
    pub(crate) fn advance_all(&mut self, cx: &Context, out: &mut Vec<Effect>) -> Result<(), Error> {
        self.show_life = false;
        let places: Vec<Place> = self.items.keys().copied().collect();
        for place in places {
            self.advance(place, cx, out)?;
        }
        if let Some(at) = self
            .items
            .values()
            .filter_map(|item| item.wake_at(cx))
            .min()
        {
            out.push(Effect::WakeAt(at));
        }
        Ok(())
    }

    /// Follows the table until the post waits or wants a call; writes down what changed.
    fn advance(&mut self, place: Place, cx: &Context, out: &mut Vec<Effect>) -> Result<(), Error> {
        // Each pass changes the post for the better; the bound is against a table that does not.
        for _ in 0..16 {
            let permitted = self.permitted(place);
            let Some(item) = self.items.get_mut(&place) else {
                return Ok(());
            };
            if item.expired(cx) {
                item.post.settle(Settlement::Expired, cx.now.wall);
            }
            if item.post.is_settled() {
                return self.settled(place, out);
            }
            let facts = item.facts(permitted, cx);
            let (_, action) = next(&item.post, &facts);
            match action {
                Next::Wait => {
                    item.unwant(out);
                    break;
                }
                Next::ShowLife => {
                    item.unwant(out);
                    self.show_life = true;
                    break;
                }
                Next::LoseAttempt => item.lose_attempt(cx),
                Next::Repeat => {
                    if let Wanted::Sealed { body, .. } = &item.post.wanted {
                        let labelled = cx.renderer.labelled(body);
                        item.post.repeat(labelled);
                        item.revised();
                        out.push(Effect::Note(Note::PostRepeated { post: item.post.id }));
                    }
                }
                Next::Settle(how) => {
                    item.post.settle(how, cx.now.wall);
                    item.dirty = Some(CommitKind::Receipt);
                }
                Next::Forget => {
                    item.post.known = Known::None;
                    item.dirty = Some(CommitKind::Revise);
                }
                Next::Stub => {
                    item.post.seal(Body::plain(wording::STUB));
                    item.revised();
                }
                Next::Supersede => {
                    item.post.supersede();
                    item.revised();
                }
                Next::Recreate => {
                    item.post.recreate();
                    item.revised();
                }
                Next::Remove(_)
                | Next::Prove
                | Next::Close
                | Next::Create
                | Next::Complete
                | Next::Append
                | Next::Replace => {
                    item.want(&action, cx, out);
                    break;
                }
            }
        }
        self.write(place, out)
    }

    /// Commits what changed in a post and is not durable yet.
    fn write(&mut self, place: Place, out: &mut Vec<Effect>) -> Result<(), Error> {
        let Some(item) = self.items.get_mut(&place) else {
            return Ok(());
        };
        if let Some(kind) = item.dirty.take() {
            let mut changes = Changes::new(self.account.clone());
            changes.post(&item.post)?;
            out.push(Effect::Commit { kind, changes });
        }
        Ok(())
    }

    /// The post is an obligation no more.
    fn settled(&mut self, place: Place, out: &mut Vec<Effect>) -> Result<(), Error> {
        if let Some(item) = self.items.get_mut(&place) {
            item.dirty = Some(CommitKind::Receipt);
            item.unwant(out);
            item.close_draft(out);
        }
        self.write(place, out)?;
        if let Some(item) = self.items.remove(&place)
            && let Some(settled) = &item.post.settled
        {
            out.push(Effect::Note(Note::PostSettled {
                post: item.post.id,
                how: settled.how.clone(),
            }));
            self.recent.insert(item.post.id, item.post);
            if self.recent.len() > RECENT {
                self.recent.pop_first();
            }
        }
        Ok(())
    }

    /// P8: every earlier post of the same or an earlier reply exists, is gone or was given up.
    fn permitted(&self, place: Place) -> bool {
        if mutation::on(Mutation::CreateOutOfOrder) {
            return true;
        }
        let Some(item) = self.items.get(&place) else {
            return false;
        };
        !item.post.kind.ordered()
            || self
                .items
                .range(..place)
                .filter(|(_, earlier)| earlier.post.kind.ordered())
                .all(|(_, earlier)| {
                    matches!(earlier.post.known, Known::Here { .. } | Known::Gone { .. })
                })
    }

    fn place_of(&self, id: PostId) -> Option<Place> {
        self.items.keys().find(|(_, post)| *post == id).copied()
    }
}

fn remember(former: &mut VecDeque<Handle>, handle: &Handle) {
    former.push_back(handle.clone());
    if former.len() > FORMER {
        former.pop_front();
    }
}

#[cfg(test)]
mod tests;
