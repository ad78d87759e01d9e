//! Commits that a forge's key signed: such a key signs the commits of every account, so it proves nothing of a person.
//!
//! Invariant: such a commit counts for its tree alone: its parent is verified, and the tree adds to it what verified commits
//! change, as a merge, a squash or a rebase does. Subject, number and name of a branch prove nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::LocateError;
use super::error::Error;
use super::files;
use crate::git::{CommitId, CommitInfo, CommitRange, RangeCommit, Repository, Tags};
use crate::id::Timestamp;
use crate::trust::{CommitFault, Signatory, TrustedKeys};

/// The most branches that are tried, and the most commits that one may bring.
const MAX_BRANCHES: usize = 2_000;
const MAX_COMMITS: usize = 1_000;

/// How many commits of a forge may rest on each other, beyond those that were judged before.
const MAX_DEPTH: usize = 100;

/// What can vouch for the tree of a commit.
pub(super) struct Vouchers<'a> {
    repository: &'a Repository,
    keys: &'a TrustedKeys,
    /// Ends of branches, wherever they are from, each with its time, or none if it is one of `merged`; none until one is needed.
    branches: Option<Vec<(Option<i64>, CommitId)>>,
    /// Names of more branches.
    merged: &'a [String],
    /// What is verified without a look: everything that these lead to.
    start: Vec<CommitId>,
    /// Where the range begins, and the trust root: `start`, as far as they do not lead to the judged commit itself.
    given: Vec<CommitId>,
    /// Commits that were judged, and whether they count.
    known: BTreeMap<CommitId, bool>,
    /// How many branches there are, if not all of them were tried.
    untried: Option<usize>,
    /// Squashed and rebased commits, and the commits whose changes they have.
    contained: BTreeMap<CommitId, BTreeSet<CommitId>>,
}

impl<'a> Vouchers<'a> {
    /// `given` is where the range begins, and the trust root.
    pub(super) fn new(
        repository: &'a Repository,
        keys: &'a TrustedKeys,
        merged: &'a [String],
        given: Vec<CommitId>,
    ) -> Self {
        let (known, contained) = (BTreeMap::new(), BTreeMap::new());
        Self { repository, keys, branches: None, merged, start: Vec::new(), given, known, contained, untried: None }
    }

    /// Remembers whether a commit counts.
    pub(super) fn note(&mut self, commit_id: &CommitId, is_good: bool) {
        self.known.insert(commit_id.clone(), is_good);
    }

    /// Tells whether a forge's commit counts: it merges, squashes or rebases verified commits onto its verified parent. Returns whose
    /// signatures it has its changes by; none for a merge, which has no changes of its own.
    pub(super) fn vouch(&mut self, commit: &RangeCommit) -> Result<Option<Vec<Signatory>>, Error> {
        self.start = self.start_for(commit)?;
        self.untried = None;
        if !self.vouch_at(commit, 0)? {
            return Ok(None);
        }
        let is_merge = commit.info.parents.len() > 1;
        if is_merge { Ok(Some(Vec::new())) } else { self.signers(&commit.commit_id).map(Some) }
    }

    /// Says that the last commit was not compared with every branch; none where it was.
    pub(super) fn untried(&self) -> Option<String> {
        let all = self.untried?;
        Some(format!(
            "it was not checked against all {all} branches, but against the {MAX_BRANCHES} nearest in time: name the merged branch with `--merged`"
        ))
    }

    /// Returns who signed the commits whose changes a squash or a rebase has, and those that they squash.
    fn signers(&self, commit_id: &CommitId) -> Result<Vec<Signatory>, Error> {
        let (mut signers, mut seen) = (Vec::new(), BTreeSet::from([commit_id.clone()]));
        let mut next = vec![commit_id.clone()];
        while let Some(commit_id) = next.pop() {
            for brought in self.contained.get(&commit_id).into_iter().flatten() {
                if !seen.insert(brought.clone()) {
                    continue;
                }
                let info = self.repository.commit_info(brought).map_err(LocateError::from)?;
                signers.extend(self.judge(&info).ok());
                next.push(brought.clone());
            }
        }
        Ok(signers)
    }

