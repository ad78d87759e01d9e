//! What the index holds below a folder, and whether the work tree's files are the same: what a commit would take, and
//! what of it a person still has in the works.
//!
//! Bytes are compared, not file times, and no filter is applied: `/.ai/** -text -filter` is what `rye init` sets, and a
//! signature is over bytes. Files outside of a sparse checkout count as staged. Only reads; the index is not refreshed.

use std::{fs, path::Path};

use gix::{
    bstr::{BStr, ByteSlice},
    index::{
        File,
        entry::{Flags, Mode as IndexMode},
    },
};
use serde::Serialize;

use super::tree::{os_path, text};
use super::{BlobId, Error, Mode, Repository};

/// A file in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StagedEntry {
    /// From the top of the work tree.
    pub path: String,
    /// Never [`Mode::Tree`].
    pub mode: Mode,
    /// The content; for a submodule, its commit's digits.
    pub blob_id: BlobId,
    /// 0; in a conflict 1 (the common ancestor), 2 (ours) or 3 (theirs), each with an entry of its own.
    pub stage: u8,
    /// What the work tree has there.
    pub in_work_tree: InWorkTree,
}

/// How the work tree's file is to the one in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InWorkTree {
    /// The same kind of file with the same bytes; a submodule is never looked into and counts as this.
    Same,
    /// Another one.
    Different,
    /// None.
    Absent,
    /// None, as a sparse checkout wants it: the file was not removed.
    LeftOut,
}

/// The most files that a folder may hold which a sparse index names as one.
const MAX_LEFT_OUT: usize = 200_000;

impl Repository {
    /// Lists the staged entries below `folder` (`""`: everything), sorted by path and stage. `index_file` is the index
    /// a git hook was told (`GIT_INDEX_FILE`, absolute); `None` is the work tree's own. An announced entry (`git add
    /// --intent-to-add`) is not staged.
    ///
    /// # Errors
    /// [`super::Unusable::Bare`], [`Error::ReadIndex`], or [`Error::UnsafePath`] for an entry of no kind that git has.
    pub fn staged_below(&self, folder: &str, index_file: Option<&Path>) -> Result<Vec<StagedEntry>, Error> {
        let left_out = |path: &BStr, tree_id| self.left_out(path, tree_id, folder);
        self.staged((index_file, true), |path| is_below(path, folder), left_out)
    }

    /// Lists the files below `folder` that the index has and a sparse checkout leaves out of the work tree.
    ///
    /// # Errors
    /// As [`staged_below`](Self::staged_below).
    pub fn left_out_below(&self, folder: &str) -> Result<Vec<StagedEntry>, Error> {
        let Some(index) = self.index_at(None)? else { return Ok(Vec::new()) };
        let may_be = |entry: &gix::index::Entry| {
            entry.mode == IndexMode::DIR
                || entry.flags.contains(Flags::SKIP_WORKTREE) && is_below(entry.path(&index), folder)
        };
        if !index.entries().iter().any(may_be) {
            return Ok(Vec::new());
        }
        let mut staged = self.staged_below(folder, None)?;
        staged.retain(|entry| entry.in_work_tree == InWorkTree::LeftOut && entry.stage == 0);
        Ok(staged)
    }

    /// Tells whether an index has a file at a path.
    ///
    /// # Errors
    /// [`Error::ReadIndex`].
    pub fn is_indexed(&self, path: &str, index_file: &Path) -> Result<bool, Error> {
        let index = self.index_at(Some(index_file))?;
        Ok(index.is_some_and(|index| index.entry_by_path(path.as_bytes().as_bstr()).is_some()))
    }

    /// Lists what is staged at or below the names at the top that are wanted, as [`staged_below`](Self::staged_below) does. Where it
    /// `compares` nothing with the work tree, everything counts as the same.
    ///
    /// # Errors
    /// As [`staged_below`](Self::staged_below).
    pub fn staged_at_top(
        &self,
        is_wanted: impl Fn(&str) -> bool,
        index_file: Option<&Path>,
        compares: bool,
    ) -> Result<Vec<StagedEntry>, Error> {
        let is_wanted =
            |path: &BStr| path.split_str("/").next().and_then(|top| top.to_str().ok()).is_some_and(&is_wanted);
        let left_out =
            |path: &BStr, tree_id| if is_wanted(path) { self.left_out(path, tree_id, "") } else { Ok(Vec::new()) };
        self.staged((index_file, compares), is_wanted, left_out)
    }

