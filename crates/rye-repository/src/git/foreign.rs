//! Submodules and nested repositories in a thread's tree: the files of their commits, without a git folder.
//!
//! Nothing of them can be committed by the thread, so writes to them are reported: by the metadata of each file,
//! compared with the checkout.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::Path,
    sync::atomic::AtomicBool,
};

use gix::index::entry::Mode as IndexMode;

use super::{
    Cause, CommitId, Difference, Error, LinkedTree, Repository,
    linked_tree::{Foreign, is_at_or_below},
    tree::{os_path, text},
};
use crate::capability::raw_name;

/// How deep repositories may lie in one another.
const MAX_DEPTH: usize = 8;

/// What the file system says of the files of all repositories in a tree, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForeignFiles(BTreeMap<String, [i64; 7]>);

impl ForeignFiles {
    /// Lists the paths that are not as before.
    pub fn changed_since(&self, before: &Self) -> Vec<String> {
        let differs = |path: &&String| self.0.get(*path) != before.0.get(*path);
        let gone = before.0.keys().filter(|path| !self.0.contains_key(*path));
        self.0.keys().filter(differs).chain(gone).cloned().collect()
    }
}

impl LinkedTree {
    /// Lists the paths of the commit that was checked out, also those that a checkout hides.
    pub fn paths(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.index.entries().iter().map(|entry| Cow::Owned(text(entry.path(&self.index))))
    }

    /// Checks out the submodules of the tree's commit that are checked out in `persons`, the top of another work tree, and at their own
    /// commits the repositories `nested`, which are not submodules. One that cannot be stays empty.
    ///
    /// # Errors
    /// Never, as what cannot be checked out stays empty; callers treat it like the steps around it.
    pub fn add_repositories(
        &mut self,
        persons: &Path,
        nested: &[String],
        should_stop: &AtomicBool,
    ) -> Result<(), Error> {
        let submodules = self.index.entries().iter().filter(|entry| entry.mode == IndexMode::COMMIT);
        let submodules: Vec<(String, CommitId)> =
            submodules.map(|entry| (text(entry.path(&self.index)), CommitId::from_gix(entry.id))).collect();
        let nested = nested.iter().map(|path| (path.clone(), None, Difference::NestedRepository));
        let all = submodules.into_iter().map(|(path, id)| (path, Some(id), Difference::InSubmodule)).chain(nested);
        for (path, commit_id, difference) in all.collect::<Vec<_>>() {
            let (from, to) = (persons.join(os_path(&path)), self.work_dir.join(os_path(&path)));
            let filled = self.repository.fill_foreign(&from, &to, commit_id, should_stop, MAX_DEPTH);
            if filled.is_err() {
                // Half of a repository would be taken for the whole.
                drop(fs::remove_dir_all(&to));
                drop(fs::create_dir_all(&to));
            }
            self.foreign.push(Foreign { path, difference, is_filled: filled.unwrap_or_default() });
        }
        Ok(())
    }

    /// Returns what repository a path lies in, if it is not the tree's own.
    pub fn foreign_at(&self, path: &str) -> Option<Difference> {
        let lies_in = |foreign: &&Foreign| is_at_or_below(path, &foreign.path);
        self.foreign.iter().find(lies_in).map(|foreign| foreign.difference)
    }

    /// Looks at the files of all repositories in the tree.
    pub fn foreign_files(&self) -> ForeignFiles {
        let mut files = BTreeMap::new();
        for foreign in self.foreign.iter().filter(|foreign| foreign.is_filled) {
            let mut folders = vec![os_path(&foreign.path)];
            while let Some(folder) = folders.pop() {
                for entry in fs::read_dir(self.work_dir.join(&folder)).into_iter().flatten().flatten() {
                    let path = folder.join(entry.file_name());
                    match entry.metadata() {
                        Ok(found) if found.is_dir() => folders.push(path),
                        Ok(found) => {
                            let inode = found.ino().cast_signed();
                            let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
                            let [a, b, c, d] = times;
                            let stamp = [inode, found.len().cast_signed(), i64::from(found.mode()), a, b, c, d];
                            files.insert(raw_name::as_text(path.as_os_str().as_bytes()), stamp);
                        }
                        Err(_) => {}
                    }
                }
            }
        }
        ForeignFiles(files)
    }
}

impl Repository {
    /// Checks out a commit (else that of `HEAD`) of the repository at `from` into a folder, and those in it that are checked out
    /// there. Tells whether there is such a repository.
    fn fill_foreign(
        &self,
        from: &Path,
        to: &Path,
        commit_id: Option<CommitId>,
        should_stop: &AtomicBool,
        depth: usize,
    ) -> Result<bool, Cause> {
        if depth == 0 || fs::symlink_metadata(from.join(".git")).is_err() {
            return Ok(false);
        }
        let repository = Self::open(from, &self.environment)?;
        let Some(commit_id) = (match commit_id {
            Some(commit_id) => Some(commit_id),
            None => repository.head()?.commit_id().cloned(),
        }) else {
            return Ok(false);
        };
        let tree = repository.tree_of(&commit_id)?.to_gix();
        repository.check_extent(tree, should_stop)?;
        let mut index = repository.inner.index_from_tree(&tree)?;
        fs::create_dir_all(to)?;
        repository.write_files(&mut index, to, should_stop)?;
        for entry in index.entries().iter().filter(|entry| entry.mode == IndexMode::COMMIT) {
            let (path, id) = (os_path(&text(entry.path(&index))), CommitId::from_gix(entry.id));
            repository.fill_foreign(&from.join(&path), &to.join(&path), Some(id), should_stop, depth - 1)?;
        }
        Ok(true)
    }
}
