//! Where threads are that a fetch brought: at `refs/remotes/<remote>/<prefix>/threads/<id>`, where a plain `git fetch` brings them too.

use std::cmp::Reverse;

use super::archive::{self, Ref};
use crate::git::Repository;
use crate::id::ThreadName;
use crate::thread::error::Error;

/// Finds the ref of a thread: here, or where a fetch brought it.
pub(in crate::thread) fn find(
    repository: &Repository,
    prefix: &str,
    ThreadName { thread_id, remote }: &ThreadName,
) -> Result<Option<Ref>, Error> {
    let Some(remote) = remote else { return archive::find(repository, prefix, thread_id) };
    let name = format!("{}{thread_id}", folder(remote, prefix));
    let commit_id = repository.branch(&name)?;
    let found = |commit_id| Ref { thread_id: thread_id.clone(), name, commit_id, remote: Some(remote.clone()) };
    Ok(commit_id.map(found))
}

/// Returns what the full names of a remote's fetched threads start with, ending in `/`.
pub(in crate::thread) fn folder(remote: &str, prefix: &str) -> String {
    format!("refs/remotes/{remote}/{prefix}/threads/")
}

/// Lists the threads that were fetched from a remote. Refs with other names are no threads.
pub(in crate::thread) fn list(repository: &Repository, remote: &str, prefix: &str) -> Result<Vec<Ref>, Error> {
    let folder = folder(remote, prefix);
    let named = |(name, commit_id): (String, _)| {
        let thread_id = name.strip_prefix(&folder)?.parse().ok()?;
        Some(Ref { thread_id, name, commit_id, remote: Some(remote.to_owned()) })
    };
    Ok(repository.direct_below(&folder)?.into_iter().filter_map(named).collect())
}

/// Lists the remotes whose refs have a place, the longest name first: one may begin like another.
pub(in crate::thread) fn remotes(repository: &Repository) -> Vec<String> {
    let is_plain = |name: &String| {
        let is_part = |part: &str| !part.is_empty() && !part.starts_with(['.', '-']) && !part.contains("..");
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
        name.chars().all(is_letter) && name.split('/').all(is_part)
    };
    let mut names: Vec<String> = repository.remotes().into_iter().map(|remote| remote.name).filter(is_plain).collect();
    names.sort_by_key(|name| Reverse(name.len()));
    names
}
