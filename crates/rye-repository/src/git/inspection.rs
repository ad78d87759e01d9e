//! Looking at what goes out: the new contents of a tree, and of every commit of a push.

use super::{CommitId, Error, Git, Mode, Repository, TreeChange, TreeEntry, TreeId};
use crate::redact::{Inspector, MOST_BYTES};

/// The most entries of a tree that are looked at.
const MAX_ENTRIES: usize = 2_000_000;

/// The most commits of a push that are looked at.
const MAX_COMMITS: usize = 10_000;

impl Repository {
    /// Has an inspector look at what a tree has that none of `from` has.
    ///
    /// # Errors
    /// As [`changes_below`](Self::changes_below), and when a content cannot be read.
    pub fn inspect_tree(&self, inspector: &mut Inspector, from: &[CommitId], tree_id: &TreeId) -> Result<(), Error> {
        let changes = self.changes_to_tree(from, tree_id, MAX_ENTRIES)?;
        changes.iter().try_for_each(|change| self.inspect_change(inspector, change))
    }

    /// Has an inspector look at every commit that `tips` lead to and none of `known` does: its message, and what it changes.
    ///
    /// # Errors
    /// [`Error::TooManyEntries`] if there are too many; otherwise as [`inspect_tree`](Self::inspect_tree).
    pub fn inspect_commits(
        &self,
        inspector: &mut Inspector,
        git: &Git,
        tips: &[CommitId],
        known: &[String],
    ) -> Result<(), Error> {
        let commits = git.commits_changing(tips, known, ".", MAX_COMMITS)?;
        if commits.len() >= MAX_COMMITS {
            return Err(Error::TooManyEntries { path: ".".to_owned(), limit: MAX_COMMITS });
        }
        for commit_id in &commits {
            let info = self.commit_info(commit_id)?;
            let message = format!("message of {}", &commit_id.as_str()[..12]);
            inspector.look(&message, None, info.message.as_bytes());
            self.inspect_tree(inspector, &info.parents, &info.tree_id)?;
        }
        Ok(())
    }

    fn inspect_change(&self, inspector: &mut Inspector, change: &TreeChange) -> Result<(), Error> {
        let Some(after) = change.after.as_ref().filter(|entry| has_content(entry)) else { return Ok(()) };
        let content = match self.blob_within(&after.blob_id, MOST_BYTES) {
            Ok(Some(content)) => content,
            Ok(None) => {
                inspector.too_large(&change.path);
                return Ok(());
            }
            // Its remote has it: nothing of this repository goes out by it.
            Err(Error::Promised { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let former = change.before.as_ref().filter(|entry| has_content(entry));
        let former = match former.map(|entry| self.blob_within(&entry.blob_id, MOST_BYTES)).transpose() {
            // Without the former content, all of the new one counts as new.
            Err(Error::Promised { .. }) => None,
            former => former?.flatten(),
        };
        inspector.look(&change.path, former.as_deref(), &content);
        Ok(())
    }
}

const fn has_content(entry: &TreeEntry) -> bool {
    match entry.mode {
        Mode::File | Mode::Executable | Mode::Symlink => true,
        Mode::Tree | Mode::Submodule => false,
    }
}
