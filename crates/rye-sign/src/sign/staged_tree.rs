//! The tree that a commit is about to make, as far as skills lie in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::super::locate::{LocateError, SkillTree};
use super::change::{Reach, lies_in};
use super::error::Error;
use crate::git::{BlobId, CommitId, InWorkTree, Mode, Repository, StagedEntry, TreeEntry};
use crate::item::ATTRIBUTES;

/// The most files that a folder may hold in a commit.
const MAX_ENTRIES: usize = 200_000;

/// What a commit would have at and below some names at the top.
pub(super) struct StagedTree<'r> {
    repository: &'r Repository,
    entries: BTreeMap<String, TreeEntry>,
    /// What is taken from the work tree, by path.
    here: BTreeMap<String, Vec<u8>>,
}

impl<'r> StagedTree<'r> {
    /// Reads what a commit would have. `root` is the top of the work tree.
    pub(super) fn read(
        (repository, head, root): (&'r Repository, Option<&CommitId>, &Path),
        reach: Reach<'_>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Self, Error> {
        let index_file = if let Reach::Staged(index_file) = reach { index_file } else { None };
        let staged = repository.staged_at_top(&is_wanted, index_file, matches!(reach, Reach::Paths(_)))?;
        let mut tree = Self { repository, entries: BTreeMap::new(), here: BTreeMap::new() };
        let Reach::Paths(named) = reach else {
            staged.into_iter().for_each(|StagedEntry { path, mode, blob_id, .. }| tree.put(path, mode, blob_id));
            return Ok(tree);
        };
        // Of what is named, the files that git knows, as they are in the work tree; of all else what the last commit has.
        if let Some(head) = head {
            for name in repository.names_in(head, "")?.into_iter().filter(|name| is_wanted(name)) {
                let mut entries = repository.entries_below(head, &name, MAX_ENTRIES)?;
                entries.extend(repository.entry_at(head, &name)?);
                entries.retain(|entry| !lies_in(&entry.path, named));
                entries.into_iter().for_each(|entry| tree.put(entry.path, entry.mode, entry.blob_id));
            }
        }
        for StagedEntry { path, mode, blob_id, in_work_tree, .. } in staged {
            match in_work_tree {
                _ if !lies_in(&path, named) => {}
                InWorkTree::Absent => {}
                InWorkTree::Same | InWorkTree::LeftOut => tree.put(path, mode, blob_id),
                InWorkTree::Different => tree.put_here(root, path, mode),
            }
        }
        Ok(tree)
    }

    fn put(&mut self, path: String, mode: Mode, blob_id: BlobId) {
        self.entries.insert(path.clone(), TreeEntry { path, mode, blob_id });
    }

    /// Takes a file from the work tree. Only links and files of attributes are read.
    fn put_here(&mut self, root: &Path, path: String, mode: Mode) {
        let file = root.join(&path);
        let is_file = fs::symlink_metadata(&file).is_ok_and(|found| found.is_file());
        let (mode, bytes) = match fs::read_link(&file) {
            Ok(target) => (Mode::Symlink, target.as_os_str().as_encoded_bytes().to_vec()),
            Err(_) if is_file && path.ends_with(ATTRIBUTES) => (Mode::File, fs::read(&file).unwrap_or_default()),
            Err(_) => (if mode == Mode::Symlink { Mode::File } else { mode }, Vec::new()),
        };
        let blob_id = self.repository.blob_id_of(&bytes);
        self.here.insert(path.clone(), bytes);
        self.put(path, mode, blob_id);
    }

    /// Lists the files below a folder (`""`: all).
    fn below<'t>(&'t self, folder: &'t str) -> impl Iterator<Item = (&'t str, &'t TreeEntry)> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let skipped = start.len();
        let entries = self.entries.range(start.clone()..).take_while(move |(path, _)| path.starts_with(&start));
        entries.map(move |(path, entry)| (&path[skipped..], entry))
    }
}

impl SkillTree for StagedTree<'_> {
    fn names_in(&self, folder: &str) -> Result<Vec<String>, LocateError> {
        let mut names: Vec<String> =
            self.below(folder).filter_map(|(below, _)| below.split('/').next().map(str::to_owned)).collect();
        names.dedup();
        Ok(names)
    }

    fn entry_at(&self, path: &str) -> Result<Option<TreeEntry>, LocateError> {
        Ok(self.entries.get(path).cloned())
    }

    fn entries_below(&self, folder: &str) -> Result<Vec<TreeEntry>, LocateError> {
        Ok(self.below(folder).map(|(_, entry)| entry.clone()).collect())
    }

    fn bytes(&self, entry: &TreeEntry, most: u64) -> Result<Option<Vec<u8>>, LocateError> {
        match self.here.get(&entry.path) {
            Some(bytes) => Ok(Some(bytes.clone()).filter(|bytes| bytes.len() as u64 <= most)),
            None => Ok(self.repository.blob_within(&entry.blob_id, most)?),
        }
    }
}
