//! The files of a folder in a tree, as an item's: of a commit, or of the index.

use std::collections::BTreeMap;

use super::{BlobId, Error, Mode, Repository, TreeEntry};
use crate::item::{FileEntry, ItemFiles};

/// The files of a folder in a tree.
#[derive(Debug)]
pub struct TreeFiles<'r> {
    repository: &'r Repository,
    entries: BTreeMap<String, (Mode, BlobId)>,
}

impl<'r> TreeFiles<'r> {
    /// Takes the entries that lie in a folder (`""`: the root).
    pub fn new(repository: &'r Repository, folder: &str, entries: impl IntoIterator<Item = TreeEntry>) -> Self {
        let below = |path: &str| match folder {
            "" => Some(path.to_owned()),
            _ => path.strip_prefix(folder)?.strip_prefix('/').map(str::to_owned),
        };
        let inside = |entry: TreeEntry| Some((below(&entry.path)?, (entry.mode, entry.blob_id)));
        Self { repository, entries: entries.into_iter().filter_map(inside).collect() }
    }
}

impl ItemFiles for TreeFiles<'_> {
    type Error = Error;

    fn names(&self) -> Vec<String> {
        self.entries.keys().cloned().collect()
    }

    fn entry(&self, name: &str, most: u64) -> Result<Option<FileEntry>, Error> {
        let Some((mode, blob_id)) = self.entries.get(name) else { return Ok(None) };
        Ok(Some(match mode {
            Mode::File | Mode::Executable => match self.repository.blob_within(blob_id, most)? {
                Some(bytes) => FileEntry::File { executable: *mode == Mode::Executable, bytes },
                None => FileEntry::Large { size: self.repository.size_of(blob_id)? },
            },
            Mode::Symlink => FileEntry::Link,
            Mode::Submodule | Mode::Tree => FileEntry::Repository,
        }))
    }
}
