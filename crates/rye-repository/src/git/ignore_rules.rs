//! Which paths of the work tree git ignores, asked of one look at the index and at the rules.
//!
//! The rules are read when the first path asks that git does not track. A rule that cannot be read ignores nothing.

use std::cell::RefCell;

use gix::{
    AttributeStack,
    bstr::ByteSlice,
    index::entry::Mode,
    worktree::{Index, stack::state::ignore::Source},
};

use super::{Error, Repository};

/// The rules by which git ignores files of the work tree.
pub struct IgnoreRules<'r> {
    repository: &'r Repository,
    index: Index,
    rules: RefCell<Option<AttributeStack<'r>>>,
}

impl std::fmt::Debug for IgnoreRules<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IgnoreRules").finish_non_exhaustive()
    }
}

impl Repository {
    /// Looks at the index, for questions about ignored paths.
    ///
    /// # Errors
    /// [`super::Unusable::Bare`], or [`Error::Status`].
    pub fn ignore_rules(&self) -> Result<IgnoreRules<'_>, Error> {
        let work_dir = self.require_work_dir()?;
        let index = self.inner.index_or_empty();
        let index = index.map_err(|source| Error::Status { work_dir: work_dir.to_owned(), source: source.into() })?;
        Ok(IgnoreRules { repository: self, index, rules: RefCell::new(None) })
    }
}

impl IgnoreRules<'_> {
    /// Tells whether git ignores a path, from the top of the work tree. A tracked file is not ignored, nor is a folder with one.
    #[must_use]
    pub fn is_ignored(&self, path: &str, is_folder: bool) -> bool {
        let is_tracked = if is_folder {
            self.index.prefixed_entries(format!("{path}/").as_bytes().as_bstr()).is_some()
        } else {
            self.index.entry_by_path(path.as_bytes().as_bstr()).is_some()
        };
        !is_tracked && self.is_excluded(path, is_folder)
    }

    /// Tells whether git takes a file for executable where the file system does not know it (`core.fileMode=false`): as the index says,
    /// and a new file is none. None where the file system decides.
    #[must_use]
    pub fn executable_by_index(&self, path: &str) -> Option<bool> {
        if self.repository.knows_executables() {
            return None;
        }
        let entry = self.index.entry_by_path(path.as_bytes().as_bstr());
        Some(entry.is_some_and(|entry| entry.mode == Mode::FILE_EXECUTABLE))
    }

    fn is_excluded(&self, path: &str, is_folder: bool) -> bool {
        let mut rules = self.rules.borrow_mut();
        if rules.is_none() {
            let source = Source::WorktreeThenIdMappingIfNotSkipped;
            *rules = self.repository.inner.excludes(&self.index, None, source).ok();
        }
        let mode = if is_folder { Mode::DIR } else { Mode::FILE };
        rules.as_mut().is_some_and(|rules| rules.at_path(path, Some(mode)).is_ok_and(|found| found.is_excluded()))
    }
}
