//! What differs between two commits, without the record of threads, and the person's git to show it.

use serde::Serialize;

use crate::git::{CommitId, Git, Pages, Repository, Terminal, TreeChange};
use crate::id::SPACE_FOLDER;
use crate::process::{self, find_program};
use crate::session::Session;
use crate::thread::error::Error;

/// The most files that a thread's tree may hold.
const MAX_ENTRIES: usize = 2_000_000;

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

/// Tells what became of a path.
pub(in crate::thread) const fn kind(change: &TreeChange) -> DiffKind {
    match (&change.before, &change.after) {
        (None, _) => DiffKind::Added,
        (Some(_), Some(_)) => DiffKind::Changed,
        (Some(_), None) => DiffKind::Removed,
    }
}

/// Lists what differs between two commits, without the record of threads.
pub(in crate::thread) fn changed(
    repository: &Repository,
    from: &CommitId,
    to: &CommitId,
) -> Result<Vec<TreeChange>, Error> {
    let own = format!("{SPACE_FOLDER}/threads/");
    let changes = repository.changes_below(std::slice::from_ref(from), to, "", MAX_ENTRIES)?;
    Ok(changes.into_iter().filter(|change| !change.path.starts_with(&own)).collect())
}

/// Has the person's git compare these paths of two commits.
pub(in crate::thread) fn show<'a>(
    session: &Session,
    [from, to]: [&CommitId; 2],
    paths: impl Iterator<Item = &'a str>,
    format: &str,
    pages: Option<Pages<'_>>,
) -> Result<(), Error> {
    let repository = session.project().require_repository()?;
    let paths: Vec<String> = paths.map(|path| format!(":(top,literal){path}")).collect();
    if paths.is_empty() {
        // git would take no path for all of them.
        return Ok(());
    }
    let mut args = vec![format, from.as_str(), to.as_str(), "--"];
    args.extend(paths.iter().map(String::as_str));
    Ok(person_git(session, &repository)?.diff(&args, pages)?)
}

/// Returns the person's git.
pub(in crate::thread) fn person_git(session: &Session, repository: &Repository) -> Result<Git, process::Error> {
    let ctx = session.context();
    let program = find_program("git", ctx.variable("PATH").unwrap_or_default(), repository.work_dir().as_slice())?;
    Ok(Git::new(&program, repository, &ctx.environment_for_git()).with_terminal(Terminal::None))
}
