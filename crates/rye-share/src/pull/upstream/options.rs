//! What to do with skills, and how.

use crate::capability::ProjectPath;
use crate::git::Terminal;
use crate::id::{GitSource, ItemId, Space};
use crate::trust::Signer;

/// Which skills to pull, and how.
#[derive(Debug, Clone)]
pub struct PullOptions {
    /// Where they are.
    pub sources: Vec<GitSource>,
    /// The folder of skills to put them in; none for that of the lock, or else the first of `skills.paths`.
    pub to: Option<ProjectPath>,
    /// How it is done.
    pub how: How,
}

/// Which skills to bring to their newest commit, and how.
#[derive(Debug, Clone)]
pub struct UpdateOptions {
    /// One skill; none for all that came from git.
    pub only: Option<ItemId>,
    /// How it is done.
    pub how: How,
}

/// How skills are pulled, updated and restored.
#[derive(Debug, Clone)]
pub struct How {
    /// The space.
    pub space: Space,
    /// The fingerprint of the one key that may be new.
    pub accept_signer: Option<String>,
    /// Whether an older commit may take the place of a newer one.
    pub allow_rollback: bool,
    /// Whether local changes may be overwritten.
    pub force: bool,
    /// Whether nothing is fetched.
    pub is_offline: bool,
    /// Whether git may ask for credentials.
    pub terminal: Terminal,
}

/// What to make the folders.
#[derive(Debug, Clone)]
pub struct SyncOptions {
    /// How it is done.
    pub how: How,
    /// Whether nothing is written, and every difference is told.
    pub check: bool,
    /// Whether skills that the lock does not have are taken into it.
    pub adopt: bool,
    /// Whether skills that the lock does not have are removed.
    pub prune: bool,
}

/// What a person agreed to.
#[derive(Clone, Copy)]
pub struct Consent<'s> {
    /// Whether keys that are new here count from now on for their skills.
    pub trusts: bool,
    /// Who signs skills whose source does not; none leaves them unsigned.
    pub signer: Option<&'s dyn Signer>,
}
