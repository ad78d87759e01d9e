//! Files restored to their former content, if unchanged since; and an accept that was cut short, finished or undone.

use super::error::Error;
use super::journal::{Found, Journal, other_name};
use super::plan::{MAX_BYTES, Step, Version, version};
use super::stage;
use crate::git::{CommitId, CommitRange, Git, Indexed, Repository};
use crate::id::ThreadId;
use crate::workspace::{self, Held, ProjectDir};

/// What became of an accept that was cut short.
#[derive(Debug)]
pub struct Recovered {
    /// The thread.
    pub thread_id: ThreadId,
    /// The commit, if it had been made: then the rest was done, and otherwise everything was undone.
    pub commit_id: Option<CommitId>,
    /// Whether conflicts had been left to be resolved: then nothing was undone.
    pub left_conflicts: bool,
    /// Files that were changed since, and stay as they are.
    pub kept: Vec<String>,
}

/// A file that is not restored: it was changed since.
#[derive(Debug)]
pub(super) struct Kept {
    /// The number of its step.
    pub(super) step: usize,
    /// Whether it was staged since, or the staged content changed.
    pub(super) is_staged: bool,
}

/// Finishes or undoes an accept of this work tree that was cut short. The caller holds the lock.
pub(super) fn recover(repository: &Repository, git: &Git, project: &ProjectDir) -> Result<Option<Recovered>, Error> {
    repository.remove_own_index_lock()?;
    stage::clear(repository)?;
    let Some(found) = Journal::find(repository.git_dir())? else { return Ok(None) };
    let head = repository.head()?.commit_id().cloned();
    let commit_id = match (&found.commit, &head) {
        (Some(commit_id), Some(head)) if reaches(repository, found.head.as_ref(), head, commit_id)? => Some(commit_id),
        _ => None,
    };
    let mut kept = leftovers(project, &found.steps)?;
    let left_conflicts = commit_id.is_none() && has_conflicts(repository, &found)?;
    match commit_id {
        Some(commit_id) => stage::commit(repository, git, found.head.as_ref(), commit_id)?.finish()?,
        None if left_conflicts => stage::merge_message(repository, found.message.as_bytes())?,
        None => {
            let stays = undo(repository, project, &found.steps)?;
            kept.extend(stays.iter().map(|kept| found.steps[kept.step].path.to_string()));
        }
    }
    found.journal.end()?;
    Ok(Some(Recovered { thread_id: found.thread_id, commit_id: commit_id.cloned(), left_conflicts, kept }))
}

/// Takes every path back from what it was to hold to what it held. Files with other content, and those committed or
/// staged by their person meanwhile, stay; returns those.
pub(super) fn undo(repository: &Repository, project: &ProjectDir, steps: &[Step]) -> Result<Vec<Kept>, Error> {
    let paths: Vec<&str> = steps.iter().map(|step| step.path.as_str()).collect();
    let (indexed, head) = (repository.indexed(&paths)?, repository.head()?.commit_id().cloned());
    let mut kept = Vec::new();
    for (number, step) in steps.iter().enumerate().rev() {
        let path = step.path.as_str();
        if step.from == step.to || holds(project, step, &step.from) {
            continue;
        }
        let in_head = head.as_ref().map(|head| repository.entry_at(head, path)).transpose()?.flatten();
        let is_before = |found: Option<Version>| !step.committed || found == step.before;
        let is_staged = !is_before(indexed.get(path).and_then(|found: &Indexed| found.entry.clone()));
        let is_untouched = !is_staged && is_before(version(in_head.as_ref()));
        let is_back = is_untouched && project.swap(&step.path, &step.to, &step.from, &other_name(number)).is_ok();
        if !is_back {
            kept.push(Kept { step: number, is_staged });
        }
    }
    Ok(kept)
}

/// Tells whether a path holds just this.
fn holds(project: &ProjectDir, step: &Step, held: &Held) -> bool {
    let limit = match held {
        Held::File { bytes, .. } => bytes.len() as u64,
        Held::Nothing | Held::Link { .. } => 0,
    };
    project.held(&step.path, limit).is_ok_and(|found| found == *held)
}

/// Removes what waited under other names. Returns those with content from outside of this accept: a save in the last
/// moment.
fn leftovers(project: &ProjectDir, steps: &[Step]) -> Result<Vec<String>, workspace::Error> {
    let mut others = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let other = other_name(number);
        if project.clear(&step.path, [&step.from, &step.to], &other, MAX_BYTES)? {
            let folder = step.path.as_str().rsplit_once('/').map(|(folder, _)| format!("{folder}/"));
            others.push(format!("{}{other}", folder.unwrap_or_default()));
        }
    }
    Ok(others)
}

/// Tells whether a commit is `head`, or was made between `from` and it.
fn reaches(
    repository: &Repository,
    from: Option<&CommitId>,
    head: &CommitId,
    commit_id: &CommitId,
) -> Result<bool, Error> {
    let range = CommitRange { after: from.cloned(), last: head.clone() };
    Ok(head == commit_id || repository.commits_in(&range)?.iter().any(|commit| commit.commit_id == *commit_id))
}

/// Tells whether the index has the conflicts of a journal.
fn has_conflicts(repository: &Repository, found: &Found) -> Result<bool, Error> {
    let conflicts = found.steps.iter().filter(|step| step.stages.is_some());
    let paths: Vec<&str> = conflicts.map(|step| step.path.as_str()).collect();
    Ok(!paths.is_empty() && repository.indexed(&paths)?.values().any(|found| found.is_unmerged))
}
