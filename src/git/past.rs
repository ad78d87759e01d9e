//! Looking for what once stood below a folder, newest first: where a moved signature came from, when an item was removed.
//!
//! A search, not a proof: it ends at a limit, and what a shallow or partial clone does not have is passed over.

use std::collections::{BTreeSet, BinaryHeap};

use serde::Serialize;

use super::{CommitId, CommitInfo, Error, Repository, TreeEntry};

/// How many entries of two trees are compared before a commit is passed over.
const MAX_ENTRIES: usize = 100_000;

/// A file as it once stood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PastEntry {
    /// A commit in which it stood; the last one on some way from there to the start.
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
    /// As [`changes_below`](Self::changes_below), but what is not there is passed over.
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
        let standing = passing_over_absence(self.entries_below(start, prefix, MAX_ENTRIES))?;
        if let Some(entry) = standing.unwrap_or_default().into_iter().find(&mut is_found) {
            return Ok(Some(PastEntry { commit_id: start.clone(), entry }));
        }
        let mut history = NewestFirst::new(self);
        history.meet(start)?;
        for _ in 0..limit {
            let Some((commit_id, info)) = history.next()? else { break };
            for parent in info.parents {
                let changes = self.changes_below(std::slice::from_ref(&parent), &commit_id, prefix, MAX_ENTRIES);
                let gone = passing_over_absence(changes)?.unwrap_or_default().into_iter().filter_map(|it| it.before);
                if let Some(entry) = gone.into_iter().find(&mut is_found) {
                    return Ok(Some(PastEntry { commit_id: parent, entry }));
                }
            }
        }
        Ok(None)
    }
}

impl Repository {
    /// Tells of every leaf below `prefix` that a commit took out, in `start` or one of the commits it builds on, and when
    /// the commit was made; newest first, at most `limit` commits, until `is_enough` says yes.
    ///
    /// # Errors
    /// As [`changes_below`](Self::changes_below), but what is not there is passed over.
    pub fn removals_in_history(
        &self,
        start: &CommitId,
        prefix: &str,
        limit: usize,
        mut is_enough: impl FnMut(&TreeEntry, i64) -> bool,
    ) -> Result<(), Error> {
        let mut history = NewestFirst::new(self);
        history.meet(start)?;
        for _ in 0..limit {
            let Some((commit_id, info)) = history.next()? else { break };
            // A merge can take out what any of its parents had.
            for parent in &info.parents {
                // Whoever removes can date it back, and not what it builds on.
                let before = passing_over_absence(self.commit_info(parent))?.map_or(0, |info| info.committer.seconds);
                let removed = info.committer.seconds.max(before);
                let changes = self.changes_below(std::slice::from_ref(parent), &commit_id, prefix, MAX_ENTRIES);
                for change in passing_over_absence(changes)?.unwrap_or_default() {
                    if let (Some(entry), None) = (&change.before, &change.after)
                        && is_enough(entry, removed)
                    {
                        return Ok(());
                    }
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
}

impl<'repo> NewestFirst<'repo> {
    fn new(repository: &'repo Repository) -> Self {
        Self { repository, queue: BinaryHeap::new(), met: BTreeSet::new() }
    }

    fn meet(&mut self, commit_id: &CommitId) -> Result<(), Error> {
        if self.met.insert(commit_id.clone())
            && let Some(info) = passing_over_absence(self.repository.commit_info(commit_id))?
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

fn passing_over_absence<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Err(
            Error::Shallow { .. }
            | Error::Promised { .. }
            | Error::MissingAlternate { .. }
            | Error::MissingObject { .. }
            | Error::TooManyEntries { .. },
        ) => Ok(None),
        other => other.map(Some),
    }
}