    /// Lists the staged files that are wanted. `left_out` lists those in a folder that a sparse index names as one.
    fn staged(
        &self,
        (index_file, compares): (Option<&Path>, bool),
        is_wanted: impl Fn(&BStr) -> bool,
        left_out: impl Fn(&BStr, gix::ObjectId) -> Result<Vec<StagedEntry>, Error>,
    ) -> Result<Vec<StagedEntry>, Error> {
        let work_dir = self.require_work_dir()?;
        let Some(index) = self.index_at(index_file)? else { return Ok(Vec::new()) };
        let mut staged = Vec::new();
        for entry in index.entries().iter().filter(|entry| !entry.flags.contains(Flags::INTENT_TO_ADD)) {
            let path = entry.path(&index);
            if entry.mode == IndexMode::DIR {
                staged.extend(left_out(path, entry.id)?);
                continue;
            }
            if !is_wanted(path) {
                continue;
            }
            let path = text(path);
            let unknown =
                || Error::UnsafePath { path: path.clone(), reason: "it is of no kind that git has".to_owned() };
            let mode = mode_of(entry.mode).ok_or_else(unknown)?;
            let blob_id = BlobId::from_gix(entry.id);
            let in_work_tree =
                if compares { self.compare(&work_dir.join(os_path(&path)), mode, &blob_id) } else { InWorkTree::Same };
            let in_work_tree = match in_work_tree {
                InWorkTree::Absent if entry.flags.contains(Flags::SKIP_WORKTREE) => InWorkTree::LeftOut,
                found => found,
            };
            staged.push(StagedEntry { path, mode, blob_id, stage: entry.stage_raw() as u8, in_work_tree });
        }
        Ok(staged)
    }

    /// Lists the entries below `folder` in a folder that a sparse index names as one, by its tree.
    fn left_out(&self, path: &BStr, tree_id: gix::ObjectId, folder: &str) -> Result<Vec<StagedEntry>, Error> {
        let may_hold = folder.is_empty() || is_below(path, folder) || format!("{folder}/").as_bytes().starts_with(path);
        if !may_hold {
            return Ok(Vec::new());
        }
        let prefix = text(path);
        let leaves = self.leaves_below(prefix.trim_end_matches('/'), tree_id, MAX_LEFT_OUT)?.into_iter();
        let staged = leaves.filter(|leaf| is_below(leaf.path.as_bytes().as_bstr(), folder)).map(|leaf| StagedEntry {
            path: leaf.path,
            mode: leaf.mode,
            blob_id: leaf.blob_id,
            stage: 0,
            in_work_tree: InWorkTree::LeftOut,
        });
        Ok(staged.collect())
    }

    pub(super) fn index_at(&self, index_file: Option<&Path>) -> Result<Option<File>, Error> {
        let path = index_file.map_or_else(|| self.inner.index_path(), Path::to_owned);
        if !path.exists() {
            return Ok(None);
        }
        let opened = File::at(&path, self.inner.object_hash(), false, gix::index::decode::Options::default());
        opened.map(Some).map_err(|source| Error::ReadIndex { path, source: source.into() })
    }

    /// An unreadable file counts as different: only equal bytes are the same.
    fn compare(&self, path: &Path, mode: Mode, blob_id: &BlobId) -> InWorkTree {
        let Some(found) = fs::symlink_metadata(path).ok() else { return InWorkTree::Absent };
        let is = match mode {
            Mode::Submodule => return InWorkTree::Same,
            Mode::Symlink if found.is_symlink() => {
                let target = fs::read_link(path).ok();
                target.map(|target| self.blob_id_of(target.as_os_str().as_encoded_bytes()))
            }
            Mode::File | Mode::Executable if found.is_file() => self.blob_id_of_file(path),
            _ => None,
        };
        if is.as_ref() == Some(blob_id) { InWorkTree::Same } else { InWorkTree::Different }
    }
}

fn is_below(path: &BStr, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'/'))
}

pub(super) fn mode_of(mode: IndexMode) -> Option<Mode> {
    match mode {
        IndexMode::FILE => Some(Mode::File),
        IndexMode::FILE_EXECUTABLE => Some(Mode::Executable),
        IndexMode::SYMLINK => Some(Mode::Symlink),
        IndexMode::COMMIT => Some(Mode::Submodule),
        _ => None,
    }
}
