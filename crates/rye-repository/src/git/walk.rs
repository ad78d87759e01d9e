//! Walking the tree of a commit: one path, or everything below a folder, every tree on the way verified.
//!
//! Invariant: an entry's path satisfies the rules of `tree.rs`, and no tree holds one name twice, so the list equals a
//! checkout.

use std::collections::BTreeMap;

use gix::objs::{Kind, TreeRefIter, tree::EntryKind};

use super::{
    BlobId, CommitId, Error, Mode, Repository, TreeEntry, TreeId,
    read::corrupt,
    tree::{components, safe_component, text},
};

/// A tree's entries by name.
pub(super) type Entries = BTreeMap<String, (EntryKind, gix::ObjectId)>;

/// The largest file that is read whole: no record of a thread comes near it.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// The longest path that a tree may have, in bytes: no checkout holds a longer one, and each file below it would cost its length.
const LONGEST_PATH: usize = 4096;

/// How many characters of a longer one are shown.
const SHOWN_OF_PATH: usize = 60;

impl Repository {
    /// Tells whether a commit's tree has a file or a folder at `path`.
    ///
    /// # Errors
    /// As [`entry_at`](Self::entry_at).
    pub fn has_at(&self, commit_id: &CommitId, path: &str) -> Result<bool, Error> {
        Ok(self.find(commit_id, path)?.is_some())
    }

    /// Finds the entry at `path` in a commit's tree, except folders.
    ///
    /// # Errors
    /// [`Error::UnsafePath`] for a path that cannot be in a tree; otherwise as [`commit_info`](Self::commit_info).
    pub fn entry_at(&self, commit_id: &CommitId, path: &str) -> Result<Option<TreeEntry>, Error> {
        Ok(self
            .find(commit_id, path)?
            .filter(|(kind, _)| *kind != EntryKind::Tree)
            .map(|(kind, id)| leaf(path, kind, id)))
    }

    /// Lists the names in the folder `path` (`""`: the root) of a commit's tree, sorted; nothing if the folder is
    /// missing.
    ///
    /// # Errors
    /// As [`entry_at`](Self::entry_at).
    pub fn names_in(&self, commit_id: &CommitId, path: &str) -> Result<Vec<String>, Error> {
        match self.folder_at(commit_id, path)? {
            Some(folder) => Ok(self.entries(path, folder)?.into_keys().collect()),
            None => Ok(Vec::new()),
        }
    }

    /// Lists what is in the folder `path` (`""`: the root) of a commit's tree by name, each with its kind and the digits of its object;
    /// nothing if there is no such folder.
    ///
    /// # Errors
    /// As [`entry_at`](Self::entry_at).
    pub fn objects_in(&self, commit_id: &CommitId, path: &str) -> Result<BTreeMap<String, (Mode, String)>, Error> {
        let Some(folder) = self.folder_at(commit_id, path)? else { return Ok(BTreeMap::new()) };
        let entries = self.entries(path, folder)?.into_iter();
        Ok(entries.map(|(name, (kind, id))| (name, (Mode::from_gix(kind), id.to_string()))).collect())
    }

    /// Reads the file at `path` in a commit's tree; `None` if there is nothing, a folder or a submodule. A symbolic
    /// link gives its target.
    ///
    /// # Errors
    /// As [`entry_at`](Self::entry_at); [`Error::TooLarge`] for one of more than 256 MiB.
    pub fn file_at(&self, commit_id: &CommitId, path: &str) -> Result<Option<Vec<u8>>, Error> {
        match self.entry_at(commit_id, path)? {
            Some(entry) if entry.mode != Mode::Submodule => self.blob_up_to(&entry.blob_id, MOST_BYTES).map(Some),
            _ => Ok(None),
        }
    }

    /// Lists all leaves below the folder `prefix` (`""`: the root) of a commit's tree, sorted by path; nothing if the
    /// folder is missing.
    ///
    /// # Errors
    /// [`Error::TooManyEntries`] if there are more than `limit` entries, folders counted; otherwise as
    /// [`entry_at`](Self::entry_at).
    pub fn entries_below(&self, commit_id: &CommitId, prefix: &str, limit: usize) -> Result<Vec<TreeEntry>, Error> {
        match self.folder_at(commit_id, prefix)? {
            Some(root) => self.leaves_below(prefix, root, limit),
            None => Ok(Vec::new()),
        }
    }

