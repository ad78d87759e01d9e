//! `outdated` for skills of git repositories: the commit of the lock, compared with the one that its source leads to now.

use serde::Serialize;

use super::super::{lock, place};
use super::error::Error;
use super::revision::{Revision, find, open};
use crate::format::registry_files::{LockedSkill, LockedSource};
use crate::git::{CommitId, Terminal};
use crate::id::{ItemId, Space};
use crate::registry::UpstreamError;
use crate::session::Session;
use crate::trust::ContentHash;

/// One skill of the lock that came from a git repository.
#[derive(Debug, Clone, Serialize)]
pub struct OutdatedSkill {
    /// Its state.
    pub status: SkillStanding,
    /// The id.
    pub item_id: ItemId,
    /// Where it came from, with the branch, tag or commit that was asked for.
    pub source: String,
    /// The commit of the lock.
    pub commit: String,
    /// The commit that the source leads to now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// Whether its folder here holds other files than the lock says.
    pub is_changed: bool,
}

/// The state of a skill of a git repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SkillStanding {
    /// Its source has the same files and the same signature now.
    Current,
    /// Its source has other files, or another signature.
    Outdated,
    /// Its source does not have it, or has no such branch or tag.
    Gone,
    /// Nothing was fetched.
    Unknown,
}

/// Compares the skills of a lock that came from git repositories with their sources.
///
/// # Errors
///
/// Fails when the lock cannot be read, or a source cannot be fetched.
pub fn outdated_skills(
    session: &Session,
    space: Space,
    is_offline: bool,
    terminal: Terminal,
) -> Result<Vec<OutdatedSkill>, Error> {
    let project = session.project();
    let lock = lock::read(project, space)?;
    let mut skills = Vec::new();
    for locked in lock.skills() {
        let Some(git) = locked.git() else { continue };
        let (status, newest) = match is_offline {
            true => (SkillStanding::Unknown, None),
            false => standing(session, locked, git, terminal)?,
        };
        skills.push(OutdatedSkill {
            status,
            item_id: locked.id.clone(),
            source: git.source.to_string(),
            commit: git.commit.clone(),
            newest: newest.map(|commit| commit.to_string()),
            is_changed: place::digest(project, space, &locked.folder)? != Some(locked.digest),
        });
    }
    Ok(skills)
}

fn standing(
    session: &Session,
    locked: &LockedSkill,
    git: &LockedSource,
    terminal: Terminal,
) -> Result<(SkillStanding, Option<CommitId>), Error> {
    let mut upstream = open(session, terminal, git.source.url())?;
    let commit = match upstream.fetch(&git.source) {
        Err(UpstreamError::UnknownRevision { .. } | UpstreamError::Empty { .. }) => {
            return Ok((SkillStanding::Gone, None));
        }
        fetched => fetched?,
    };
    if commit.as_str() == git.commit {
        return Ok((SkillStanding::Current, Some(commit)));
    }
    let status = match find(session.project(), &upstream, &git.source, &commit, Some(&locked.id)) {
        Ok(found) if is_same(locked, &found) => SkillStanding::Current,
        Ok(_) => SkillStanding::Outdated,
        Err(Error::Upstream(UpstreamError::NoFolder { .. })) => SkillStanding::Gone,
        Err(error @ Error::Upstream(_)) => return Err(error),
        // `update` reports why a newer version is refused.
        Err(_) => SkillStanding::Outdated,
    };
    Ok((status, Some(commit)))
}

/// Tells whether a commit has what the lock has. An unsigned skill of the source has a signature made here.
fn is_same(locked: &LockedSkill, found: &Revision) -> bool {
    let is_same_signature = found.signature.as_ref().is_none_or(|signature| {
        locked.signed.as_ref().is_some_and(|signed| signed.sha256 == ContentHash::of(&signature.bytes))
    });
    found.digest() == locked.digest && is_same_signature
}
