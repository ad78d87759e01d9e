//! The state of a thread, read from its ref alone, and whether its runner lives.

use super::archive::Ref;
use super::branch;
use super::log;
use super::remote_refs;
use super::thread_json::{Outcome, Record, Status};
use crate::capability::Token;
use crate::git::{CommitId, Repository};
use crate::id::{ThreadId, ThreadName};
use crate::keys::{KeyName, KeyStore, TrustDir};
use crate::session::Session;
use crate::thread::error::Error;

/// Shows one thread: one that is here, archived or not, or one that was fetched.
///
/// # Errors
///
/// Fails outside a repository, when the thread is unknown, and when its branch cannot be read.
pub fn show(session: &Session, thread: impl Into<ThreadName>) -> Result<Outcome, Error> {
    let thread = thread.into();
    let repository = session.project().require_repository()?;
    let found = remote_refs::find(&repository, &session.context().config().threads.prefix, &thread)?;
    let read = found.map(|found| read(&repository, &found)).transpose()?.flatten();
    let unknown = || Error::Unknown { name: thread.to_string(), suggestion: None };
    with_signers(session, read.ok_or_else(unknown)?)
}

/// Names the file by which stock git verifies the commits of this machine's threads.
pub(in crate::thread) fn with_signers(session: &Session, mut outcome: Outcome) -> Result<Outcome, Error> {
    let store = KeyStore::new(session.context())?;
    // Stock git knows no use for turns alone: of a fetched thread its answer would be another one.
    if outcome.remote.is_none() && store.find_public(KeyName::Agent)?.is_some() {
        outcome.allowed_signers = Some(TrustDir::new(session.context())?.write_git_files(&store)?.allowed_signers);
    }
    Ok(outcome)
}

/// Reads a thread from its ref's tip; none for one that holds no thread of its own name.
pub(in crate::thread) fn read(repository: &Repository, found: &Ref) -> Result<Option<Outcome>, Error> {
    let record = record_at(repository, &found.commit_id, &found.thread_id)?;
    Ok(record.map(|record| stand(repository, record, found)))
}

/// Reads `thread.json` of a commit; `None` without the file.
pub(in crate::thread) fn record_at(
    repository: &Repository,
    commit_id: &CommitId,
    thread_id: &ThreadId,
) -> Result<Option<Record>, Error> {
    let bytes = repository.file_at(commit_id, &branch::path(thread_id, "thread.json"))?;
    let wrong = |source| Error::Record { thread_id: thread_id.clone(), source };
    bytes.map(|bytes| serde_json::from_slice(&bytes).map_err(wrong)).transpose()
}

/// Reads the tokens of a thread as a commit has them; none without the file.
pub(in crate::thread) fn tokens_at(
    repository: &Repository,
    commit_id: &CommitId,
    thread_id: &ThreadId,
) -> Result<Vec<Token>, Error> {
    let bytes = repository.file_at(commit_id, &branch::path(thread_id, "token.json"))?;
    let unreadable = |source| Error::Setup { thread_id: thread_id.clone(), file: "token.json", source };
    bytes.map_or(Ok(Vec::new()), |bytes| serde_json::from_slice(&bytes).map_err(unreadable))
}

/// Tells the state of a thread: one without an end whose runner is gone is interrupted. The runner of a fetched one is not here.
pub(in crate::thread) fn stand(repository: &Repository, mut record: Record, found: &Ref) -> Outcome {
    let runs_here = || found.remote.is_none() && log::is_running(repository.common_dir(), &record.thread_id);
    if record.status == Status::Running && !runs_here() {
        record.status = Status::Interrupted;
    }
    let mut outcome = record.outcome(found.name.clone(), found.commit_id.clone());
    outcome.remote.clone_from(&found.remote);
    outcome
}
