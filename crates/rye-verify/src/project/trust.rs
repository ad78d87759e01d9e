//! Whom the person trusts in a project, and what a project is known by.

use std::path::PathBuf;

use super::Error;
use crate::context::Context;
use crate::git::{self, Repository};
use crate::id::{Extension, ItemId};
use crate::keys::{self, Accepted, KeyStore, TrustDir};
use crate::trust::{ContentHash, Subject, TrustFile, TrustedKeys};
use crate::workspace::BUILTIN;

/// Whom the person trusts here, and what they accepted that forbids.
pub(super) struct Trusted {
    pub(super) keys: TrustedKeys,
    /// Accepted configurations of the project, each with the path of its copy.
    pub(super) configs: Vec<(PathBuf, Vec<u8>)>,
    /// The one of them that the person accepted for this very project, at this place.
    pub(super) own_config: Option<(PathBuf, Vec<u8>)>,
}

/// Reads whom the person trusts here. The accepted proposal of this project counts if its history and its place are the
/// same; if these are unknown, only its prohibitions count.
pub(super) fn trusted(ctx: &Context, repository: Option<&Repository>) -> Result<Trusted, Error> {
    let dir = TrustDir::new(ctx)?;
    // Most projects were never accepted, and their history need not be followed for that.
    let here = repository.filter(|repository| is_place_known(&dir, repository));
    let identity = here.and_then(|repository| identity(repository).ok().flatten());
    let mut keys = dir.trusted_keys(&KeyStore::new(ctx)?, identity.as_ref())?;
    let mut in_force: Vec<Accepted> = Vec::new();
    let mut is_own_accepted = false;
    if let Some((path, identity)) = here.and_then(|repository| Some((place(repository)?, identity))) {
        in_force.extend(identity.as_ref().map(|identity| dir.accepted(identity)).transpose()?.flatten());
        is_own_accepted = !in_force.is_empty();
        let left_behind = dir.left_behind(&path, identity.as_ref())?;
        left_behind.iter().for_each(|accepted| accepted.proposal.restrict(&mut keys));
        in_force.extend(left_behind);
    }
    add_builtin(&mut keys);
    keys.set_now(ctx.now());
    let config = |accepted: &Accepted| {
        let bytes = accepted.proposal.config().filter(|_| accepted.proposal.covers_config())?;
        Some((accepted.copies.join(TrustFile::Config.as_str()), bytes.to_vec()))
    };
    let own_config = in_force.first().filter(|_| is_own_accepted).and_then(config);
    Ok(Trusted { keys, own_config, configs: in_force.iter().filter_map(config).collect() })
}

/// Tells whether anything was accepted for a project at this place, whatever its history, or at one that is gone.
#[must_use]
pub fn is_place_known(dir: &TrustDir, repository: &Repository) -> bool {
    place(repository).is_some_and(|root| dir.knows_place(&root) || dir.knows_lost_place())
}

/// Returns where a project lies, without symlinks.
#[must_use]
pub fn place(repository: &Repository) -> Option<PathBuf> {
    repository.work_dir().and_then(|root| root.canonicalize().ok())
}

/// Returns what a project is known by; none before its first commit.
///
/// # Errors
///
/// Fails without a work tree, and where history cannot be followed to its beginning.
pub fn identity(repository: &Repository) -> Result<Option<keys::Project>, git::Error> {
    let root = repository.require_work_dir()?;
    let Some(commit_id) = repository.head()?.commit_id().cloned() else { return Ok(None) };
    let root_commit = repository.root_of(&commit_id)?.to_string();
    Ok(Some(keys::Project { root_commit, path: root.canonicalize().unwrap_or_else(|_| root.to_path_buf()) }))
}

/// Lets compiled items count by their bytes.
fn add_builtin(keys: &mut TrustedKeys) {
    for item in BUILTIN {
        let (Ok(item_id), Ok(extension)) = (item.id.parse::<ItemId>(), item.extension.parse::<Extension>()) else {
            continue;
        };
        keys.add_builtin(Subject { item_type: item.item_type, item_id, extension }, ContentHash::of(item.bytes));
    }
}
