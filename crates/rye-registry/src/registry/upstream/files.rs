//! The files of one folder at one commit, each read from an object whose hash was checked, within the bounds of a skill.
//!
//! Other entries are kept as such, as in a folder of the work tree; a tree that git itself would not check out is
//! refused.

use super::{Upstream, UpstreamError};
use crate::git::{self, CommitId, Mode, TreeFiles};
use crate::item::{MOST_FILES, SKILL_FILE, SkillContent};

/// The most entries of a tree, folders included.
const MOST_ENTRIES: usize = 2 * MOST_FILES;

/// The most files of a repository in which skills are looked for.
const MOST_PATHS: usize = 200_000;

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

impl Upstream<'_> {
    /// Reads a folder (empty: the whole repository) at a commit. Too large files are not read, and reported by
    /// [`crate::item::SkillFolder::faults`].
    ///
    /// # Errors
    ///
    /// Fails when the folder is missing, and on names and sizes that no tree may have.
    pub fn folder(&self, commit_id: &CommitId, path: &str) -> Result<SkillContent, UpstreamError> {
        let skills = || self.skills(commit_id).unwrap_or_default();
        let (url, named, commit) = (self.url.clone(), path.to_owned(), commit_id.to_string());
        let has_skill = self.with_trees(commit_id, || self.cache.has_at(commit_id, &below(path, SKILL_FILE)));
        if !has_skill.map_err(|error| self.refused_tree(path, error))? {
            // The whole of a repository of many skills is no skill, however large.
            let there = skills();
            if path.is_empty() && !there.is_empty() {
                return Err(UpstreamError::NoSkill { url, commit, skills: there });
            }
        }
        let listed = self.with_trees(commit_id, || self.cache.entries_below(commit_id, path, MOST_ENTRIES));
        let listed = listed.map_err(|error| self.refused_tree(path, error))?;
        if listed.is_empty() {
            return Err(UpstreamError::NoFolder { url, path: named, commit, skills: skills() });
        }
        let is_file = |mode| matches!(mode, Mode::File | Mode::Executable | Mode::Symlink);
        let blobs = listed.iter().filter(|entry| is_file(entry.mode)).map(|entry| entry.blob_id.clone());
        self.bring(&blobs.collect::<Vec<_>>())?;
        Ok(SkillContent::read(path, &TreeFiles::new(&self.cache, path, listed))?)
    }

    /// Reads one file of the repository; `None` if that path is not a plain file.
    ///
    /// # Errors
    ///
    /// Fails when it is larger than `most`.
    pub fn file(&self, commit_id: &CommitId, path: &str, most: u64) -> Result<Option<Vec<u8>>, UpstreamError> {
        let Some(entry) = self.with_trees(commit_id, || self.cache.entry_at(commit_id, path))? else {
            return Ok(None);
        };
        match entry.mode {
            Mode::File | Mode::Executable => {
                self.bring(std::slice::from_ref(&entry.blob_id))?;
                let read = self.cache.blob_within(&entry.blob_id, most)?;
                read.map(Some).ok_or_else(|| self.refused(path, format!("it is larger than {most} bytes")))
            }
            Mode::Symlink | Mode::Submodule | Mode::Tree => Ok(None),
        }
    }

    /// Lists the paths of the files below a folder of the repository; empty if the folder is missing.
    ///
    /// # Errors
    ///
    /// Fails when there are more than `most`.
    pub fn paths_below(&self, commit_id: &CommitId, folder: &str, most: usize) -> Result<Vec<String>, UpstreamError> {
        let entries = self.with_trees(commit_id, || self.cache.entries_below(commit_id, folder, most));
        let entries = entries.map_err(|error| self.refused_tree(folder, error))?;
        Ok(entries.into_iter().map(|entry| entry.path).collect())
    }

    /// Lists the folders of the repository that have a `SKILL.md`, sorted; the whole repository is empty.
    ///
    /// # Errors
    ///
    /// Fails when there are more than 200,000 files.
    pub fn skills(&self, commit_id: &CommitId) -> Result<Vec<String>, UpstreamError> {
        let paths = self.paths_below(commit_id, "", MOST_PATHS)?;
        let folder = |path: &String| match path.strip_suffix(SKILL_FILE)? {
            "" => Some(String::new()),
            folder => folder.strip_suffix('/').map(str::to_owned),
        };
        Ok(paths.iter().filter_map(folder).collect())
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
