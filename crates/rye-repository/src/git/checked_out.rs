//! The branches that a work tree shows, so that a person's branch is not moved.
//!
//! A branch counts as shown when it is a work tree's `HEAD`, or is being rebased there (git treats both alike).
//! A bare repository's own `HEAD` shows nothing.

use std::path::{Path, PathBuf};

use super::{Error, Repository, discover::regular_text};

/// Where, in a work tree's own git directory, a branch can be named that the work tree shows.
const NAMED_IN: [&str; 3] = ["HEAD", "rebase-merge/head-name", "rebase-apply/head-name"];

impl Repository {
    /// Refuses a branch that the main or a linked work tree shows.
    ///
    /// # Errors
    /// [`Error::CheckedOut`] naming the work tree; [`Error::ReadRef`] if work trees cannot be listed.
    pub fn refuse_checked_out(&self, name: &str) -> Result<(), Error> {
        for (git_dir, work_tree) in self.work_trees(name)? {
            if NAMED_IN.iter().any(|file| names(&git_dir.join(file), name)) {
                return Err(Error::CheckedOut { name: name.to_owned(), work_tree });
            }
        }
        Ok(())
    }

    /// Lists all work trees as (own git directory, top folder).
    fn work_trees(&self, name: &str) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
        let common = self.common_dir();
        let mut found = Vec::new();
        if !self.is_main_bare() {
            found.push((common.to_owned(), common.parent().unwrap_or(common).to_owned()));
        }
        // Opened from a folder named by `core.worktree`, the top folder is not the git directory's parent.
        if let (Some(work_dir), Some((git_dir, top))) = (self.work_dir(), found.first_mut())
            && git_dir == self.git_dir()
        {
            work_dir.clone_into(top);
        }
        found.extend(linked(common).map_err(|source| Error::ReadRef { name: name.to_owned(), source: source.into() })?);
        Ok(found)
    }

    /// Tells whether the repository behind all work trees is bare; a linked work tree of it is not.
    fn is_main_bare(&self) -> bool {
        let configured = self.inner.config_snapshot().boolean("core.bare");
        configured.unwrap_or_else(|| self.is_bare())
    }
}

fn linked(common_dir: &Path) -> std::io::Result<Vec<(PathBuf, PathBuf)>> {
    let folder = common_dir.join("worktrees");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = folder.read_dir()?.map(|entry| {
        let git_dir = entry?.path();
        let dot_git = regular_text(&git_dir.join("gitdir")).unwrap_or_default();
        let top = Path::new(dot_git.trim_end()).parent().unwrap_or(&git_dir).to_owned();
        Ok((git_dir, top))
    });
    entries.collect()
}

/// Tells whether a file holds the full name of a branch, with or without `ref: ` before it.
fn names(file: &Path, name: &str) -> bool {
    regular_text(file).is_ok_and(|text| text.strip_prefix("ref: ").unwrap_or(&text).trim() == name)
}
