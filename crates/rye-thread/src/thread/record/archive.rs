//! Where threads are: each at its branch, or, when it finished long enough ago, in the archive, `refs/rye/archive/<id>`.
//!
//! Commit point of a move: the removal of the branch, after the ref in the archive is durable. A thread at both places is at its
//! branch; the next move completes an interrupted one.

use super::branch;
use crate::git::{CommitId, Repository};
use crate::id::ThreadId;
use crate::thread::error::Error;

/// The prefix of names of all archived threads.
pub(in crate::thread) const FOLDER: &str = "refs/rye/archive/";

/// A thread's ref.
pub(in crate::thread) struct Ref {
    pub(in crate::thread) thread_id: ThreadId,
    pub(in crate::thread) name: String,
    pub(in crate::thread) commit_id: CommitId,
    /// The remote that it was fetched from; none for one that is here.
    pub(in crate::thread) remote: Option<String>,
}

/// Returns a thread's name in the archive.
pub(in crate::thread) fn name(thread_id: &ThreadId) -> String {
    format!("{FOLDER}{thread_id}")
}

/// Returns the names that a thread's ref may have, the first one first.
pub(in crate::thread) fn names(prefix: &str, thread_id: &ThreadId) -> [String; 2] {
    [branch::name(prefix, thread_id), name(thread_id)]
}

/// Lists the branches of threads.
pub(in crate::thread) fn branches(repository: &Repository, prefix: &str) -> Result<Vec<Ref>, Error> {
    below(repository, &ThreadId::branches(prefix))
}

/// Lists the archived threads.
pub(in crate::thread) fn archived(repository: &Repository, prefix: &str) -> Result<Vec<Ref>, Error> {
    let mut archived = below(repository, FOLDER)?;
    if !archived.is_empty() {
        let branches: Vec<ThreadId> = branches(repository, prefix)?.into_iter().map(|found| found.thread_id).collect();
        archived.retain(|found| !branches.contains(&found.thread_id));
    }
    Ok(archived)
}

/// Finds a thread's ref.
pub(in crate::thread) fn find(
    repository: &Repository,
    prefix: &str,
    thread_id: &ThreadId,
) -> Result<Option<Ref>, Error> {
    for name in names(prefix, thread_id) {
        if let Some(commit_id) = repository.branch(&name)? {
            return Ok(Some(Ref { thread_id: thread_id.clone(), name, commit_id, remote: None }));
        }
    }
    Ok(None)
}

fn below(repository: &Repository, folder: &str) -> Result<Vec<Ref>, Error> {
    let refs = repository.branches_below(folder)?.into_iter();
    let named = |(name, commit_id): (String, CommitId)| {
        Some(Ref { thread_id: branch::thread_id(&name, folder)?, name, commit_id, remote: None })
    };
    Ok(refs.filter_map(named).collect())
}
