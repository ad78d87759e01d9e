//! The proposal of the current project, and the accepted one.

use std::path::PathBuf;

use serde::Serialize;

use super::{Error, WorkTree};
use crate::git::Repository;
use crate::id::{Timestamp, Zone};
use crate::keys::{self, ProjectFiles, TrustDir};
use crate::project::{self, Project};
use crate::trust::{ContentHash, ManifestFault, Proposal, check_self, check_successor};

/// A project's proposal and what became of it.
#[derive(Debug, Clone, Serialize)]
pub struct ProjectState {
    /// Its state.
    pub status: Status,
    /// Where the project's files lie.
    pub path: PathBuf,
    /// What the files say, if they can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<Proposed>,
    /// What counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Accepted>,
    /// Other places at which something was accepted for a project of the same history: none of it counts here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<String>,
    /// Other histories and places for which something was accepted whose policy and revocations stay in force here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_behind: Vec<String>,
    /// Why the files cannot be accepted as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// The state of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nothing was accepted; this may be.
    Proposed,
    /// It was accepted as it is.
    Accepted,
    /// Another one was accepted, and that one counts.
    Changed,
    /// Nothing was accepted, and this cannot be.
    Unusable,
}

/// A proposal by its version.
#[derive(Debug, Clone, Serialize)]
pub struct Proposed {
    /// The version of its manifest; none without a manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Its pin.
    pub digest: ContentHash,
}

/// An accepted proposal by its version.
#[derive(Debug, Clone, Serialize)]
pub struct Accepted {
    /// The version of its manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Its pin.
    pub digest: ContentHash,
    /// When it was accepted.
    pub accepted_at: Timestamp,
}

/// Compares the project's proposal with the accepted one; `None` without both.
///
/// # Errors
///
/// Fails when the accepted proposal cannot be read. Faults of the project are part of the state.
pub fn project_state(project: &Project) -> Result<Option<ProjectState>, Error> {
    let Some(repository) = project.repository().filter(|repository| !repository.is_bare()) else { return Ok(None) };
    let dir = TrustDir::new(project.context())?;
    let work_tree = WorkTree::open(project)?;
    let (files, unreadable) = match work_tree.read() {
        Ok(files) => (files, None),
        Err(error) => (ProjectFiles::default(), Some(error.to_string())),
    };
    let is_there = !files.is_empty() || unreadable.is_some();
    // Most projects propose nothing, and their history need not be followed for that.
    if !is_there && !project::is_place_known(&dir, &repository) {
        return Ok(None);
    }
    let (identity, unknown) = match project::identity(&repository) {
        Ok(None) => (None, Some(Error::NoCommit.to_string())),
        Ok(identity) => (identity, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let accepted = identity.as_ref().map(|identity| dir.accepted(identity)).transpose()?.flatten();
    let left_behind = left_behind(&dir, &repository, identity.as_ref())?;
    if !is_there && accepted.is_none() && left_behind.is_empty() {
        return Ok(None);
    }
    let zone = project.context().zone();
    let read = files.parsed(&zone).and_then(|files| Proposal::read(&files));
    let judged = judge(&files, accepted.as_ref(), &zone).and_then(|proposal| match &identity {
        Some(identity) => proposal.check_project(&identity.root_commit),
        None => Ok(()),
    });
    let is_same = |known: &keys::Accepted| matches!(&read, Ok(read) if read.digest() == known.pin.proposal);
    let fault = unreadable.or_else(|| judged.err().map(|fault| fault.to_string())).or(unknown);
    let status = match &accepted {
        Some(known) if is_same(known) && fault.is_none() => Status::Accepted,
        Some(_) => Status::Changed,
        None if fault.is_none() => Status::Proposed,
        None => Status::Unusable,
    };
    Ok(Some(ProjectState {
        status,
        path: work_tree.path(""),
        proposed: read.ok().map(|read| Proposed { version: version(&read), digest: read.digest() }),
        accepted: accepted.map(|known| Accepted {
            version: version(&known.proposal),
            digest: known.pin.proposal,
            accepted_at: known.pin.accepted_at,
        }),
        elsewhere: elsewhere(&dir, identity.as_ref())?,
        left_behind,
        fault,
    }))
}

fn judge(files: &ProjectFiles, accepted: Option<&keys::Accepted>, zone: &Zone) -> Result<Proposal, ManifestFault> {
    let files = files.parsed(zone)?;
    match accepted {
        None => check_self(&files),
        Some(known) => check_successor(&known.proposal, &files),
    }
}

fn version(proposal: &Proposal) -> Option<u64> {
    proposal.manifest().map(|manifest| manifest.version)
}

fn left_behind(
    dir: &TrustDir,
    repository: &Repository,
    identity: Option<&keys::Project>,
) -> Result<Vec<String>, Error> {
    let Some(path) = project::place(repository) else { return Ok(Vec::new()) };
    let left_behind = dir.left_behind(&path, identity)?.into_iter().map(|accepted| accepted.pin);
    Ok(left_behind.map(|pin| format!("{} (history of {})", pin.path, pin.root_commit)).collect())
}

fn elsewhere(dir: &TrustDir, identity: Option<&keys::Project>) -> Result<Vec<String>, Error> {
    let Some(identity) = identity else { return Ok(Vec::new()) };
    Ok(dir.accepted_elsewhere(identity)?.into_iter().map(|pin| pin.path).collect())
}
