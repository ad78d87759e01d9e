//! The files of one folder at one commit, each read from an object whose hash was checked, within the bounds of a skill.
//!
//! Other entries are kept as such, as in a folder of the work tree; a tree that git itself would not check out is
//! refused.

use std::collections::BTreeMap;

use super::{Upstream, UpstreamError};
use crate::git::{self, CommitId, Mode, TreeEntry};
use crate::item::{EntryKind, MOST_BYTES, MOST_FILE_BYTES, MOST_FILES, SkillEntry, SkillFolder};

/// The most entries of a tree, folders included.
const MOST_ENTRIES: usize = 2 * MOST_FILES;

/// A folder of a repository, with the bytes of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamFolder {
    /// What lies in it.
    pub folder: SkillFolder,
    /// The bytes of each file, by its path.
    pub bytes: BTreeMap<String, Vec<u8>>,
}

impl Upstream<'_> {
    /// Reads a folder (empty: the whole repository) at a commit. Too large files are not read, and reported by
    /// [`SkillFolder::faults`].
    ///
    /// # Errors
    ///
    /// Fails when the folder is missing, and on names and sizes that no tree may have.
    pub fn folder(&self, commit_id: &CommitId, path: &str) -> Result<UpstreamFolder, UpstreamError> {
        let listed = self.cache.entries_below(commit_id, path, MOST_ENTRIES);
        let listed = listed.map_err(|error| self.refused_tree(path, error))?;
        if listed.is_empty() {
            let (url, path, commit) = (self.url.clone(), path.to_owned(), commit_id.to_string());
            return Err(UpstreamError::NoFolder { url, path, commit });
        }
        let mut read = UpstreamFolder {
            folder: SkillFolder { path: path.to_owned(), entries: Vec::new(), is_cut: listed.len() > MOST_FILES },
            bytes: BTreeMap::new(),
        };
        let mut total = 0;
        for entry in listed.iter().take(MOST_FILES) {
            let (kind, bytes) = self.entry(entry)?;
            let name = below(path, &entry.path);
            total += bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
            read.bytes.extend(bytes.map(|bytes| (name.clone(), bytes)));
            read.folder.entries.push(SkillEntry { path: name, kind });
            if total > MOST_BYTES {
                read.folder.is_cut = true;
                break;
            }
        }
        read.folder.entries.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
        Ok(read)
    }

    /// Reads one file of the repository; `None` if that path is not a plain file.
    ///
    /// # Errors
    ///
    /// Fails when it is larger than `most`.
    pub fn file(&self, commit_id: &CommitId, path: &str, most: u64) -> Result<Option<Vec<u8>>, UpstreamError> {
        let Some(entry) = self.cache.entry_at(commit_id, path)? else { return Ok(None) };
        match entry.mode {
            Mode::File | Mode::Executable => match self.cache.blob_within(&entry.blob_id, most)? {
                Some(bytes) => Ok(Some(bytes)),
                None => Err(self.refused(path, format!("it is larger than {most} bytes"))),
            },
            Mode::Symlink | Mode::Submodule | Mode::Tree => Ok(None),
        }
    }

    /// Lists the paths of the files below a folder of the repository; empty if the folder is missing.
    ///
    /// # Errors
    ///
    /// Fails when there are more than `most`.
    pub fn paths_below(&self, commit_id: &CommitId, folder: &str, most: usize) -> Result<Vec<String>, UpstreamError> {
        let entries = self.cache.entries_below(commit_id, folder, most);
        let entries = entries.map_err(|error| self.refused_tree(folder, error))?;
        Ok(entries.into_iter().map(|entry| entry.path).collect())
    }

    fn entry(&self, entry: &TreeEntry) -> Result<(EntryKind, Option<Vec<u8>>), UpstreamError> {
        let executable = match entry.mode {
            Mode::File => false,
            Mode::Executable => true,
            Mode::Symlink => return Ok((EntryKind::Link, None)),
            Mode::Submodule => return Ok((EntryKind::Repository, None)),
            Mode::Tree => return Ok((EntryKind::Special, None)),
        };
        match self.cache.blob_within(&entry.blob_id, MOST_FILE_BYTES)? {
            Some(bytes) => Ok((EntryKind::file_at(&entry.path, executable, &bytes), Some(bytes))),
            None => Ok((EntryKind::Large { size: self.cache.size_of(&entry.blob_id)? }, None)),
        }
    }

    /// Tells a tree that may not be from a damaged cache.
    fn refused_tree(&self, path: &str, error: git::Error) -> UpstreamError {
        match error {
            git::Error::UnsafePath { path, reason } => self.refused(&path, reason),
            git::Error::TooManyEntries { limit, .. } => {
                self.refused(path, format!("it has more than {limit} files and folders"))
            }
            other => other.into(),
        }
    }

    fn refused(&self, path: &str, reason: impl Into<String>) -> UpstreamError {
        let path = if path.is_empty() { "the repository".to_owned() } else { path.to_owned() };
        UpstreamError::Refused { url: self.url.clone(), path, reason: reason.into() }
    }
}

fn below(folder: &str, path: &str) -> String {
    match path.strip_prefix(folder) {
        Some(rest) if !folder.is_empty() => rest.trim_start_matches('/').to_owned(),
        _ => path.to_owned(),
    }
}
