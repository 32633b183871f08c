//! What the ledger knows of a conversation, read for its machine. Reads indexes by prefix; never
//! walks over what is settled.

use std::collections::BTreeSet;

use talaria_ledger::keys::{self, Tag};
use talaria_ledger::record::{Record, decode};
use talaria_ledger::records::{
    EntryRecord, InboundRecord, PostRecord, SessionRecord, StepRecord, ToolRecord, TurnRecord,
};
use talaria_ledger::store::Store;
use talaria_types::model::Message;
use talaria_types::{AccountId, ConversationId, InboundKey, PostId, Seq, TurnId};

use crate::Error;
use crate::io::Input;

/// How many entries a page reads.
const PAGE: usize = 256;
/// The newest entries that are read back; the byte bound of the session cuts further.
const ENTRIES: u64 = 400;

#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub session: Option<SessionRecord>,
    pub transcript: Vec<Message>,
    /// Accepted, without an end, and not part of the running turn; in the ledger's order.
    pub open: Vec<InboundRecord>,
    pub turn: Option<OpenTurn>,
    /// Posts that are not settled.
    pub posts: Vec<PostRecord>,
}

/// A turn that a process left running, with its journal.
#[derive(Clone, Debug)]
pub struct OpenTurn {
    pub record: TurnRecord,
    pub inbounds: Vec<InboundRecord>,
    pub steps: Vec<StepRecord>,
    pub tools: Vec<ToolRecord>,
}

impl Snapshot {
    /// Whether something is to be done without a new event.
    #[must_use]
    pub fn owes(&self) -> bool {
        !self.open.is_empty() || self.turn.is_some() || !self.posts.is_empty()
    }

    /// What the restored machine is told first, in order.
    #[must_use]
    pub fn inputs(&self) -> Vec<Input> {
        let open = self
            .open
            .iter()
            .cloned()
            .map(|record| Input::Inbound(Box::new(record)));
        open.chain([Input::Start]).collect()
    }

    /// Reads a conversation.
    ///
    /// # Errors
    /// The store's, and records that this build can't use.
    pub fn load(
        store: &dyn Store,
        account: &AccountId,
        conversation: &ConversationId,
    ) -> Result<Self, Error> {
        let session: Option<SessionRecord> = get(store, &keys::session(account, conversation))?;
        let transcript = match &session {
            Some(session) => transcript(store, account, conversation, session)?,
            None => Vec::new(),
        };
        let turn = open_turn(store, account, conversation)?;
        let frozen: BTreeSet<Seq> = turn
            .iter()
            .flat_map(|turn| turn.inbounds.iter().map(|inbound| inbound.seq))
            .collect();
        let open = open_inbounds(store, account, conversation)?
            .into_iter()
            .filter(|inbound| !frozen.contains(&inbound.seq))
            .collect();
        let posts = owed_posts(store, account, conversation)?;
        Ok(Self {
            session,
            transcript,
            open,
            turn,
            posts,
        })
    }
}

/// The conversations of an account that have something to do: open inbounds, a running turn, owed
/// posts.
///
/// # Errors
/// The store's.
pub fn pending(store: &dyn Store, account: &AccountId) -> Result<BTreeSet<ConversationId>, Error> {
    let mut found = BTreeSet::new();
    for tag in [Tag::Open, Tag::Running, Tag::Owed] {
        for (key, _) in scan_all(store, &keys::prefix(account, tag))? {
            if let Some(conversation) = keys::parts(&key).into_iter().nth(2) {
                found.insert(ConversationId::new(conversation));
            }
        }
    }
    Ok(found)
}

/// One record.
///
/// # Errors
/// The store's, or a record that this build can't use.
pub fn get<R: Record>(store: &dyn Store, key: &[u8]) -> Result<Option<R>, Error> {
    match store.get(key)? {
        Some(bytes) => Ok(Some(decode(&bytes)?)),
        None => Ok(None),
    }
}

