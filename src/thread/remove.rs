//! Forgetting threads: their logs, their trees, their branches.
//!
//! Commit point of each: the removal of its branch. Killed after it, a log is left that no branch belongs to; the next removal
//! takes it along.

use serde::Serialize;

use super::accept;
use super::archive;
use super::ending::Ending;
use super::error::Error;
use super::find;
use super::log;
use super::record::{Outcome, Status};
use super::report;
use super::tree;
use crate::id::{ThreadId, Timestamp};
use crate::ops::locate::Session;

/// Which threads to forget. Conditions that are given must all hold.
#[derive(Debug, Clone, Default)]
pub struct RemoveOptions {
    /// These threads; none of them means every one that the conditions hold for.
    pub threads: Vec<ThreadId>,
    /// Those that began before this time.
    pub before: Option<Timestamp>,
    /// Those that stand in this way.
    pub ending: Option<Ending>,
}

/// What was forgotten.
#[derive(Debug, Serialize)]
pub struct Removed {
    /// The threads.
    pub threads: Vec<ThreadId>,
    /// Threads of which a log was left and no branch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leftovers: Vec<ThreadId>,
}

/// Lists what would be forgotten, the newest first. Running threads are passed over, unless they are named.
///
/// # Errors
///
/// Fails outside a repository, when a branch cannot be read, and when a named thread is running or does not exist.
pub fn removable(session: &Session, options: &RemoveOptions) -> Result<Vec<Outcome>, Error> {
    let archived = report::ListOptions { archived: true, ..report::ListOptions::default() };
    let mut threads = match options.threads.as_slice() {
        [] => [report::list(session)?.threads, report::select(session, &archived)?.threads].concat(),
        named => named.iter().map(|thread_id| report::show(session, thread_id)).collect::<Result<_, _>>()?,
    };
    let running = |thread: &&Outcome| thread.status == Status::Running;
    if let Some(thread) = threads.iter().find(running).filter(|_| !options.threads.is_empty()) {
        return Err(Error::Running { thread_id: thread.thread_id.clone() });
    }
    threads.retain(|thread| {
        thread.status != Status::Running
            && options.ending.is_none_or(|ending| thread.ending == ending)
            && options.before.is_none_or(|before| thread.started_at < before)
    });
    Ok(threads)
}

/// Forgets threads that [`removable`] listed.
///
/// # Errors
///
/// Fails when one of them runs again or moved since, when taking one over was cut short in this work tree, and when something cannot be removed; those before it are gone.
pub fn remove(session: &Session, threads: &[Outcome]) -> Result<Removed, Error> {
    let repository = session.require_repository()?;
    let prefix = &session.context().config().threads.prefix;
    tree::sweep(&repository)?;
    let mut removed = Removed { threads: Vec::new(), leftovers: Vec::new() };
    for thread in threads {
        let thread_id = &thread.thread_id;
        if accept::is_cut_short(&repository, thread_id) {
            return Err(Error::AcceptCutShort { thread_id: thread_id.clone() });
        }
        if log::is_running(repository.common_dir(), thread_id) {
            return Err(Error::Running { thread_id: thread_id.clone() });
        }
        for name in archive::names(prefix, thread_id) {
            // A move into the archive that was cut short leaves two of them.
            if name == thread.branch || repository.branch(&name)?.as_ref() == Some(&thread.commit_id) {
                repository.delete_branch(&name, &thread.commit_id)?;
            }
        }
        log::remove(repository.common_dir(), thread_id)?;
        removed.threads.push(thread_id.clone());
    }
    let known = find::ids(&repository, prefix)?;
    for thread_id in log::ids(repository.common_dir())? {
        if !known.contains(&thread_id) && !log::is_running(repository.common_dir(), &thread_id) {
            log::remove(repository.common_dir(), &thread_id)?;
            removed.leftovers.push(thread_id);
        }
    }
    Ok(removed)
}
