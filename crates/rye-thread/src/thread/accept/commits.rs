//! Whether every commit of a thread is by its runner: signed by the agent key of this person, or by a key that they trust for
//! turns or for commits.

use super::error::Error;
use crate::git::{CommitId, Repository};
use crate::session::Session;
use crate::thread::record::{Outcome, Verb};

/// Verifies the commits between a thread's base and its tip, and returns the first of them: it has the thread's first tree.
///
/// # Errors
///
/// Fails on the first commit, from the tip on, that is not verified, and when the branch does not go back to the base.
pub(super) fn verified(session: &Session, repository: &Repository, thread: &Outcome) -> Result<CommitId, Error> {
    let keys = session.project().keys();
    let rewritten = |reason| Error::Rewritten { thread: thread.name(), reason };
    let mut commit_id = thread.commit_id.clone();
    loop {
        let info = repository.commit_info(&commit_id)?;
        Verb::Accept.needs().judge(&keys, &info).map_err(|fault| Error::Unverified {
            thread: thread.name(),
            commit_id: commit_id.clone(),
            fault,
        })?;
        match (info.parents.as_slice(), &thread.base) {
            ([], None) => return Ok(commit_id),
            ([parent], Some(base)) if parent == base => return Ok(commit_id),
            ([parent], _) => commit_id = parent.clone(),
            ([], Some(_)) => return Err(rewritten("it does not go back to the thread's base")),
            ([_, _, ..], _) => return Err(rewritten("it has a merge")),
        }
    }
}
