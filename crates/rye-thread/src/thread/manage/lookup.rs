//! Which thread a person means: an id, the beginning of one, a branch, or `@latest`; of a remote, all of these behind `REMOTE/`.

use std::collections::BTreeSet;

use crate::git::Repository;
use crate::id::{ThreadId, ThreadName, nearest};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::remote_refs;
use crate::thread::record::{History, Need, Ref, Verb, archive, branch, log, state};
use crate::thread::replay::judge;

/// How many threads an ambiguous name lists.
const MOST_NAMED: usize = 10;

/// Names the thread that began last.
const LATEST: &str = "@latest";

/// Finds the thread of a name.
///
/// # Errors
///
/// Fails outside a repository, and when no thread or several have the name.
pub fn find(session: &Session, name: &str) -> Result<ThreadId, Error> {
    let repository = session.project().require_repository()?;
    let prefix = &session.context().config().threads.prefix;
    if name == LATEST {
        return latest(&repository, prefix)?.ok_or(Error::NoThreads);
    }
    let folder = ThreadId::branches(prefix);
    let known = ids(&repository, prefix)?;
    let short = folder.trim_start_matches("refs/heads/");
    let id = [folder.as_str(), short, archive::FOLDER]
        .into_iter()
        .find_map(|folder| name.strip_prefix(folder))
        .unwrap_or(name);
    if let Some(exact) = known.iter().find(|known| known.as_str() == id) {
        return Ok(exact.clone());
    }
    let mut meant = known.iter().filter(|known| !id.is_empty() && known.as_str().starts_with(id));
    match (meant.next(), meant.next()) {
        (Some(only), None) => Ok(only.clone()),
        (Some(first), Some(second)) => {
            let threads = [first, second].into_iter().chain(meant).cloned().collect();
            Err(Error::Ambiguous { name: name.to_owned(), threads })
        }
        (None, _) => Err(match only_log(&repository, id)? {
            Some(thread_id) if log::is_running(repository.common_dir(), &thread_id) => Error::Running { thread_id },
            Some(thread_id) => Error::OnlyLog { thread_id },
            None => match elsewhere(&repository, prefix, id)? {
                Some(thread) => Error::OnlyFetched { thread, branch: None },
                None => unknown(&repository, name, &known),
            },
        }),
    }
}

/// Finds the thread of a name for a verb: `ID` here, or `REMOTE/ID` as a fetch brought it.
///
/// # Errors
///
/// As [`find`], when no fetch brought such a thread, and when the verb takes only a thread that is here.
pub fn find_for(session: &Session, name: &str, verb: Verb) -> Result<ThreadName, Error> {
    let repository = session.project().require_repository()?;
    let prefix = &session.context().config().threads.prefix;
    let Some((remote, id)) = at_remote(&repository, prefix, name) else { return Ok(find(session, name)?.into()) };
    let mut known = remote_refs::list(&repository, &remote, prefix)?;
    let not_fetched = || Error::NotFetched { name: id.clone(), remote: remote.clone() };
    if id == LATEST {
        let last = known.into_iter().max_by_key(|found| (found.thread_id.started_at(), found.thread_id.clone()));
        return for_verb(session, &repository, last.ok_or_else(not_fetched)?, verb);
    }
    if let Some(exact) = known.iter().position(|found| found.thread_id.as_str() == id) {
        return for_verb(session, &repository, known.swap_remove(exact), verb);
    }
    known.retain(|found| !id.is_empty() && found.thread_id.as_str().starts_with(&id));
    match known.len() {
        0 => Err(not_fetched()),
        1 => for_verb(session, &repository, known.remove(0), verb),
        _ => {
            let threads = known.into_iter().take(MOST_NAMED).map(|found| found.thread_id).collect();
            Err(Error::Ambiguous { name: name.to_owned(), threads })
        }
    }
}

