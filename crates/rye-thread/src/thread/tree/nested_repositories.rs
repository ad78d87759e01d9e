//! No commit of a thread adds, completes or changes what git takes for a repository: git in a checkout of its branch would
//! obey that.
//!
//! Judged is the tree that the commit would have: the names of the commit that was checked out, and all that the thread
//! wrote since, in whatever turn. A repository that the commit has already stays as it is.
//!
//! Two threads may each commit a half, and a person merges both: so a new `HEAD` is left out where the tree has any other part
//! of a repository, and such a part where a `HEAD` was before. A `HEAD` alone is a file like others.

use super::own_tree::OwnTree;
use crate::capability::ProjectPath;
use crate::workspace::{GitFolders, GitPaths};

/// Why a path is left out.
pub(super) const REASON: &str = "git_repository";

/// What the commit that was checked out has.
#[derive(Debug, Default)]
pub(super) struct Repositories {
    /// Read when it is first needed; it never changes.
    base: Option<(GitFolders, GitPaths)>,
}

impl Repositories {
    /// Returns those of the changed paths that no commit takes, as `written` paths are in the tree besides those of the commit;
    /// `is_new` tells whether a written path was not there before.
    pub(in crate::thread) fn closed<'a>(
        &mut self,
        tree: &OwnTree,
        written: impl Iterator<Item = &'a ProjectPath>,
        changed: impl Iterator<Item = &'a ProjectPath>,
        is_new: impl Fn(&ProjectPath) -> bool,
    ) -> Vec<ProjectPath> {
        let mut changed = changed.peekable();
        if changed.peek().is_none() {
            return Vec::new();
        }
        let (mut folders, mut before) = self.base.get_or_insert_with(|| of_commit(tree)).clone();
        for path in written {
            folders.add(path.as_str());
            if !is_new(path) {
                before.add(path.as_str());
            }
        }
        let gets_part = |path: &ProjectPath| is_new(path) && folders.gets_part(&before, path.as_str());
        changed.filter(|path| folders.hold(path.as_str()) || gets_part(path)).cloned().collect()
    }
}

fn of_commit(tree: &OwnTree) -> (GitFolders, GitPaths) {
    let (mut folders, mut paths) = (GitFolders::default(), GitPaths::default());
    for path in tree.linked().paths() {
        folders.add(&path);
        paths.add(&path);
    }
    (folders, paths)
}
