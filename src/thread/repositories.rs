//! No commit of a thread adds, completes or changes what git takes for a repository: git in a checkout of its branch would
//! obey that.
//!
//! Judged is the tree that the commit would have: the names of the commit that was checked out, and all that the thread
//! wrote since, in whatever turn. A repository that the commit has already stays as it is.

use super::tree::OwnTree;
use crate::capability::ProjectPath;
use crate::workspace::GitFolders;

/// Why a path is left out.
pub(super) const REASON: &str = "git_repository";

/// The folders of the commit that was checked out.
#[derive(Debug, Default)]
pub(super) struct Repositories {
    /// Read when it is first needed; it never changes.
    base: Option<GitFolders>,
}

impl Repositories {
    /// Returns those of the changed paths that no commit takes, as `written` paths are in the tree besides those of the commit.
    pub(super) fn closed<'a>(
        &mut self,
        tree: &OwnTree,
        written: impl Iterator<Item = &'a ProjectPath>,
        changed: impl Iterator<Item = &'a ProjectPath>,
    ) -> Vec<ProjectPath> {
        let mut changed = changed.peekable();
        if changed.peek().is_none() {
            return Vec::new();
        }
        let mut folders = self.base.get_or_insert_with(|| of_commit(tree)).clone();
        written.for_each(|path| folders.add(path.as_str()));
        changed.filter(|path| folders.hold(path.as_str())).cloned().collect()
    }
}

fn of_commit(tree: &OwnTree) -> GitFolders {
    let mut folders = GitFolders::default();
    tree.linked().paths().for_each(|path| folders.add(&path));
    folders
}
