//! Searching former entries below a folder, newest first: where a moved signature came from, when an item was removed.
//!
//! A search that only helps skips missing objects. One that decides passes over nothing but the end of a shallow clone.
//! Both end at a limit.

use std::collections::{BTreeSet, BinaryHeap};

use serde::Serialize;

use super::{CommitId, CommitInfo, Error, Repository, TreeChange, TreeEntry};

/// How many entries of two trees are compared before a commit is passed over.
const MAX_ENTRIES: usize = 100_000;

/// The same where it decides: of so many, no verification would have read the commit itself.
const MAX_COMPARED: usize = 400_000;

/// A former version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PastEntry {
    /// A commit that has it; the last one on some way from there to the start.
    pub commit_id: CommitId,
    /// Where, and its blob.
    #[serde(flatten)]
    pub entry: TreeEntry,
}

impl Repository {
    /// Finds a leaf below `prefix`, in `start` or one of the commits it builds on, that `is_wanted` says yes to; newest
    /// first, at most `limit` commits. Each pair of path and blob is asked about once.
    ///
    /// # Errors
    /// As [`changes_below`](Self::changes_below), but missing objects are skipped.
    pub fn find_in_history(
        &self,
        start: &CommitId,
        prefix: &str,
        limit: usize,
        mut is_wanted: impl FnMut(&TreeEntry) -> bool,
    ) -> Result<Option<PastEntry>, Error> {
        let mut asked = BTreeSet::new();
        let mut is_found =
            |entry: &TreeEntry| asked.insert((entry.path.clone(), entry.blob_id.clone())) && is_wanted(entry);
        let standing = passing_over(self.entries_below(start, prefix, MAX_ENTRIES), is_absent)?;
        if let Some(entry) = standing.unwrap_or_default().into_iter().find(&mut is_found) {
            return Ok(Some(PastEntry { commit_id: start.clone(), entry }));
        }
        let mut history = NewestFirst::new(self, is_absent);
        history.meet(start)?;
        for _ in 0..limit {
            let Some((commit_id, info)) = history.next()? else { break };
            for parent in info.parents {
                let changes = self.changes_below(std::slice::from_ref(&parent), &commit_id, prefix, MAX_ENTRIES);
                let gone = passing_over(changes, is_absent)?.unwrap_or_default().into_iter().filter_map(|it| it.before);
                if let Some(entry) = gone.into_iter().find(&mut is_found) {
                    return Ok(Some(PastEntry { commit_id: parent, entry }));
                }
            }
        }
        Ok(None)
    }
}

impl Repository {
    /// Tells of every change below `prefix` by a commit, `start` or one it builds on, and when the commit was made, in
    /// seconds; newest first, at most `limit` commits. A merge is told of once for each parent, and what a shallow clone
    /// cut off is passed over.
    ///
    /// # Errors
    /// As [`changes_below`](Self::changes_below): an object missing in a partial clone is an error.
    pub fn changes_in_history(
        &self,
        start: &CommitId,
        prefix: &str,
        limit: usize,
        mut tell: impl FnMut(&[TreeChange], i64),
    ) -> Result<(), Error> {
        let mut history = NewestFirst::new(self, is_cut_off);
        history.meet(start)?;
        for _ in 0..limit {
            let Some((commit_id, info)) = history.next()? else { break };
            // A merge can take out what any of its parents had.
            for parent in &info.parents {
                // An author can backdate a change, but not its parents.
                let before =
                    passing_over(self.commit_info(parent), is_cut_off)?.map_or(0, |info| info.committer.seconds);
                let changes = self.changes_below(std::slice::from_ref(parent), &commit_id, prefix, MAX_COMPARED);
                if let Some(changes) = passing_over(changes, is_cut_off)? {
                    tell(&changes, info.committer.seconds.max(before));
                }
            }
        }
        Ok(())
    }
}

/// Commits by date, each once.
struct NewestFirst<'repo> {
    repository: &'repo Repository,
    queue: BinaryHeap<(i64, CommitId)>,
    met: BTreeSet<CommitId>,
    /// What a commit that is not there is passed over for.
    passes_over: fn(&Error) -> bool,
}

impl<'repo> NewestFirst<'repo> {
    fn new(repository: &'repo Repository, passes_over: fn(&Error) -> bool) -> Self {
        Self { repository, queue: BinaryHeap::new(), met: BTreeSet::new(), passes_over }
    }

    fn meet(&mut self, commit_id: &CommitId) -> Result<(), Error> {
        if self.met.insert(commit_id.clone())
            && let Some(info) = passing_over(self.repository.commit_info(commit_id), self.passes_over)?
        {
            self.queue.push((info.committer.seconds, commit_id.clone()));
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<(CommitId, CommitInfo)>, Error> {
        let Some((_, commit_id)) = self.queue.pop() else { return Ok(None) };
        let info = self.repository.commit_info(&commit_id)?;
        for parent in &info.parents {
            self.meet(parent)?;
        }
        Ok(Some((commit_id, info)))
    }
}

fn passing_over<T>(result: Result<T, Error>, is_passed: fn(&Error) -> bool) -> Result<Option<T>, Error> {
    match result {
        Err(error) if is_passed(&error) => Ok(None),
        other => other.map(Some),
    }
}

/// Tells whether something is missing without a fault, or is too much.
const fn is_absent(error: &Error) -> bool {
    is_cut_off(error)
        || matches!(error, Error::Promised { .. } | Error::MissingAlternate { .. } | Error::MissingObject { .. })
}

/// Tells whether history ends here, or a commit is too large for any verification.
const fn is_cut_off(error: &Error) -> bool {
    matches!(error, Error::Shallow { .. } | Error::TooManyEntries { .. } | Error::TooLargeTree { .. })
}
