//! What a thread changed, without its record.

use serde::Serialize;

use super::accept::{changed, first_commit, person_git};
use super::error::Error;
use super::report;
use crate::git::CommitId;
use crate::id::ThreadId;
use crate::ops::locate::Session;

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
    /// What became of it.
    pub change: DiffKind,
}

/// What became of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DiffKind {
    /// It is new.
    Added,
    /// It has other content, or another mode.
    Changed,
    /// It is gone.
    Removed,
}

/// Lists what a thread changed; with `current`, what of it is not so on the current branch.
///
/// # Errors
///
/// Fails outside a repository, when there is no such thread, and when its commits cannot be read.
pub fn diff(session: &Session, thread_id: &ThreadId, current: bool) -> Result<Diff, Error> {
    let repository = session.require_repository()?;
    let thread = report::show(session, thread_id)?;
    let first = first_commit(&repository, &thread)?;
    let mut changes = changed(&repository, &first, &thread.commit_id)?;
    let mut from = first;
    if current {
        from = repository.head()?.commit_id().cloned().ok_or(Error::AcceptUnborn)?;
        let today = changed(&repository, &from, &thread.commit_id)?;
        let meant: Vec<String> = changes.into_iter().map(|change| change.path).collect();
        changes = today.into_iter().filter(|change| meant.contains(&change.path)).collect();
    }
    let kind = |change: &crate::git::TreeChange| match (&change.before, &change.after) {
        (None, _) => DiffKind::Added,
        (Some(_), Some(_)) => DiffKind::Changed,
        (Some(_), None) => DiffKind::Removed,
    };
    let changes = changes.into_iter().map(|change| DiffPath { change: kind(&change), path: change.path }).collect();
    Ok(Diff { thread_id: thread.thread_id, from, to: thread.commit_id, changes })
}

/// Has the person's git show it, on their terminal and by their pager; with `stat`, as a list of files.
///
/// # Errors
///
/// Fails when git cannot be run.
pub fn show_diff(session: &Session, diff: &Diff, stat: bool) -> Result<(), Error> {
    let repository = session.require_repository()?;
    let paths: Vec<String> = match diff.changes.as_slice() {
        // git would take no path for all of them.
        [] => return Ok(()),
        changes => changes.iter().map(|change| format!(":(top,literal){}", change.path)).collect(),
    };
    let format = if stat { "--stat" } else { "--patch" };
    let args: Vec<&str> = [format, diff.from.as_str(), diff.to.as_str(), "--"].into_iter().collect();
    let args = [&args[..], &paths.iter().map(String::as_str).collect::<Vec<_>>()].concat();
    Ok(person_git(session, &repository)?.diff(&args)?)
}
