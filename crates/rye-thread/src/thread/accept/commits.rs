//! Whether every commit of a thread is by its runner: its signature counts, and the record leads to it and to its whole tree. A record of an
//! older version, without `setup.json`, is judged by its signatures and tokens.

use super::error::Error;
use crate::git::{CommitId, Repository};
use crate::session::Session;
use crate::thread::record::{Outcome, Verb, branch};
use crate::thread::replay::{Depth, check_tokens, derived, judge, lineage};

/// Verifies the commits between a thread's base and its tip, and returns the first of them: it has the thread's first tree.
///
/// # Errors
///
/// Fails when the branch does not go back to the base in one line, on the first commit whose signature does not count, and on the
/// first that differs from the derived one, or, without `setup.json`, on tokens that were not minted for the thread.
pub(super) fn verified(session: &Session, repository: &Repository, thread: &Outcome) -> Result<CommitId, Error> {
    let rewritten = |reason| Error::Rewritten { thread: thread.name(), reason };
    let histories = lineage(repository, &thread.thread_id, &thread.commit_id)?;
    if histories.iter().flat_map(|history| &history.commits).any(|commit| commit.info.parents.len() > 1) {
        return Err(rewritten("it has a merge"));
    }
    let first = histories.first().and_then(|history| history.commits.first());
    let first = first.filter(|first| first.info.parents.first() == thread.base.as_ref());
    let first = first.ok_or_else(|| rewritten("it does not go back to the thread's base"))?.commit_id.clone();
    if let Some(bad) = judge(session, &histories, Verb::Accept).into_iter().next() {
        return Err(Error::Unverified { thread: thread.name(), commit_id: bad.commit_id, fault: bad.fault });
    }
    // An older version recorded no `setup.json`, so nothing but its signatures can be judged; it recorded no forks either.
    let has_setup = repository.has_at(&first, &branch::path(&thread.thread_id, "setup.json"))?;
    match histories.as_slice() {
        [only] if !has_setup => check_tokens(repository, only)?,
        _ => drop(derived(repository, &thread.thread_id, histories, Depth::Commits)?),
    }
    Ok(first)
}
