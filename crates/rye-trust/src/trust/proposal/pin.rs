//! That a person accepted a project's proposal: which one, of which project, since when. `format` reads its text.

use crate::id::Timestamp;
use crate::trust::ContentHash;

/// An accepted proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The digest of the proposal.
    pub proposal: ContentHash,
    /// The commit that the project's history began with.
    pub root_commit: String,
    /// Where the project's work tree lies.
    pub path: String,
    /// When it was accepted.
    pub accepted_at: Timestamp,
}
