//! Which thread a person means: an id, the beginning of one, a branch, or `@latest`.

use std::collections::BTreeSet;

use super::archive;
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
    let known = ids(&repository, &session.context().config().threads.prefix)?;
    if name == LATEST {
        let latest = known.into_iter().max_by(|a, b| (a.started_at(), a).cmp(&(b.started_at(), b)));
        return latest.ok_or_else(|| unknown(name, &BTreeSet::new()));
    }
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
        (None, _) => Err(unknown(name, &known)),
    }
}

/// Returns the ids of all threads, archived ones included.
pub(super) fn ids(repository: &Repository, prefix: &str) -> Result<BTreeSet<ThreadId>, Error> {
    let refs = [archive::branches(repository, prefix)?, archive::archived(repository, prefix)?];
    Ok(refs.into_iter().flatten().map(|found| found.thread_id).collect())
}

fn unknown(name: &str, known: &BTreeSet<ThreadId>) -> Error {
    let suggestion = nearest(name, known.iter().map(ThreadId::as_str)).and_then(|id| id.parse().ok());
    Error::Unknown { name: name.to_owned(), suggestion }
}
