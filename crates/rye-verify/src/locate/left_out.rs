//! What a sparse checkout leaves out of `.ai/`: the index has it, the work tree has not, and it was not removed. Every verb asks here.

use super::{LocateError, subject_at};
use crate::git::StagedEntry;
use crate::id::{ItemId, ItemType, SPACE_FOLDER};
use crate::project::Project;
use crate::trust::{MANIFEST, MAX_TRUST_FILE_BYTES, Subject, TrustFile, trust_file_path};

/// The files of `.ai/` that are not checked out.
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    /// Files of items, as the index has them.
    pub items: Vec<StagedEntry>,
    /// Trust files and the configuration, as the index has them.
    pub trust: Vec<StagedEntry>,
}

impl Project {
    /// Returns what a sparse checkout leaves out of the project's `.ai/`; nothing in a thread's tree, which is whole.
    ///
    /// # Errors
    ///
    /// Fails when the index cannot be read.
    pub fn left_out(&self) -> Result<LeftOut, LocateError> {
        let Some(repository) = self.repository().filter(|repository| repository.work_dir().is_some()) else {
            return Ok(LeftOut::default());
        };
        let mut left_out = LeftOut::default();
        if self.is_in_tree() {
            return Ok(left_out);
        }
        let is_trust = |path: &str| {
            TrustFile::ALL
                .map(TrustFile::as_str)
                .into_iter()
                .chain([MANIFEST])
                .any(|name| trust_file_path(name) == path)
        };
        for entry in repository.left_out_below(SPACE_FOLDER)? {
            if subject_at(&entry.path).is_some() {
                left_out.items.push(entry);
            } else if is_trust(&entry.path) {
                left_out.trust.push(entry);
            }
        }
        Ok(left_out)
    }

    /// Makes the error of an item that a sparse checkout leaves out; none for another.
    pub(super) fn not_checked_out(&self, item_type: ItemType, item_id: &ItemId) -> Option<LocateError> {
        let left_out = self.left_out().ok()?;
        let path = left_out.path_of(item_type, item_id)?.to_owned();
        Some(LocateError::NotCheckedOut { item_type, item_id: item_id.clone(), path })
    }

    /// Fails for an item that a sparse checkout leaves out: writing it would write over what was not seen.
    ///
    /// # Errors
    ///
    /// [`LocateError::NotCheckedOut`], or when the index cannot be read.
    pub fn require_checked_out(&self, item_type: ItemType, item_id: &ItemId) -> Result<(), LocateError> {
        match self.left_out()?.path_of(item_type, item_id) {
            Some(path) => {
                Err(LocateError::NotCheckedOut { item_type, item_id: item_id.clone(), path: path.to_owned() })
            }
            None => Ok(()),
        }
    }

    /// The same, for an item named by its id or by the path of its file from the top.
    ///
    /// # Errors
    ///
    /// As [`Project::require_checked_out`].
    pub fn require_named_checked_out(&self, name: &str) -> Result<(), LocateError> {
        for StagedEntry { path, .. } in self.left_out()?.items {
            let Some(Subject { item_type, item_id, .. }) = subject_at(&path) else { continue };
            if item_id.as_str() == name || path == name {
                return Err(LocateError::NotCheckedOut { item_type, item_id, path });
            }
        }
        Ok(())
    }

    /// Reads a trust file or the configuration as the index has it, where a sparse checkout leaves it out; none otherwise.
    ///
    /// # Errors
    ///
    /// Fails when the index or the object cannot be read.
    pub fn trust_file_left_out(&self, name: &str) -> Result<Option<Vec<u8>>, LocateError> {
        let path = trust_file_path(name);
        let Some(entry) = self.left_out()?.trust.into_iter().find(|entry| entry.path == path) else { return Ok(None) };
        let repository = self.require_repository()?;
        Ok(repository.blob_within(&entry.blob_id, MAX_TRUST_FILE_BYTES as u64)?)
    }
}

impl LeftOut {
    /// Returns the path of an item that is left out.
    #[must_use]
    pub fn path_of(&self, item_type: ItemType, item_id: &ItemId) -> Option<&str> {
        let is_it = |entry: &&StagedEntry| {
            subject_at(&entry.path).is_some_and(|it| (it.item_type, &it.item_id) == (item_type, item_id))
        };
        self.items.iter().find(is_it).map(|entry| entry.path.as_str())
    }

    /// Says in one sentence what is left out; none where nothing is.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let first = self.items.iter().chain(&self.trust).next()?;
        let count = self.items.len() + self.trust.len();
        let (files, are) = if count == 1 { ("1 file", "is") } else { (&*format!("{count} files"), "are") };
        let more = if count == 1 { String::new() } else { format!(" and {} more", count - 1) };
        Some(format!("{files} of `.ai` {are} not checked out, because of a sparse checkout: `{}`{more}", first.path))
    }
}
