//! The commits of a range `A..B`: those reachable from `B` and not from `A`, as git-rev-list(1) has it.
//!
//! Invariants:
//! - Every commit is read from its object, hashed, and followed by the parents it names: neither replacements nor grafts
//!   nor a shallow clone's list of cut points change what the range is. Where a commit of the range names a parent that
//!   is not there, the range is not known, and the error says why ([`Error::Shallow`] and its like).
//! - Commits are met in the order of their dates, and dates lie. A wrong date can put a commit into the range that `A`
//!   has too; it never leaves out one that `A` has not.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use serde::Serialize;

use super::{CommitId, CommitInfo, Error, Repository, Tags};

/// How many commits are looked at beyond the point where the range seems complete, in case dates lie.
const SLOP: usize = 256;

/// A range of commits, `A..B`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitRange {
    /// `A`: it and all it builds on are not of the range; `None`: the range is all of history.
    pub after: Option<CommitId>,
    /// `B`: the last commit of the range.
    pub last: CommitId,
}

/// A commit of a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RangeCommit {
    /// Its id.
    pub commit_id: CommitId,
    /// What it says.
    pub info: CommitInfo,
}

impl Repository {
    /// Reads a range `A..B`; a side that is empty is `HEAD`, as in git.
    ///
    /// # Errors
    /// [`Error::InvalidRange`] for anything else (also for `A...B`, whose commits are on two sides);
    /// [`Error::UnknownRevision`] if a side is unknown.
    pub fn resolve_range(&self, range: &str) -> Result<CommitRange, Error> {
        self.resolve_range_with(range, Tags::ByAnyName)
    }

    /// Reads a range whose beginning is a tag only by such a name as is allowed.
    ///
    /// # Errors
    /// As [`resolve_range`](Self::resolve_range), and [`Error::ShortTag`].
    pub fn resolve_range_with(&self, range: &str, tags: Tags) -> Result<CommitRange, Error> {
        let invalid = || Error::InvalidRange { range: range.to_owned() };
        let (after, last) = range.split_once("..").ok_or_else(invalid)?;
        if last.starts_with('.') || last.contains("..") {
            return Err(invalid());
        }
        let side = |revision: &str, tags| self.resolve_with(if revision.is_empty() { "HEAD" } else { revision }, tags);
        Ok(CommitRange { after: Some(side(after, tags)?), last: side(last, Tags::ByAnyName)? })
    }

    /// Lists the commits of a range, each after its parents. A range that is empty (`A` has all of `B`) has none.
    ///
    /// # Errors
    /// [`Error::Shallow`], [`Error::Promised`], [`Error::MissingAlternate`] or [`Error::MissingObject`] if a commit of
    /// the range is not there; otherwise as [`commit_info`](Self::commit_info).
    pub fn commits_in(&self, range: &CommitRange) -> Result<Vec<RangeCommit>, Error> {
        let last = self.native(range.last.to_gix())?;
        let mut walk = Walk { repository: self, met: BTreeMap::new(), queue: BinaryHeap::new(), open: 0 };
        walk.meet(last, false)?;
        if let Some(after) = &range.after {
            self.commit_info(after)?;
            walk.meet(after.to_gix(), true)?;
        }
        walk.run()?;
        Ok(walk.parents_first(last))
    }
}

/// A walk from both ends of a range towards the beginning of history.
struct Walk<'repo> {
    repository: &'repo Repository,
    met: BTreeMap<gix::ObjectId, Met>,
    /// By date, the newest on top.
    queue: BinaryHeap<(i64, gix::ObjectId)>,
    /// How many in the queue may be of the range.
    open: usize,
}

/// A commit the walk has met.
struct Met {
    info: CommitInfo,
    /// Whether it is known to be reachable from the end that is not of the range.
    excluded: bool,
    /// Whether it is in the queue.
    waiting: bool,
}

impl Walk<'_> {
    fn run(&mut self) -> Result<(), Error> {
        let (mut oldest, mut slop) = (i64::MAX, SLOP);
        while let Some((date, id)) = self.queue.pop() {
            if self.open == 0 && date < oldest {
                let Some(left) = slop.checked_sub(1) else { break };
                slop = left;
            }
            let Some(met) = self.met.get_mut(&id) else { continue };
            met.waiting = false;
            let excluded = met.excluded;
            if !excluded {
                self.open -= 1;
                oldest = oldest.min(date);
            }
            for parent in met.info.parents.clone() {
                self.meet(parent.to_gix(), excluded)?;
            }
        }
        Ok(())
    }

    fn meet(&mut self, id: gix::ObjectId, excluded: bool) -> Result<(), Error> {
        if self.met.contains_key(&id) {
            if excluded {
                self.exclude(id);
            }
            return Ok(());
        }
        let info = match self.repository.commit_info(&CommitId::from_gix(id)) {
            // Commits beyond it are not in the range by this way; another way may still reach them.
            Err(Error::Shallow { .. }) if excluded => return Ok(()),
            info => info?,
        };
        self.queue.push((info.committer.seconds, id));
        self.open += usize::from(!excluded);
        self.met.insert(id, Met { info, excluded, waiting: true });
        Ok(())
    }

    /// Takes a commit out of the range, and all that was met by way of it.
    fn exclude(&mut self, id: gix::ObjectId) {
        let mut found = vec![id];
        while let Some(id) = found.pop() {
            let Some(met) = self.met.get_mut(&id).filter(|met| !met.excluded) else { continue };
            met.excluded = true;
            if met.waiting {
                self.open -= 1;
            } else {
                found.extend(met.info.parents.iter().map(CommitId::to_gix));
            }
        }
    }

    fn parents_first(mut self, last: gix::ObjectId) -> Vec<RangeCommit> {
        let (mut placed, mut entered) = (Vec::new(), BTreeSet::new());
        let mut path = vec![(last, false)];
        while let Some((id, parents_placed)) = path.pop() {
            if parents_placed {
                placed.push(id);
                continue;
            }
            let Some(met) = self.met.get(&id).filter(|met| !met.excluded && entered.insert(id)) else { continue };
            path.push((id, true));
            path.extend(met.info.parents.iter().rev().map(|parent| (parent.to_gix(), false)));
        }
        let taken = placed.into_iter().filter_map(|id| Some((id, self.met.remove(&id)?.info)));
        taken.map(|(id, info)| RangeCommit { commit_id: CommitId::from_gix(id), info }).collect()
    }
}
