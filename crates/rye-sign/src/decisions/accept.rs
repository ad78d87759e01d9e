//! `trust accept`: what a project proposes comes to count for it, here, once a person has seen what that changes.
//!
//! Two steps: `review` judges the files and says what would change; accepting pins the very bytes that were reviewed.
//! Withdrawing takes the pin away.

use std::path::PathBuf;

use serde::Serialize;

use super::{Error, WorkTree, renew_git_files};
use crate::id::Timestamp;
use crate::keys::{self, ProjectFiles, TrustDir};
use crate::project::{self, Project};
use crate::trust::{ContentHash, Proposal, Roots, TrustChange, TrustFiles, check_self, check_successor, trust_changes};

/// A proposal that may be accepted.
#[derive(Debug)]
pub struct Review {
    identity: keys::Project,
    files: ProjectFiles,
    proposal: Proposal,
    before: Option<ContentHash>,
    outcome: Outcome,
}

/// The accepted proposal.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Its result.
    pub status: Status,
    /// The version of the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The pin of the proposal.
    pub digest: ContentHash,
    /// The commit that the project's history began with.
    pub root_commit: String,
    /// Where the project lies: elsewhere it does not count.
    pub path: PathBuf,
    /// What it changes.
    pub changes: Vec<TrustChange>,
    /// When it was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<Timestamp>,
}

/// What became of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is as it may be accepted.
    Proposed,
    /// It counts from now on.
    Accepted,
    /// It counts already.
    Unchanged,
    /// It counts no longer.
    Withdrawn,
}

/// Judges the project's proposal, by itself or against the accepted one.
///
/// # Errors
///
/// Fails outside a project, without a proposal, and when it must not be accepted.
pub fn review(project: &Project) -> Result<Review, Error> {
    let dir = TrustDir::new(project.context())?;
    let work_tree = WorkTree::open(project)?;
    let files = work_tree.read()?;
    if files.is_empty() {
        return Err(Error::NoProposal);
    }
    files.check_config()?;
    let identity = of(project)?;
    let accepted = dir.accepted(&identity)?;
    let proposal = judged(&dir, &files.parsed(&project.context().zone())?, accepted.as_ref())?;
    proposal.check_project(&identity.root_commit)?;
    let before = accepted.as_ref().map(|accepted| accepted.pin.proposal);
    let outcome = Outcome {
        status: if before == Some(proposal.digest()) { Status::Unchanged } else { Status::Proposed },
        version: proposal.manifest().map(|manifest| manifest.version),
        digest: proposal.digest(),
        root_commit: identity.root_commit.clone(),
        path: identity.path.clone(),
        changes: trust_changes(accepted.as_ref().map(|accepted| &accepted.proposal), &proposal),
        accepted_at: accepted.map(|accepted| accepted.pin.accepted_at),
    };
    Ok(Review { identity, files, proposal, before, outcome })
}

/// Withdraws the accepted proposal of the current project at this place: it does not count any more.
///
/// # Errors
///
/// Fails outside a project, when nothing was accepted, and when it cannot be removed.
pub fn withdraw(project: &Project) -> Result<Outcome, Error> {
    let identity = of(project)?;
    let dir = TrustDir::new(project.context())?;
    let accepted = dir.withdraw(&identity)?.ok_or(Error::NothingAccepted)?;
    renew_git_files(project)?;
    Ok(Outcome {
        status: Status::Withdrawn,
        version: accepted.proposal.manifest().map(|manifest| manifest.version),
        digest: accepted.proposal.digest(),
        root_commit: identity.root_commit,
        path: identity.path,
        changes: Vec::new(),
        accepted_at: Some(accepted.pin.accepted_at),
    })
}

fn of(project: &Project) -> Result<keys::Project, Error> {
    project::identity(&project.require_repository()?)?.ok_or(Error::NoCommit)
}

/// Roots whom the person has revoked for themselves cannot announce anything to them.
fn judged(dir: &TrustDir, files: &TrustFiles, accepted: Option<&keys::Accepted>) -> Result<Proposal, Error> {
    let revoked = dir.revoked()?;
    let Some(keys::Accepted { proposal: base, .. }) = accepted else {
        let proposal = check_self(files)?;
        proposal.roots_signed(&proposal, &revoked, Roots::Own)?;
        return Ok(proposal);
    };
    let version = base.manifest().map_or(0, |manifest| manifest.version);
    let proposal = check_successor(base, files).and_then(|proposal| {
        if proposal.digest() != base.digest() {
            proposal.roots_signed(&proposal, &revoked, Roots::Own)?;
            base.roots_signed(&proposal, &revoked, Roots::Base)?;
        }
        Ok(proposal)
    });
    proposal.map_err(|fault| Error::NoSuccessor { accepted: version, fault })
}

impl Review {
    /// Returns what would change.
    #[must_use]
    pub const fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Lets the proposal count. Accepted parts are left as they are.
    ///
    /// # Errors
    ///
    /// Fails when another was accepted meanwhile, or when something cannot be written.
    pub fn accept(self, project: &Project) -> Result<Outcome, Error> {
        let Self { identity, files, proposal, before, mut outcome } = self;
        let ctx = project.context();
        if outcome.status != Status::Unchanged {
            let pin = TrustDir::new(ctx)?.accept(&identity, &files, &proposal, before, ctx.now())?;
            outcome.status = Status::Accepted;
            outcome.accepted_at = Some(pin.accepted_at);
        }
        renew_git_files(project)?;
        Ok(outcome)
    }
}
