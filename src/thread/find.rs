//! Which thread a person means: an id, the beginning of one, a branch, or `@latest`.

use super::branch;
use super::error::Error;
use crate::git::Repository;
use crate::id::{ThreadId, nearest};
use crate::ops::locate::Session;

/// Names the thread that began last.
const LATEST: &str = "@latest";

/// Finds the thread of a name.
///
/// # Errors
///
/// Fails outside a repository, and when no thread or several have the name.
pub fn find(session: &Session, name: &str) -> Result<ThreadId, Error> {
    let repository = session.require_repository()?;
    let folder = ThreadId::branches(&session.context().config().threads.prefix);
    let known = ids(&repository, &folder)?;
    if name == LATEST {
        let latest = known.into_iter().max_by(|a, b| (a.started_at(), a).cmp(&(b.started_at(), b)));
        return latest.ok_or_else(|| unknown(name, &[]));
    }
    let short = folder.trim_start_matches("refs/heads/");
    let id = [folder.as_str(), short].into_iter().find_map(|folder| name.strip_prefix(folder)).unwrap_or(name);
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
        (None, _) => Err(unknown(name, &known)),
    }
}

/// Returns the ids of all threads with a branch.
pub(super) fn ids(repository: &Repository, folder: &str) -> Result<Vec<ThreadId>, Error> {
    let branches = repository.branches_below(folder)?;
    Ok(branches.iter().filter_map(|(name, _)| branch::thread_id(name, folder)).collect())
}

fn unknown(name: &str, known: &[ThreadId]) -> Error {
    let suggestion = nearest(name, known.iter().map(ThreadId::as_str)).and_then(|id| id.parse().ok());
    Error::Unknown { name: name.to_owned(), suggestion }
}
