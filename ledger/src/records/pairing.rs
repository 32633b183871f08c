//! Who asked to be let in, and who was.

use serde::{Deserialize, Serialize};
use talaria_types::{Place, UserId, Wall};

use crate::record::Unknown;

/// An unknown user's request, or an approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairingRecord {
    pub user: UserId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub place: Place,
    pub state: PairingState,
    #[serde(flatten)]
    pub unknown: Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum PairingState {
    /// The code was shown to the user; whoever can read it to the operator is that user.
    Requested {
        code: String,
        at: Wall,
    },
    Approved {
        at: Wall,
    },
    Revoked {
        at: Wall,
    },
}