/// Tells whether any thread was fetched from a remote.
///
/// # Errors
///
/// Fails outside a repository, and when refs cannot be read.
pub fn has_fetched(session: &Session) -> Result<bool, Error> {
    let repository = session.project().require_repository()?;
    for remote in remote_refs::remotes(&repository) {
        if !remote_refs::list(&repository, &remote, &session.context().config().threads.prefix)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Takes the name of a remote from the beginning of a thread's; none for a name of what is here.
fn at_remote(repository: &Repository, prefix: &str, name: &str) -> Option<(String, String)> {
    let folder = ThreadId::branches(prefix);
    let is_here = [folder.as_str(), folder.trim_start_matches("refs/heads/"), archive::FOLDER];
    if is_here.iter().any(|folder| name.starts_with(folder)) {
        return None;
    }
    let name = name.strip_prefix("refs/remotes/").unwrap_or(name);
    remote_refs::remotes(repository).into_iter().find_map(|remote| {
        let rest = name.strip_prefix(&remote)?.strip_prefix('/')?;
        let id = rest.strip_prefix(folder.trim_start_matches("refs/heads/")).unwrap_or(rest);
        Some((remote, id.to_owned()))
    })
}

/// Finds the one fetched thread with this id, or whose id begins so.
fn elsewhere(repository: &Repository, prefix: &str, id: &str) -> Result<Option<ThreadName>, Error> {
    let mut meant = Vec::new();
    for remote in remote_refs::remotes(repository) {
        let found = remote_refs::list(repository, &remote, prefix)?.into_iter();
        meant.extend(found.filter(|found| !id.is_empty() && found.thread_id.as_str().starts_with(id)));
    }
    let exact = meant.iter().position(|found| found.thread_id.as_str() == id);
    let one = exact.or_else(|| (meant.len() == 1).then_some(0)).map(|at| meant.swap_remove(at));
    Ok(one.map(|found| ThreadName { thread_id: found.thread_id, remote: found.remote }))
}

/// Returns the name of a fetched thread, if a verb takes one.
fn for_verb(session: &Session, repository: &Repository, found: Ref, verb: Verb) -> Result<ThreadName, Error> {
    let thread = ThreadName { thread_id: found.thread_id.clone(), remote: found.remote.clone() };
    if verb.takes_fetched() {
        return Ok(thread);
    }
    if verb.needs() == Need::OwnAgent
        && let Some(bad) = judge(session, &[History::at(repository, &found)?], verb).into_iter().next()
    {
        return Err(Error::of_commit(&thread, bad.commit_id, bad.fault));
    }
    if verb.needs() != Need::OwnAgent {
        return Err(Error::NotHere { thread });
    }
    let prefix = &session.context().config().threads.prefix;
    let branch = branch::name(prefix, &thread.thread_id).trim_start_matches("refs/heads/").to_owned();
    let branch = Some([branch, found.name.trim_start_matches("refs/").to_owned()]);
    Err(Error::OnlyFetched { thread, branch })
}

/// Finds the one thread whose id begins so and of which nothing is there but a log.
fn only_log(repository: &Repository, id: &str) -> Result<Option<ThreadId>, Error> {
    let logs = log::ids(repository.common_dir())?;
    if let Some(exact) = logs.iter().find(|known| known.as_str() == id) {
        return Ok(Some(exact.clone()));
    }
    let mut meant = logs.into_iter().filter(|known| !id.is_empty() && known.as_str().starts_with(id));
    let first = meant.next();
    Ok(first.filter(|_| meant.next().is_none()))
}

/// Returns the thread that began last. Ids tell the second; of the threads of one second, their records tell more.
fn latest(repository: &Repository, prefix: &str) -> Result<Option<ThreadId>, Error> {
    let mut refs = archive::branches(repository, prefix)?;
    refs.extend(archive::archived(repository, prefix)?);
    let last = refs.iter().map(|found| found.thread_id.started_at()).max();
    refs.retain(|found| Some(found.thread_id.started_at()) == last);
    if refs.len() == 1 {
        return Ok(refs.pop().map(|found| found.thread_id));
    }
    let began = |found: &archive::Ref| state::read(repository, found).ok().flatten().map(|thread| thread.started_at);
    let dated = refs.iter().map(|found| (began(found), &found.thread_id));
    Ok(dated.max().map(|(_, thread_id)| thread_id.clone()))
}

/// Returns the ids of all threads, archived ones included.
pub(in crate::thread) fn ids(repository: &Repository, prefix: &str) -> Result<BTreeSet<ThreadId>, Error> {
    let refs = [archive::branches(repository, prefix)?, archive::archived(repository, prefix)?];
    Ok(refs.into_iter().flatten().map(|found| found.thread_id).collect())
}

fn unknown(repository: &Repository, name: &str, known: &BTreeSet<ThreadId>) -> Error {
    let suggestion = nearest(name, known.iter().map(ThreadId::as_str)).and_then(|id| id.parse().ok());
    // A whole id was copied from somewhere: a remote may have the thread.
    let is_whole = name.parse().is_ok_and(|id: ThreadId| id.started_at().is_some());
    if let Some(remote) = repository.default_remote().filter(|_| is_whole) {
        return Error::UnknownHere { name: name.to_owned(), suggestion, remote };
    }
    Error::Unknown { name: name.to_owned(), suggestion }
}
