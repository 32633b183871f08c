//! The vocabulary of Talaria: what every other crate means by an account, a place, an inbound, a
//! body, a platform call and its outcome. Pure data: no I/O, no clock, no randomness.

pub mod body;
pub mod call;
pub mod capabilities;
pub mod crash;
pub mod ids;
pub mod inbound;
pub mod model;
pub mod mutation;
pub mod outcome;
pub mod place;
pub mod render;
pub mod secret;
pub mod time;

pub use body::{Body, Button, Entity, EntityKind};
pub use call::{Action, CallKind, Fence, PlatformCall, Signal};
pub use capabilities::{
    Capabilities, CreateClass, Limit, RemoveClass, ScopePart, TextUnit, UpdateClass,
};
pub use ids::{
    AccountId, ChatId, ConversationId, Handle, InboundKey, MessageId, Origin, PostId, Seq,
    ThreadId, TurnId, UserId, WireKey,
};
pub use inbound::{Command, Content, Inbound, Sender};
pub use outcome::{CallOutcome, Certainty, Failure, FailureKind, FailureScope, Receipt, Retry};
pub use place::{Place, PlaceKind};
pub use render::{Part, RenderStage, Renderer};
pub use secret::Secret;
pub use time::{Mono, Now, Wall};
