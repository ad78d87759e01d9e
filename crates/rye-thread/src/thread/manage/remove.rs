//! Forgetting threads: their logs, their trees, their branches.
//!
//! Commit point of each: the removal of its branch. Killed after it, a log is left that no branch belongs to: it is removed by its
//! name, or with the interrupted threads.

use serde::Serialize;

use super::list;
use super::lookup;
use crate::id::{ThreadId, Timestamp};
use crate::machine::Ending;
use crate::session::Session;
use crate::thread::accept;
use crate::thread::error::Error;
use crate::thread::record::{Outcome, Status, archive, log, state};
use crate::thread::tree::own_tree;

/// Which threads to forget. Conditions that are given must all hold.
#[derive(Debug, Clone, Default)]
pub struct RemoveOptions {
    /// These threads; none of them, and no log, means every one that the conditions hold for.
    pub threads: Vec<ThreadId>,
    /// These logs, of threads without a branch.
    pub logs: Vec<ThreadId>,
    /// Those that began before this time.
    pub before: Option<Timestamp>,
    /// Those in this state.
    pub ending: Option<Ending>,
}

/// What would be forgotten.
#[derive(Debug)]
pub struct Removable {
    /// The threads, the newest first.
    pub threads: Vec<Outcome>,
    /// Threads of which there is a log and no branch.
    pub logs: Vec<ThreadId>,
}

/// The forgotten threads.
#[derive(Debug, Serialize)]
pub struct Removed {
    /// The threads.
    pub threads: Vec<ThreadId>,
    /// Threads of which a log was left and no branch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leftovers: Vec<ThreadId>,
}

/// Lists what would be forgotten. Logs without a branch are those that are named, or all of them with the interrupted threads. Running threads are passed over, unless they are named.
///
/// # Errors
///
/// Fails outside a repository, when a branch cannot be read, and when a named thread is running or does not exist.
pub fn removable(session: &Session, options: &RemoveOptions) -> Result<Removable, Error> {
    let archived = list::ListOptions { archived: true, ..list::ListOptions::default() };
    let is_named = !options.threads.is_empty() || !options.logs.is_empty();
    let mut threads = match options.threads.as_slice() {
        [] if is_named => Vec::new(),
        [] => [list::list(session)?.threads, list::select(session, &archived)?.threads].concat(),
        named => named.iter().map(|thread_id| state::show(session, thread_id)).collect::<Result<_, _>>()?,
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
    let mut logs = match is_named {
        true => options.logs.clone(),
        false if options.ending == Some(Ending::Interrupted) => lone_logs(session)?,
        false => Vec::new(),
    };
    logs.retain(|thread_id| options.before.is_none_or(|before| thread_id.started_at().is_some_and(|at| at < before)));
    Ok(Removable { threads, logs })
}

/// Forgets threads that [`removable`] listed.
///
/// # Errors
///
/// Fails when one of them runs again or moved since, when taking one over was cut short in this work tree, and when something cannot be removed; those before it are gone.
pub fn remove(session: &Session, removable: &Removable) -> Result<Removed, Error> {
    let repository = session.project().require_repository()?;
    let prefix = &session.context().config().threads.prefix;
    own_tree::sweep(&repository, |id| log::is_running(repository.common_dir(), id))?;
    let mut removed = Removed { threads: Vec::new(), leftovers: Vec::new() };
    for thread in &removable.threads {
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
    let alone = if removable.logs.is_empty() { Vec::new() } else { lone_logs(session)? };
    for thread_id in removable.logs.iter().filter(|thread_id| alone.contains(thread_id)) {
        log::remove(repository.common_dir(), thread_id)?;
        removed.leftovers.push(thread_id.clone());
    }
    Ok(removed)
}

/// Lists the threads of which there is a log, and neither a branch nor a runner.
fn lone_logs(session: &Session) -> Result<Vec<ThreadId>, Error> {
    let repository = session.project().require_repository()?;
    let known = lookup::ids(&repository, &session.context().config().threads.prefix)?;
    let mut logs = log::ids(repository.common_dir())?;
    logs.retain(|thread_id| !known.contains(thread_id) && !log::is_running(repository.common_dir(), thread_id));
    Ok(logs)
}
