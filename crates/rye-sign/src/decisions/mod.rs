//! `trust`: whom the person trusts, how far, and where each decision is written; and what a project proposes.
//!
//! Every verb that decides something also makes the files for stock git anew.

mod accept;
mod add;
mod edit;
mod error;
mod find;
mod list;
mod propose;
mod remove;
mod retire;
mod revoke;
mod state;
mod work_tree;

use serde::Serialize;

use self::work_tree::WorkTree;
use crate::id::Timestamp;
use crate::keys::{KeyStore, KeysError, TrustDir};
use crate::project::Project;
use crate::trust::{KeyId, TrustedKey};

pub use accept::{Outcome as AcceptOutcome, Review, Status as AcceptStatus, review, withdraw};
pub use add::{Input, Options as AddOptions, Outcome as AddOutcome, Renamed, SharedName, add};
pub use edit::{EditOutcome, EditStatus};
pub use error::{Error, Naming};
pub use list::{KeyState, ListedKey, ListedRevoked, Outcome as ListOutcome, list};
pub use propose::{Draft, Options as ProposeOptions, Outcome as ProposeOutcome, Status as ProposeStatus, draft};
pub use remove::remove;
pub use retire::retire;
pub use revoke::revoke;
pub use state::{Accepted, ProjectState, Proposed, Status as ProposalStatus, project_state};

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trusted {
    /// The id signature lines carry.
    pub key_id: KeyId,
    /// Who holds the key.
    pub principal: String,
    /// OpenSSH's fingerprint.
    pub fingerprint: String,
    /// How far the decision reaches.
    pub reach: String,
    /// From when the key's signatures count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_after: Option<Timestamp>,
    /// Until when they count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_before: Option<Timestamp>,
    /// Where it is written: a file and its line, or `your own key`.
    pub origin: String,
}

impl From<&TrustedKey> for Trusted {
    fn from(key: &TrustedKey) -> Self {
        Self {
            key_id: key.key.key_id(),
            principal: key.principal.clone(),
            fingerprint: key.key.fingerprint(),
            reach: key.reach(),
            valid_after: key.valid_after,
            valid_before: key.valid_before,
            origin: key.origin.clone(),
        }
    }
}

/// Makes the files for stock git anew.
fn renew_git_files(project: &Project) -> Result<(), KeysError> {
    let ctx = project.context();
    TrustDir::new(ctx)?.write_git_files(&KeyStore::new(ctx)?).map(drop)
}
