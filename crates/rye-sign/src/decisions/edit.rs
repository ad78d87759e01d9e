//! What became of a decision about one key.

use std::path::PathBuf;

use serde::Serialize;

use super::find::Known;
use crate::trust::KeyId;

/// What became of a decision about one key.
#[derive(Debug, Clone, Serialize)]
pub struct EditOutcome {
    /// Whether anything changed.
    pub status: EditStatus,
    /// The key.
    pub key_id: KeyId,
    /// OpenSSH's fingerprint.
    pub fingerprint: String,
    /// Who holds it, as far as that is known.
    pub principals: Vec<String>,
    /// The files that changed.
    pub files: Vec<PathBuf>,
    /// Whether they are the project's, which are not proposed yet.
    pub project: bool,
    /// `person` or `agent`, if it is one of the person's two keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<&'static str>,
}

/// Whether a decision changed anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EditStatus {
    /// It did.
    Changed,
    /// It was made already.
    Unchanged,
}

impl EditOutcome {
    pub(super) fn new(known: &Known, files: Vec<PathBuf>, project: bool) -> Self {
        Self {
            status: if files.is_empty() { EditStatus::Unchanged } else { EditStatus::Changed },
            key_id: known.key.key_id(),
            fingerprint: known.key.fingerprint(),
            principals: known.principals.clone(),
            files,
            project,
            own: known.own,
        }
    }
}
