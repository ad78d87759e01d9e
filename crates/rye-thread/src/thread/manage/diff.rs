//! What a thread changed, without its record.

use std::path::Path;

use serde::Serialize;

use crate::git::{CommitId, Pages, Repository, TreeChange, TreeEntry};
use crate::id::{ThreadId, ThreadName};
use crate::locate::subject_at;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::{Outcome, state, trailers};
use crate::thread::tree::DiffKind;
use crate::thread::tree::difference::{changed, kind, person_git, show};
use crate::trust::Signed;
use crate::workspace::MAX_ITEM_BYTES;

/// How far back an accept of a thread is looked for.
const MAX_COMMITS: usize = 500;

/// What a thread changed.
#[derive(Debug, Serialize)]
pub struct Diff {
    /// The thread.
    pub thread_id: ThreadId,
    /// The commit with the tree that it began with, or the one that it is compared with.
    pub from: CommitId,
    /// Its last commit.
    pub to: CommitId,
    /// The paths, sorted.
    pub changes: Vec<DiffPath>,
}

/// One path.
#[derive(Debug, Serialize)]
pub struct DiffPath {
    /// From the top of the work tree.
    pub path: String,
    /// Its result.
    pub change: DiffKind,
}

/// Lists what a thread changed; with `current`, what of it is not so on the current branch. `paths` are the files and folders
/// that count, from the top of the work tree; without any, all do.
///
/// # Errors
///
/// Fails outside a repository, when the thread is unknown, and when its commits cannot be read.
pub fn diff(session: &Session, thread: impl Into<ThreadName>, current: bool, paths: &[String]) -> Result<Diff, Error> {
    let repository = session.project().require_repository()?;
    let thread = state::show(session, thread)?;
    let first = first_commit(&repository, &thread)?;
    let mut changes = changed(&repository, &first, &thread.commit_id)?;
    let mut from = first;
    if current {
        from = repository.head()?.commit_id().cloned().ok_or(Error::Unborn)?;
        let today = changed(&repository, &from, &thread.commit_id)?;
        let meant: Vec<String> = changes.into_iter().map(|change| change.path).collect();
        changes = today.into_iter().filter(|change| meant.contains(&change.path)).collect();
    }
    changes.retain(|change| is_meant(&change.path, paths));
    let changes = changes.into_iter().map(|change| DiffPath { change: kind(&change), path: change.path }).collect();
    Ok(Diff { thread_id: thread.thread_id, from, to: thread.commit_id, changes })
}

/// Tells whether a thread changed anything.
pub(in crate::thread) fn has_changes(repository: &Repository, thread: &Outcome) -> Result<bool, Error> {
    Ok(!changed(repository, &first_commit(repository, thread)?, &thread.commit_id)?.is_empty())
}

/// Tells whether the current branch has everything that a thread changed, or had it by an accept: then nothing is left to
/// accept. An accept from before a resumption has an earlier content.
pub(in crate::thread) fn is_taken(repository: &Repository, thread: &Outcome) -> Result<bool, Error> {
    let Some(mut commit_id) = repository.head()?.commit_id().cloned() else { return Ok(false) };
    let mut left = Vec::new();
    for change in changed(repository, &first_commit(repository, thread)?, &thread.commit_id)? {
        if repository.entry_at(&commit_id, &change.path)? != change.after {
            left.push(change);
        }
    }
    // An accepted item has the person's signature, and a file may have been changed since.
    for _ in 0..MAX_COMMITS {
        let info = repository.commit_info(&commit_id)?;
        let Some(parent) = info.parents.first().filter(|_| !left.is_empty()) else { break };
        if trailers(&info.message).0.as_deref() == Some(thread.thread_id.as_str()) {
            let taken = changed(repository, parent, &commit_id)?;
            let mut still = Vec::new();
            for change in left {
                let accepted = taken.iter().find(|taken| taken.path == change.path);
                if !accepted.map_or(Ok(false), |accepted| is_same(repository, &change, accepted))? {
                    still.push(change);
                }
            }
            left = still;
        }
        if thread.base.as_ref() == Some(parent) {
            break;
        }
        commit_id = parent.clone();
    }
    Ok(left.is_empty())
}

/// Tells whether an accept took just what the thread has at a path; of an item, whatever its signature.
fn is_same(repository: &Repository, change: &TreeChange, accepted: &TreeChange) -> Result<bool, Error> {
    if change.after == accepted.after {
        return Ok(true);
    }
    let (Some(wanted), Some(taken), Some(subject)) = (&change.after, &accepted.after, subject_at(&change.path)) else {
        return Ok(false);
    };
    let body = |entry: &TreeEntry| -> Result<Option<Vec<u8>>, Error> {
        let bytes = repository.blob_within(&entry.blob_id, MAX_ITEM_BYTES)?;
        Ok(bytes.map(|bytes| Signed::new(subject.clone(), bytes).split().body()))
    };
    let (wanted, taken) = (body(wanted)?, body(taken)?);
    Ok(wanted.is_some() && wanted == taken)
}

/// Has the person's git show it, on their terminal and by their pager; with `stat`, as a list of files.
///
/// # Errors
///
/// Fails when git cannot be run.
pub fn show_diff(session: &Session, diff: &Diff, stat: bool, pages: Option<Pages<'_>>) -> Result<(), Error> {
    let paths = diff.changes.iter().map(|change| change.path.as_str());
    show(session, [&diff.from, &diff.to], paths, if stat { "--stat" } else { "--patch" }, pages)
}

/// Shows a text on the person's terminal, by the pager that their git uses.
///
/// # Errors
///
/// Fails when git or the pager cannot be run; then nothing was shown.
pub fn page(session: &Session, text: &str) -> Result<(), Error> {
    let repository = session.project().require_repository()?;
    Ok(person_git(session, &repository)?.page(text)?)
}

/// Tells whether a path is one of `paths` or lies in one.
pub(in crate::thread) fn is_meant(path: &str, paths: &[String]) -> bool {
    paths.is_empty() || paths.iter().any(|meant| Path::new(path).starts_with(meant))
}

/// Returns the commit with the thread's first tree: the first of its own.
fn first_commit(repository: &Repository, thread: &Outcome) -> Result<CommitId, Error> {
    let mut commit_id = thread.commit_id.clone();
    loop {
        match repository.commit_info(&commit_id)?.parents.first() {
            Some(parent) if thread.base.as_ref() != Some(parent) => commit_id = parent.clone(),
            _ => return Ok(commit_id),
        }
    }
}
