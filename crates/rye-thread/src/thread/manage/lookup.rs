//! Which thread a person means: an id, the beginning of one, a branch, or `@latest`.

use std::collections::BTreeSet;

use crate::git::Repository;
use crate::id::{ThreadId, nearest};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::{archive, log, state};

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
            None => unknown(name, &known),
        }),
    }
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

fn unknown(name: &str, known: &BTreeSet<ThreadId>) -> Error {
    let suggestion = nearest(name, known.iter().map(ThreadId::as_str)).and_then(|id| id.parse().ok());
    Error::Unknown { name: name.to_owned(), suggestion }
}