/// A key and its value.
pub type Entry = (talaria_ledger::store::Key, talaria_ledger::store::Value);

/// Every entry under a prefix, page by page.
///
/// # Errors
/// The store's.
pub fn scan_all(store: &dyn Store, prefix: &[u8]) -> Result<Vec<Entry>, Error> {
    let mut all: Vec<Entry> = Vec::new();
    loop {
        let after = all.last().map(|(key, _)| key.clone());
        let page = store.scan(prefix, after.as_deref(), PAGE)?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

fn transcript(
    store: &dyn Store,
    account: &AccountId,
    conversation: &ConversationId,
    session: &SessionRecord,
) -> Result<Vec<Message>, Error> {
    let from = session.entries.saturating_sub(ENTRIES);
    let mut messages = Vec::new();
    for number in from..session.entries {
        let key = keys::entry(account, conversation, session.generation, number);
        if let Some(entry) = get::<EntryRecord>(store, &key)? {
            messages.push(entry.message);
        }
    }
    // A transcript that was cut begins with a person's text.
    if from > 0 {
        let start = crate::session::next_start(&messages, 0);
        messages.drain(..start);
    }
    Ok(messages)
}

fn open_turn(
    store: &dyn Store,
    account: &AccountId,
    conversation: &ConversationId,
) -> Result<Option<OpenTurn>, Error> {
    let Some(bytes) = store.get(&keys::running(account, conversation))? else {
        return Ok(None);
    };
    let Ok(seq) = <[u8; 8]>::try_from(bytes.as_slice()) else {
        return Ok(None);
    };
    let id = TurnId(Seq(u64::from_be_bytes(seq)));
    let Some(record) = get::<TurnRecord>(store, &keys::turn(account, id))? else {
        return Ok(None);
    };
    let mut inbounds = Vec::new();
    for frozen in &record.inbounds {
        inbounds.extend(get::<InboundRecord>(
            store,
            &keys::inbound(account, &frozen.key),
        )?);
    }
    let steps = scan_all(store, &keys::steps(account, id))?
        .iter()
        .map(|(_, bytes)| decode(bytes))
        .collect::<Result<_, _>>()?;
    let tools = scan_all(store, &keys::tools(account, id))?
        .iter()
        .map(|(_, bytes)| decode(bytes))
        .collect::<Result<_, _>>()?;
    Ok(Some(OpenTurn {
        record,
        inbounds,
        steps,
        tools,
    }))
}

fn open_inbounds(
    store: &dyn Store,
    account: &AccountId,
    conversation: &ConversationId,
) -> Result<Vec<InboundRecord>, Error> {
    let mut open = Vec::new();
    for (_, key) in scan_all(store, &keys::open_prefix(account, conversation))? {
        let key = InboundKey::new(String::from_utf8_lossy(&key));
        open.extend(get::<InboundRecord>(store, &keys::inbound(account, &key))?);
    }
    Ok(open)
}

fn owed_posts(
    store: &dyn Store,
    account: &AccountId,
    conversation: &ConversationId,
) -> Result<Vec<PostRecord>, Error> {
    let mut posts = Vec::new();
    for (key, _) in scan_all(store, &keys::owed_prefix(account, conversation))? {
        if let Some(post) = post_of_key(&key) {
            posts.extend(get::<PostRecord>(store, &keys::post(account, post))?);
        }
    }
    Ok(posts)
}

/// The post that an `owed` key names.
#[must_use]
pub fn post_of_key(key: &[u8]) -> Option<PostId> {
    let parts = keys::parts(key);
    let origin = u64::from_str_radix(parts.get(3)?, 16).ok()?;
    let ordinal = u64::from_str_radix(parts.get(4)?, 16).ok()?;
    Some(PostId {
        origin: Seq(origin),
        ordinal: u16::try_from(ordinal).ok()?,
    })
}
