//! The findings that a commit introduces: its tree is judged as `verify` judges a commit, and compared with its parents.
//!
//! A finding is an older one where a parent has it about the same content.

use super::super::locate::LocateError;
use super::outcome::{Finding, WHOLE_COMMIT};
use super::{Error, Options, Source, files, hint, verify};
use crate::format::Severity;
use crate::git::{CommitId, Repository};
use crate::project::Project;
use crate::trust::Verdict;

/// The findings of a commit, by its parents.
#[derive(Debug, Default)]
pub struct Introduced {
    /// The errors that no parent has.
    pub findings: Vec<Finding>,
    /// How many errors a parent has as well.
    pub older: usize,
    /// How many items are signed by keys that are not trusted here: whom a person trusts is no part of the commit.
    pub untrusted: usize,
    /// How many items wait for the signatures of further people, who can only give them to a commit.
    pub awaited: usize,
}

/// Verifies a commit, and leaves out what its parents have as well. Nothing needs to lead to the commit.
///
/// # Errors
///
/// As [`verify`].
pub fn introduced(project: &Project, commit_id: &CommitId) -> Result<Introduced, Error> {
    let found = errors(project, commit_id)?;
    let mut introduced = Introduced::default();
    if found.is_empty() {
        return Ok(introduced);
    }
    let repository = files::repository(project)?;
    let parents = repository.commit_info(commit_id).map_err(LocateError::from)?.parents;
    let before = parents.into_iter().map(|parent| Ok((errors(project, &parent)?, parent)));
    let before: Vec<(Vec<Finding>, CommitId)> = before.collect::<Result<_, Error>>()?;
    for finding in found {
        if is_older(&repository, commit_id, &finding, &before)? {
            introduced.older += 1;
        } else if finding.verdict == Some(Verdict::MissingCountersignature) {
            introduced.awaited += 1;
        } else if finding.verdict == Some(Verdict::Untrusted) {
            introduced.untrusted += 1;
        } else {
            introduced.findings.push(of_no_commit(finding, commit_id));
        }
    }
    Ok(introduced)
}

/// Returns the errors that the verification of a commit finds.
fn errors(project: &Project, commit_id: &CommitId) -> Result<Vec<Finding>, Error> {
    let source = Source::Revision { revision: commit_id.to_string(), commits: None };
    let outcome = verify(project, &Options { source, ..Options::default() })?;
    Ok(outcome.findings.into_iter().filter(|finding| finding.severity == Severity::Error).collect())
}

/// Tells whether a parent has a finding, about the same content.
fn is_older(
    repository: &Repository,
    commit_id: &CommitId,
    finding: &Finding,
    before: &[(Vec<Finding>, CommitId)],
) -> Result<bool, LocateError> {
    let is_same = |other: &&Finding| {
        (other.rule, &other.path, &other.message, &other.item_id)
            == (finding.rule, &finding.path, &finding.message, &finding.item_id)
    };
    for (_, parent) in before.iter().filter(|(findings, _)| findings.iter().any(|other| is_same(&other))) {
        if finding.path == WHOLE_COMMIT || has_same(repository, commit_id, parent, &finding.path)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Tells whether two commits have the same file or folder at a path, or both have none.
fn has_same(repository: &Repository, one: &CommitId, other: &CommitId, path: &str) -> Result<bool, LocateError> {
    let content = |commit_id: &CommitId| -> Result<_, LocateError> {
        let file = repository.entry_at(commit_id, path)?;
        let below = repository.entries_below(commit_id, path, files::MAX_ENTRIES)?;
        Ok((file, below))
    };
    Ok(content(one)? == content(other)?)
}

/// Takes a commit out of a finding that only this program knows of.
fn of_no_commit(finding: Finding, commit_id: &CommitId) -> Finding {
    let hint = hint::of_index(&finding.hint, commit_id);
    Finding { commit_id: None, hint, ..finding }
}
