//! The indexes of an accept: a second one, from which the commit is made, and the person's own, in which only unchanged
//! entries are updated.

use std::path::PathBuf;

use super::error::Error;
use super::lock::folder;
use super::plan::{Step, Version, version};
use crate::git::{CommitId, Git, IndexLine, NextIndex, Repository};
use crate::workspace::replace_file;

/// The most entries that differ between two commits.
const MAX_ENTRIES: usize = 2_000_000;

/// The index of which the commit is made.
const PRIVATE: &str = "index";

/// The person's next index, while it is made.
const NEXT: &str = "next-index";

/// Makes an index of what `HEAD` has and the steps change. The person's is not touched.
pub(super) fn private(
    repository: &Repository,
    git: &Git,
    head: Option<&CommitId>,
    steps: &[Step],
) -> Result<PathBuf, Error> {
    clear(repository)?;
    let path = folder(repository.git_dir()).join(PRIVATE);
    std::fs::create_dir_all(folder(repository.git_dir()))
        .map_err(|source| Error::Journal { path: path.clone(), source })?;
    repository.copy_index(None, &path)?;
    let git = git.clone().with_index_file(&path);
    git.reset_index(head)?;
    let lines: Vec<(String, IndexLine)> = steps
        .iter()
        .filter(|step| step.committed)
        .map(|step| (step.path.to_string(), line(step.after.as_ref())))
        .collect();
    git.set_entries(&lines, repository.object_format())?;
    Ok(path)
}

/// Removes the second indexes, the versions of files that were merged, and the locks that a killed git left of them.
pub(super) fn clear(repository: &Repository) -> Result<(), Error> {
    for name in [PRIVATE, NEXT] {
        for name in [name.to_owned(), format!("{name}.lock")] {
            let path = folder(repository.git_dir()).join(name);
            match std::fs::remove_file(&path) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::Journal { path, source });
                }
                _ => {}
            }
        }
    }
    let path = merging(repository);
    match std::fs::remove_dir_all(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(Error::Journal { path, source }),
        _ => Ok(()),
    }
}

/// Returns the folder for the versions of a file that is merged.
pub(super) fn merging(repository: &Repository) -> PathBuf {
    folder(repository.git_dir()).join("merge")
}

/// Prepares the person's next index: what a commit has where the person's is still as `head` had it. Staged changes of
/// the person stay. Its lock is held from here on, so no commit of theirs undoes this one.
pub(super) fn commit(
    repository: &Repository,
    git: &Git,
    head: Option<&CommitId>,
    commit_id: &CommitId,
) -> Result<NextIndex, Error> {
    let from: Vec<CommitId> = head.cloned().into_iter().collect();
    let changes = repository.changes_below(&from, commit_id, "", MAX_ENTRIES)?;
    let wanted: Vec<(String, Option<Version>, Option<Version>)> = changes
        .into_iter()
        .map(|change| {
            let versions = [&change.before, &change.after].map(|entry| version(entry.as_ref()));
            let [before, after] = versions;
            (change.path, before, after)
        })
        .collect();
    edit(repository, git, |indexed| {
        let paths: Vec<&str> = wanted.iter().map(|(path, _, _)| path.as_str()).collect();
        let found = indexed.indexed(&paths)?;
        let is_as = |path: &str, before: &Option<Version>| {
            found.get(path).is_some_and(|found| found.entry == *before && !found.is_unmerged && !found.is_announced)
        };
        let lines = wanted.iter().filter(|(path, before, _)| is_as(path, before));
        Ok(lines.map(|(path, _, after)| (path.clone(), line(after.as_ref()))).collect())
    })
}

/// Leaves the steps in the person's index: matching ones staged, others as conflicts.
pub(super) fn conflicts(repository: &Repository, git: &Git, steps: &[Step]) -> Result<(), Error> {
    let next = edit(repository, git, |_| {
        let committed = steps.iter().filter(|step| step.committed);
        let lines = committed.map(|step| match &step.stages {
            Some(stages) => (step.path.to_string(), IndexLine::Unmerged(stages.clone())),
            None => (step.path.to_string(), line(step.after.as_ref())),
        });
        Ok(lines.collect())
    })?;
    Ok(next.finish()?)
}

/// Prepares the message of the commit that resolves conflicts, where git looks for it.
pub(super) fn merge_message(repository: &Repository, message: &[u8]) -> Result<(), Error> {
    Ok(replace_file(&repository.git_dir().join("MERGE_MSG"), message)?)
}

fn edit(
    repository: &Repository,
    git: &Git,
    lines: impl FnOnce(&Repository) -> Result<Vec<(String, IndexLine)>, crate::git::Error>,
) -> Result<NextIndex, Error> {
    let draft = folder(repository.git_dir()).join(NEXT);
    let next = repository.prepare_index(&draft, |draft| {
        let lines = lines(repository)?;
        let git = git.clone().with_index_file(draft);
        if !lines.is_empty() {
            git.set_entries(&lines, repository.object_format())?;
        }
        git.refresh_index()
    });
    Ok(next?)
}

fn line(version: Option<&Version>) -> IndexLine {
    version.map_or(IndexLine::Gone, |(mode, blob_id)| IndexLine::One(*mode, blob_id.clone()))
}