    /// Judges a commit by its own signature.
    fn judge(&self, info: &CommitInfo) -> Result<Signatory, CommitFault> {
        let at = Timestamp::from_milliseconds(info.committer.seconds.saturating_mul(1000));
        let signature = info.signature.as_ref();
        let payload = signature.map(|signature| signature.payload.as_slice()).unwrap_or_default();
        self.keys.judge_commit(signature.map(|signature| signature.armored.as_str()), payload, at)
    }

    /// Lists what is verified without a look when a commit is judged. What leads to the commit leads to all that it merges: its
    /// first parent takes that place, and the side that it merges counts by its own signatures.
    fn start_for(&self, commit: &RangeCommit) -> Result<Vec<CommitId>, Error> {
        let mut start = Vec::new();
        for given in &self.given {
            if self.leads_to(given, &commit.commit_id)? {
                start.extend(commit.info.parents.first().cloned());
            } else {
                start.push(given.clone());
            }
        }
        Ok(start)
    }

    fn vouch_at(&mut self, commit: &RangeCommit, depth: usize) -> Result<bool, Error> {
        if depth == MAX_DEPTH {
            return Ok(false);
        }
        // Until it counts, nothing counts by it.
        self.known.insert(commit.commit_id.clone(), false);
        match commit.info.parents.as_slice() {
            [parent] if self.is_verified(parent, depth)? => {
                for branch in self.branches_near(commit.info.committer.seconds)? {
                    let Some(brought) = self.brought(parent, &branch) else { continue };
                    if self.is_merge(commit, (parent, &branch), &brought, depth)?
                        || self.is_rebased(commit, parent, &brought, depth)?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            [parent, other] if self.is_verified(parent, depth)? => {
                let Some(brought) = self.brought(parent, other) else { return Ok(false) };
                self.is_merge(commit, (parent, other), &brought, depth)
            }
            _ => Ok(false),
        }
    }

    /// Lists what a branch has that a parent has not. A branch without its history, without such a commit or with too many
    /// vouches for nothing.
    fn brought(&self, parent: &CommitId, branch: &CommitId) -> Option<Vec<RangeCommit>> {
        let range = CommitRange { after: Some(parent.clone()), last: branch.clone() };
        self.repository.commits_in(&range).ok().filter(|brought| (1..=MAX_COMMITS).contains(&brought.len()))
    }

    /// Tells whether a commit is the merge or the squash of a branch.
    fn is_merge(
        &mut self,
        commit: &RangeCommit,
        (parent, branch): (&CommitId, &CommitId),
        brought: &[RangeCommit],
        depth: usize,
    ) -> Result<bool, Error> {
        let merged = self.repository.is_merge_of(&commit.info.tree_id, parent, branch).map_err(LocateError::from)?;
        if !merged || !self.all_count(brought, depth) {
            return Ok(false);
        }
        self.contains(commit, brought);
        Ok(true)
    }

    /// Tells whether a commit is what a rebase makes of one of a branch: its change, on a parent that has the changes of those
    /// before it.
    fn is_rebased(
        &mut self,
        commit: &RangeCommit,
        parent: &CommitId,
        brought: &[RangeCommit],
        depth: usize,
    ) -> Result<bool, Error> {
        let RangeCommit { info: CommitInfo { tree_id, author, .. }, .. } = commit;
        if *tree_id == self.repository.tree_of(parent).map_err(LocateError::from)? {
            return Ok(false);
        }
        // A rebase keeps author and time: this only saves work.
        for picked in brought.iter().filter(|picked| picked.info.author == *author) {
            let is_pick = self.repository.is_pick_of(tree_id, parent, &picked.commit_id).map_err(LocateError::from)?;
            if !is_pick {
                continue;
            }
            if let Some(line) = self.line_before(picked, parent, brought)?
                && self.all_count(&line, depth)
            {
                self.contains(commit, &line);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Lists a commit of a branch and those before it. None if `parent` lacks the change of one of these: a rebase leaves none
    /// out.
    fn line_before(
        &self,
        picked: &RangeCommit,
        parent: &CommitId,
        brought: &[RangeCommit],
    ) -> Result<Option<Vec<RangeCommit>>, Error> {
        let by_id: BTreeMap<&CommitId, &RangeCommit> =
            brought.iter().map(|commit| (&commit.commit_id, commit)).collect();
        let tree_id = self.repository.tree_of(parent).map_err(LocateError::from)?;
        let contained = self.contained.get(parent);
        let mut line = vec![picked.clone()];
        let mut last = picked;
        while let [before] = last.info.parents.as_slice() {
            // What is not brought, the parent leads to.
            let Some(before) = by_id.get(before) else { return Ok(Some(line)) };
            let has = contained.is_some_and(|contained| contained.contains(&before.commit_id))
                || self.repository.is_pick_of(&tree_id, parent, &before.commit_id).map_err(LocateError::from)?;
            if !has {
                return Ok(None);
            }
            line.push((*before).clone());
            last = before;
        }
        Ok(None)
    }

    fn contains(&mut self, commit: &RangeCommit, brought: &[RangeCommit]) {
        let ids = brought.iter().map(|brought| brought.commit_id.clone());
        self.contained.entry(commit.commit_id.clone()).or_default().extend(ids);
    }

    /// Tells whether all of these commits count. One that cannot be judged does not: anybody may push a damaged branch.
    fn all_count(&mut self, commits: &[RangeCommit], depth: usize) -> bool {
        commits.iter().all(|commit| self.counts(commit, depth).unwrap_or(false))
    }

    /// Tells whether a commit counts: by its own signature, because what is trusted to begin with leads to it, or by its tree.
    fn counts(&mut self, commit: &RangeCommit, depth: usize) -> Result<bool, Error> {
        let RangeCommit { commit_id, info } = commit;
        if let Some(known) = self.known.get(commit_id) {
            return Ok(*known);
        }
        let is_good = match self.judge(info) {
            Ok(_) => true,
            Err(_) if self.is_before_start(commit_id)? => true,
            Err(CommitFault::Forge { .. }) => self.vouch_at(commit, depth + 1)?,
            Err(_) => false,
        };
        self.note(commit_id, is_good);
        Ok(is_good)
    }

    fn is_verified(&mut self, commit_id: &CommitId, depth: usize) -> Result<bool, Error> {
        let info = self.repository.commit_info(commit_id).map_err(LocateError::from)?;
        self.counts(&RangeCommit { commit_id: commit_id.clone(), info }, depth)
    }

    /// Tells whether what is trusted to begin with leads to a commit.
    fn is_before_start(&self, commit_id: &CommitId) -> Result<bool, Error> {
        for start in &self.start {
            if self.leads_to(start, commit_id)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tells whether a commit is `end`, or comes before it.
    fn leads_to(&self, end: &CommitId, commit_id: &CommitId) -> Result<bool, Error> {
        let beyond = CommitRange { after: Some(end.clone()), last: commit_id.clone() };
        Ok(self.repository.commits_in(&beyond).map_err(LocateError::from)?.is_empty())
    }

    /// Lists the ends of branches whose time is next to a given one, the nearest first.
    fn branches_near(&mut self, seconds: i64) -> Result<Vec<CommitId>, Error> {
        let mut branches = self.branches()?;
        if branches.len() > MAX_BRANCHES {
            self.untried = Some(branches.len());
        }
        // What is named is never left out.
        branches.sort_by_key(|(at, _)| at.map(|at| at.abs_diff(seconds)));
        Ok(branches.into_iter().map(|(_, branch)| branch).take(MAX_BRANCHES).collect())
    }

    fn branches(&mut self) -> Result<Vec<(Option<i64>, CommitId)>, Error> {
        if let Some(branches) = &self.branches {
            return Ok(branches.clone());
        }
        let mut named = BTreeSet::new();
        for name in self.merged {
            named.insert(files::resolve(self.repository, name, Tags::ByFullName)?);
        }
        let found = self.repository.direct_below("refs/").map_err(LocateError::from)?;
        let ends: BTreeSet<CommitId> =
            found.into_iter().map(|(_, end)| end).filter(|end| !named.contains(end)).collect();
        // A branch whose history is not there vouches for nothing.
        let dated = |end: CommitId| Some((Some(self.repository.commit_info(&end).ok()?.committer.seconds), end));
        let branches: Vec<(Option<i64>, CommitId)> =
            named.into_iter().map(|end| (None, end)).chain(ends.into_iter().filter_map(dated)).collect();
        self.branches = Some(branches.clone());
        Ok(branches)
    }
}