    /// Lists all leaves below the folder `prefix`, whose tree is `root`.
    pub(super) fn leaves_below(
        &self,
        prefix: &str,
        root: gix::ObjectId,
        limit: usize,
    ) -> Result<Vec<TreeEntry>, Error> {
        let mut leaves = Vec::new();
        let mut folders = vec![(prefix.to_owned(), root)];
        let mut seen = 0;
        while let Some((folder, id)) = folders.pop() {
            for (name, (kind, id)) in self.entries(&folder, id)? {
                seen += 1;
                if seen > limit {
                    return Err(Error::TooManyEntries { path: prefix.to_owned(), limit });
                }
                let path = join(&folder, &name);
                match kind {
                    EntryKind::Tree => folders.push((path, id)),
                    _ => leaves.push(leaf(&path, kind, id)),
                }
            }
        }
        leaves.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(leaves)
    }

    /// Finds the tree of the folder `path` (`""`: the root) in a commit's tree.
    /// Returns the tree of the folder `path` of a commit; none if it has no such folder.
    ///
    /// # Errors
    /// As [`entry_at`](Self::entry_at).
    pub fn folder_id_at(&self, commit_id: &CommitId, path: &str) -> Result<Option<TreeId>, Error> {
        Ok(self.folder_at(commit_id, path)?.map(TreeId::from_gix))
    }

    /// Returns the tree of a folder directly in a tree; none if it has no such folder.
    ///
    /// # Errors
    /// As [`entry_at`](Self::entry_at).
    pub fn folder_id_in(&self, tree_id: &TreeId, name: &str) -> Result<Option<TreeId>, Error> {
        let found = self.entries("", tree_id.to_gix())?.remove(name);
        Ok(found.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| TreeId::from_gix(id)))
    }

    pub(super) fn folder_at(&self, commit_id: &CommitId, path: &str) -> Result<Option<gix::ObjectId>, Error> {
        if path.is_empty() {
            return self.tree_of(commit_id).map(|tree_id| Some(tree_id.to_gix()));
        }
        let found = self.find(commit_id, path)?;
        Ok(found.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id))
    }

    fn find(&self, commit_id: &CommitId, path: &str) -> Result<Option<(EntryKind, gix::ObjectId)>, Error> {
        let mut found = (EntryKind::Tree, self.tree_of(commit_id)?.to_gix());
        let mut folder = String::new();
        for name in components(path)? {
            if found.0 != EntryKind::Tree {
                return Ok(None);
            }
            match self.entries(&folder, found.1)?.remove(name) {
                Some(entry) => found = entry,
                None => return Ok(None),
            }
            folder = join(&folder, name);
        }
        Ok(Some(found))
    }

    /// Reads one tree; `folder` is its path, for messages.
    pub(super) fn entries(&self, folder: &str, id: gix::ObjectId) -> Result<Entries, Error> {
        let data = self.object(id, Kind::Tree)?;
        let mut entries = Entries::new();
        for entry in TreeRefIter::from_bytes(&data, self.inner.object_hash()) {
            let entry = entry.map_err(|error| corrupt(id, error))?;
            let name = text(entry.filename);
            let path = join(folder, &name);
            if path.len() > LONGEST_PATH {
                let path = path.chars().take(SHOWN_OF_PATH).collect();
                return Err(Error::UnsafePath { path, reason: format!("it is longer than {LONGEST_PATH} bytes") });
            }
            safe_component(&path, entry.filename)?;
            if entries.insert(name, (entry.mode.kind(), entry.oid.to_owned())).is_some() {
                return Err(Error::UnsafePath { path, reason: "it is there twice".into() });
            }
        }
        Ok(entries)
    }
}

pub(super) fn leaf(path: &str, kind: EntryKind, id: gix::ObjectId) -> TreeEntry {
    TreeEntry { path: path.to_owned(), mode: Mode::from_gix(kind), blob_id: BlobId::from_gix(id) }
}

pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
