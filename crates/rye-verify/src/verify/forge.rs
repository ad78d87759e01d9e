//! Commits that a forge's key signed: such a key signs the commits of every account, so it proves nothing of a person.
//!
//! Invariant: such a commit counts for its tree alone: it must be the merge of commits that verify by themselves into a parent
//! that is verified. Subject, number and name of a branch prove nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::LocateError;
use super::error::Error;
use super::files;
use crate::git::{CommitId, CommitRange, RangeCommit, Repository, Tags};
use crate::id::Timestamp;
use crate::trust::TrustedKeys;

/// The most branches that are tried, and the most commits that one may bring.
const MAX_BRANCHES: usize = 2_000;
const MAX_COMMITS: usize = 1_000;

/// What can vouch for the tree of a commit.
pub(super) struct Vouchers<'a> {
    repository: &'a Repository,
    keys: &'a TrustedKeys,
    /// Ends of branches, wherever they are from; none until one is needed.
    branches: Option<Vec<CommitId>>,
    /// Names of more branches.
    merged: &'a [String],
    /// What is verified without a look: everything that these lead to.
    start: Vec<CommitId>,
    /// Commits that were judged, and whether they count.
    known: BTreeMap<CommitId, bool>,
}

impl<'a> Vouchers<'a> {
    /// `start` is where the range begins, and the trust root.
    pub(super) fn new(
        repository: &'a Repository,
        keys: &'a TrustedKeys,
        merged: &'a [String],
        start: Vec<CommitId>,
    ) -> Self {
        Self { repository, keys, branches: None, merged, start, known: BTreeMap::new() }
    }

    /// Remembers whether a commit counts.
    pub(super) fn note(&mut self, commit_id: &CommitId, is_good: bool) {
        self.known.insert(commit_id.clone(), is_good);
    }

    /// Tells whether the tree of a commit is the merge of verified commits into its verified parent.
    pub(super) fn vouch(&mut self, commit: &RangeCommit) -> Result<bool, Error> {
        match commit.info.parents.as_slice() {
            [parent] if self.is_verified(parent)? => {
                for branch in self.branches()? {
                    if self.is_merge(commit, parent, &branch)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            [parent, other] if self.is_verified(parent)? => self.is_merge(commit, parent, other),
            _ => Ok(false),
        }
    }

    fn is_merge(&mut self, commit: &RangeCommit, parent: &CommitId, branch: &CommitId) -> Result<bool, Error> {
        let range = CommitRange { after: Some(parent.clone()), last: branch.clone() };
        // A branch whose history is not there vouches for nothing.
        let Ok(brought) = self.repository.commits_in(&range) else { return Ok(false) };
        if brought.is_empty() || brought.len() > MAX_COMMITS {
            return Ok(false);
        }
        let merged = self.repository.is_merge_of(&commit.info.tree_id, parent, branch).map_err(LocateError::from)?;
        Ok(merged && brought.iter().all(|commit| self.counts(commit)))
    }

    /// Tells whether a commit counts by its own signature, or was found to count before.
    fn counts(&mut self, RangeCommit { commit_id, info }: &RangeCommit) -> bool {
        if let Some(known) = self.known.get(commit_id) {
            return *known;
        }
        let at = Timestamp::from_milliseconds(info.committer.seconds.saturating_mul(1000));
        let signature = info.signature.as_ref();
        let is_good = signature
            .is_some_and(|signature| self.keys.judge_commit(Some(&signature.armored), &signature.payload, at).is_ok());
        self.known.insert(commit_id.clone(), is_good);
        is_good
    }

    /// Tells whether a parent is verified: it counts, or what is trusted to begin with leads to it.
    fn is_verified(&mut self, commit_id: &CommitId) -> Result<bool, Error> {
        if let Some(known) = self.known.get(commit_id) {
            return Ok(*known);
        }
        for start in &self.start {
            let beyond = CommitRange { after: Some(start.clone()), last: commit_id.clone() };
            if self.repository.commits_in(&beyond).map_err(LocateError::from)?.is_empty() {
                return Ok(true);
            }
        }
        let info = self.repository.commit_info(commit_id).map_err(LocateError::from)?;
        Ok(self.counts(&RangeCommit { commit_id: commit_id.clone(), info }))
    }

    fn branches(&mut self) -> Result<Vec<CommitId>, Error> {
        if let Some(branches) = &self.branches {
            return Ok(branches.clone());
        }
        let mut ends = BTreeSet::new();
        for name in self.merged {
            ends.insert(files::resolve(self.repository, name, Tags::ByFullName)?);
        }
        let found = self.repository.direct_below("refs/").map_err(LocateError::from)?;
        ends.extend(found.into_iter().map(|(_, end)| end).take(MAX_BRANCHES));
        let branches: Vec<CommitId> = ends.into_iter().collect();
        self.branches = Some(branches.clone());
        Ok(branches)
    }
}
