//! What git says about the work tree: which paths are ignored, are submodules, or hold uncommitted work.
//!
//! Paths are relative to the top of the work tree, separated by `/`. Only reads: the index is not refreshed.
//!
//! Limits: a file a configured filter (such as LFS) writes differently is compared as git would, by running that
//! filter; paths that are not UTF-8 count like others.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::atomic::AtomicBool,
};

use gix::{
    bstr::{BStr, BString, ByteSlice},
    diff::index::{Action, ChangeRef},
    index::{State, entry::Mode},
    status::tree_index::TrackRenames,
    worktree::stack::state::ignore::Source,
};

use super::tree::{os_path, text};
use super::{BlobId, Cause, Error, Repository, TreeEntry, difference::Comparison};

impl Repository {
    /// Returns those of `paths` that git ignores (`.gitignore`, `info/exclude`, `core.excludesFile`). A tracked file is
    /// not ignored.
    ///
    /// # Errors
    /// [`super::Unusable::Bare`], or [`Error::Status`].
    pub fn ignored<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> Result<BTreeSet<&'a str>, Error> {
        let work_dir = self.require_work_dir()?;
        let failed = |source: gix::Error| self.status_error(work_dir, source);
        let index = self.inner.index_or_empty().map_err(failed)?;
        let rules = self.inner.excludes(&index, None, Source::WorktreeThenIdMappingIfNotSkipped);
        let mut rules = rules.map_err(failed)?;
        let mut ignored = BTreeSet::new();
        for path in paths {
            let mode = work_dir.join(path).is_dir().then_some(Mode::DIR);
            let tracked = index.entry_by_path(path.as_bytes().as_bstr()).is_some();
            if !tracked && rules.at_path(path, mode).map_err(failed)?.is_excluded() {
                ignored.insert(path);
            }
        }
        Ok(ignored)
    }

    /// Does something with what tells of a path whether git ignores it, as that of a folder or not. A tracked file is not ignored.
    ///
    /// # Errors
    /// As [`Self::ignored`].
    pub fn with_ignored<T>(&self, work: impl FnOnce(&dyn Fn(&str, bool) -> bool) -> T) -> Result<T, Error> {
        let work_dir = self.require_work_dir()?;
        let failed = |source: gix::Error| self.status_error(work_dir, source);
        let index = self.inner.index_or_empty().map_err(failed)?;
        let rules = self.inner.excludes(&index, None, Source::WorktreeThenIdMappingIfNotSkipped);
        let rules = RefCell::new(rules.map_err(failed)?);
        Ok(work(&|path, is_folder| {
            let is_tracked = index.entry_by_path(path.as_bytes().as_bstr()).is_some();
            let mode = if is_folder { Mode::DIR } else { Mode::FILE };
            !is_tracked && rules.borrow_mut().at_path(path, Some(mode)).is_ok_and(|found| found.is_excluded())
        }))
    }

    /// Returns the paths of submodules in the index, whether they are checked out or not.
    ///
    /// # Errors
    /// [`super::Unusable::Bare`], or [`Error::Status`].
    pub fn submodule_paths(&self) -> Result<BTreeSet<String>, Error> {
        let work_dir = self.require_work_dir()?;
        let index = self.inner.index_or_empty().map_err(|source| self.status_error(work_dir, source))?;
        let submodules = index.entries().iter().filter(|entry| entry.mode == Mode::COMMIT);
        Ok(submodules.map(|entry| text(entry.path(&index))).collect())
    }

    /// Lists the submodules in the index at `folder` (`""`: all) and below it.
    ///
    /// # Errors
    /// [`super::Unusable::Bare`], or [`Error::Status`].
    pub fn submodules_at(&self, folder: &str) -> Result<Vec<TreeEntry>, Error> {
        let work_dir = self.require_work_dir()?;
        let index = self.inner.index_or_empty().map_err(|source| self.status_error(work_dir, source))?;
        let submodules = index.entries().iter().filter(|entry| entry.mode == Mode::COMMIT);
        let entry = |entry: &gix::index::Entry| TreeEntry {
            path: text(entry.path(&index)),
            mode: super::Mode::Submodule,
            blob_id: BlobId::from_gix(entry.id),
        };
        let is_at = |path: &str| {
            folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        Ok(submodules.map(entry).filter(|entry| is_at(&entry.path)).collect())
    }

    /// Returns the paths of symlinks in the index.
    ///
    /// # Errors
    /// [`super::Unusable::Bare`], or [`Error::Status`].
    pub fn link_paths(&self) -> Result<BTreeSet<String>, Error> {
        let work_dir = self.require_work_dir()?;
        let index = self.inner.index_or_empty().map_err(|source| self.status_error(work_dir, source))?;
        let links = index.entries().iter().filter(|entry| entry.mode == Mode::SYMLINK);
        Ok(links.map(|entry| text(entry.path(&index))).collect())
    }

    /// Returns the paths that differ between `HEAD`, index and work tree, untracked ones included, ignored ones and the
    /// inside of submodules not: what a person has not committed yet.
    ///
    /// # Errors
    /// As [`submodule_paths`](Self::submodule_paths), and [`Error::TooLargeTree`].
    pub fn dirty_paths(&self) -> Result<BTreeSet<String>, Error> {
        let work_dir = self.require_work_dir()?;
        let failed = |source: gix::Error| self.status_error(work_dir, source);
        let index = self.inner.index_or_empty().map_err(failed)?;
        let mut cleaner = None;
        let mut is_same = |path: &str, blob_id: &BlobId| {
            let file = work_dir.join(os_path(path));
            self.has_bytes_of(&file, blob_id) || {
                // gix knows fewer encodings.
                let cleaner = cleaner.get_or_insert_with(|| self.cleaner_without_drivers(&index).ok());
                cleaner.as_mut().is_some_and(|cleaner| cleaner.makes(path, &file, blob_id))
            }
        };
        let differing = self.differing(&index, Comparison::AsGit, &mut is_same)?;
        let mut dirty: BTreeSet<String> = differing.paths.into_iter().chain(differing.unnameable).collect();
        let head = match self.head()?.commit_id() {
            Some(commit_id) => self.tree_of(commit_id)?.to_gix(),
            None => gix::ObjectId::empty_tree(self.inner.object_hash()),
        };
        self.check_extent(head, &AtomicBool::new(false))?;
        if index.is_sparse() {
            dirty.extend(self.staged_beside_folders(&index, head)?);
            return Ok(dirty);
        }
        let mut staged = |change: ChangeRef<'_, '_>, _: &State, _: &State| {
            dirty.insert(text(change.location()));
            Ok(Action::Continue(()))
        };
        self.inner.tree_index_status(&head, &index, None, TrackRenames::Disabled, &mut staged).map_err(failed)?;
        Ok(dirty)
    }

    /// Returns the paths that differ between a tree and an index that names whole folders by their trees; such a folder is one path.
    fn staged_beside_folders(&self, index: &State, head: gix::ObjectId) -> Result<Vec<String>, Error> {
        let work_dir = self.require_work_dir()?;
        let failed = |source: gix::Error| self.status_error(work_dir, source);
        let (mut folders, mut files) = (BTreeMap::new(), BTreeSet::new());
        for entry in index.entries() {
            let path = entry.path(index).to_owned();
            if entry.mode == Mode::DIR {
                folders.insert(path, entry.id);
            } else {
                files.insert((path, entry.mode, entry.id));
            }
        }
        let of_head = self.inner.index_from_tree(&head).map_err(failed)?;
        let is_in_folder = |path: &BStr| path.find_iter("/").any(|end| folders.contains_key(path[..=end].as_bstr()));
        let before: BTreeSet<_> =
            of_head.entries().iter().map(|entry| (entry.path(&of_head).to_owned(), entry.mode, entry.id)).collect();
        let mut differing: BTreeSet<BString> = before
            .symmetric_difference(&files)
            .map(|(path, _, _)| path.clone())
            .filter(|path| !is_in_folder(path.as_bstr()))
            .collect();
        let tree = self.inner.find_tree(head).map_err(failed)?;
        for (path, tree_id) in &folders {
            let name = path.trim_end_with(|end| end == '/');
            let there = tree.lookup_entry(name.split_str("/")).map_err(failed)?;
            if there.is_none_or(|entry| entry.object_id() != *tree_id) {
                differing.insert(name.into());
            }
        }
        Ok(differing.iter().map(|path| text(path.as_bstr())).collect())
    }

    fn status_error(&self, work_dir: &Path, source: impl Into<Cause>) -> Error {
        Error::Status { work_dir: work_dir.to_owned(), source: source.into() }
    }
}
