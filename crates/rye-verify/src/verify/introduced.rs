//! The findings that a commit introduces: it is judged as `verify --range` judges it on its first parent, once by the keys that the person
//! trusts, and once by the trust files of the parent.
//!
//! A finding is an older one where the first parent has it about the same content: that is the branch the commit goes to.

use std::collections::BTreeSet;

use super::super::locate::LocateError;
use super::outcome::{Finding, WHOLE_COMMIT};
use super::{Error, Options, Signers, Source, files, hint, verify};
use crate::format::Severity;
use crate::git::{CommitId, Mode, Repository};
use crate::item::SkillFault;
use crate::project::Project;
use crate::trust::Verdict;

/// The findings of a commit, by its parents.
#[derive(Debug, Default)]
pub struct Introduced {
    /// The errors that the first parent has not.
    pub findings: Vec<Finding>,
    /// How many errors the first parent or the commits of a merge have as well.
    pub older: usize,
    /// How many items are signed by keys that are not trusted here: whom a person trusts does not belong to the commit.
    pub untrusted: usize,
    /// How many items wait for the signatures of further people, who can only give them to a commit.
    pub awaited: usize,
}

/// Verifies a commit, and leaves out what its first parent has as well. Nothing needs to lead to the commit.
///
/// # Errors
///
/// As [`verify`].
pub fn introduced(project: &Project, commit_id: &CommitId) -> Result<Introduced, Error> {
    let repository = files::repository(project)?;
    let parents = repository.commit_info(commit_id).map_err(LocateError::from)?.parents;
    let step = Step { project, repository: &repository, commit_id, first: parents.first() };
    let mut found = step.found(&Signers::Trusted)?;
    found.extend(step.found_by_root(&parents)?);
    let mut introduced = Introduced::default();
    let mut told = BTreeSet::new();
    for Found { finding, is_older } in found {
        if !told.insert((finding.rule, finding.path.clone(), finding.message.clone())) {
            continue;
        }
        if is_older {
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

/// A commit and its first parent.
struct Step<'a> {
    project: &'a Project,
    repository: &'a Repository,
    commit_id: &'a CommitId,
    first: Option<&'a CommitId>,
}

struct Found {
    finding: Finding,
    is_older: bool,
}

impl Step<'_> {
    /// Finds the errors by the first parent whose trust files can judge: those that cannot are to be mended by a commit. Whose keys
    /// count is the person's decision.
    fn found_by_root(&self, parents: &[CommitId]) -> Result<Vec<Found>, Error> {
        for parent in parents {
            match self.found(&Signers::Root(parent.to_string())) {
                Err(Error::NoTrustFiles { .. } | Error::TrustRoot { .. }) => {}
                found => {
                    let is_judged = |found: &Found| found.finding.verdict != Some(Verdict::Untrusted);
                    return Ok(found?.into_iter().filter(is_judged).collect());
                }
            }
        }
        Ok(Vec::new())
    }

    /// Finds the errors of the step, and which of them are older.
    fn found(&self, signers: &Signers) -> Result<Vec<Found>, Error> {
        let source = match self.first {
            Some(first) => Source::Range { range: format!("{first}..{}", self.commit_id), commits: None },
            None => revision(self.commit_id),
        };
        let found = errors(self.project, source, signers)?;
        let before = match self.first.filter(|_| !found.is_empty()) {
            Some(first) => errors(self.project, revision(first), signers)?,
            None => Vec::new(),
        };
        let judged = found.into_iter().map(|finding| {
            let is_older =
                self.is_older(&finding, &before)? || !self.is_of_end(&finding)? || self.is_older_submodule(&finding)?;
            Ok(Found { finding, is_older })
        });
        judged.collect()
    }

    /// Tells whether the first parent has a finding, about the same content.
    fn is_older(&self, finding: &Finding, before: &[Finding]) -> Result<bool, LocateError> {
        let is_same = |other: &Finding| {
            (other.rule, &other.path, &other.message, &other.item_id)
                == (finding.rule, &finding.path, &finding.message, &finding.item_id)
        };
        match self.first.filter(|_| before.iter().any(is_same)) {
            Some(first) => Ok(finding.path == WHOLE_COMMIT || self.has_same(first, &finding.path)?),
            None => Ok(false),
        }
    }

    /// Tells whether a finding is about a submodule that the first parent has as it is, where no signed skill demanded a finding yet.
    fn is_older_submodule(&self, finding: &Finding) -> Result<bool, LocateError> {
        let fault = SkillFault::Repository { path: String::new() };
        let Some(first) = self.first.filter(|_| finding.rule == fault.rule()) else { return Ok(false) };
        let here = self.repository.entry_at(self.commit_id, &finding.path)?;
        let is_submodule = here.as_ref().is_some_and(|entry| entry.mode == Mode::Submodule);
        Ok(is_submodule && here == self.repository.entry_at(first, &finding.path)?)
    }

    /// Tells whether a finding is about content of the commit, and not only about that of a commit which it merges.
    fn is_of_end(&self, finding: &Finding) -> Result<bool, LocateError> {
        match finding.commit_id.as_ref().filter(|at_fault| *at_fault != self.commit_id) {
            Some(at_fault) => self.has_same(at_fault, &finding.path),
            None => Ok(true),
        }
    }

    /// Tells whether the commit and another one have the same file or folder at a path, or both have none.
    fn has_same(&self, other: &CommitId, path: &str) -> Result<bool, LocateError> {
        let content = |commit_id: &CommitId| -> Result<_, LocateError> {
            let file = self.repository.entry_at(commit_id, path)?;
            let below = self.repository.entries_below(commit_id, path, files::MAX_ENTRIES)?;
            Ok((file, below))
        };
        Ok(content(self.commit_id)? == content(other)?)
    }
}

fn revision(commit_id: &CommitId) -> Source {
    Source::Revision { revision: commit_id.to_string(), commits: None }
}

/// Returns the errors of a verification.
fn errors(project: &Project, source: Source, signers: &Signers) -> Result<Vec<Finding>, Error> {
    let outcome = verify(project, &Options { source, signers: signers.clone(), ..Options::default() })?;
    Ok(outcome.findings.into_iter().filter(|finding| finding.severity == Severity::Error).collect())
}

/// Takes a commit out of a finding that only this program knows of.
fn of_no_commit(finding: Finding, commit_id: &CommitId) -> Finding {
    let hint = match finding.verdict {
        None => hint::trust_of_index(finding.rule, &finding.path, finding.hint),
        Some(_) => finding.hint,
    };
    let hint = hint::of_index(&hint, commit_id);
    Finding { commit_id: None, hint, ..finding }
}
