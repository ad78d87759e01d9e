//! Whether every commit of a thread is by its runner: signed by the agent key of this person, or by a key that they trust for
//! commits.

use super::error::Error;
use crate::git::{CommitId, CommitInfo, Repository};
use crate::id::Timestamp;
use crate::keys::{KeyName, KeyStore};
use crate::session::Session;
use crate::thread::record::Outcome;
use crate::trust::{CommitFault, Namespace, Place, PublicKey, TrustedKeys, verify_armored};

/// Verifies the commits between a thread's base and its tip, and returns the first of them: it has the thread's first tree.
///
/// # Errors
///
/// Fails on the first commit, from the tip on, that is not verified, and when the branch does not go back to the base.
pub(super) fn verified(session: &Session, repository: &Repository, thread: &Outcome) -> Result<CommitId, Error> {
    let agent = KeyStore::new(session.context())?.find_public(KeyName::Agent)?;
    let keys = session.project().keys();
    let rewritten = |reason| Error::Rewritten { thread_id: thread.thread_id.clone(), reason };
    let mut commit_id = thread.commit_id.clone();
    loop {
        let info = repository.commit_info(&commit_id)?;
        judge(&keys, agent.as_ref(), &info).map_err(|fault| Error::Unverified {
            thread_id: thread.thread_id.clone(),
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

/// Judges a commit at the time its committer claims.
fn judge(keys: &TrustedKeys, agent: Option<&PublicKey>, info: &CommitInfo) -> Result<(), CommitFault> {
    let at = Timestamp::from_milliseconds(info.committer.seconds.saturating_mul(1000));
    let (armored, payload) = match &info.signature {
        Some(signature) => (Some(signature.armored.as_str()), signature.payload.as_slice()),
        None => (None, &[][..]),
    };
    let is_agents = || {
        let key = armored.and_then(|armored| verify_armored(armored, Namespace::Git, payload).ok());
        key.is_some_and(|key| agent == Some(&key) && !keys.is_revoked(&key, Place::PROJECT))
    };
    match keys.judge_commit(armored, payload, at) {
        Err(CommitFault::Untrusted { .. }) if is_agents() => Ok(()),
        judged => judged.map(drop),
    }
}
