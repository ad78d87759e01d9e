//! Which files of a work tree are not as the index has them, told as `git status` tells it: by file times, then by content.
//!
//! gix's own comparison fails on files whose attributes have `-working-tree-encoding`, which `rye init` sets for items: a file
//! that it cannot convert counts as changed here, unless its bytes are those of the index. Submodules are passed over.

use std::{collections::BTreeMap, fs, path::Path, sync::atomic::AtomicBool};

use gix::{
    bstr::{BStr, ByteSlice},
    dir::walk::EmissionMode,
    index::Entry,
    progress::Discard,
    status::{
        index_worktree::Options,
        plumbing::{
            index_as_worktree::{
                Change, EntryStatus,
                traits::{CompareBlobs, FastEq, ReadData, SubmoduleStatus},
            },
            index_as_worktree_with_renames::{Entry as Seen, VisitEntry},
        },
    },
};

use super::{BlobId, Error, Repository};

/// The size above which a file that cannot be converted is not read, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

impl Repository {
    /// Lists the paths of files that differ from the index, untracked ones included, ignored ones not.
    pub(super) fn differing(&self) -> Result<Vec<String>, Error> {
        let work_dir = self.require_work_dir()?;
        let failed = |source: gix::Error| Error::Status { work_dir: work_dir.to_owned(), source: source.into() };
        let index = self.inner.index_or_empty().map_err(failed)?;
        let walk = self.inner.dirwalk_options().map_err(failed)?.emit_untracked(EmissionMode::Matching);
        let options = Options { dirwalk_options: Some(walk), ..Options::default() };
        let mut collected = Collected::default();
        self.inner
            .index_worktree_status(
                &index,
                None::<&BStr>,
                &mut collected,
                Comparison,
                Submodules,
                &mut Discard,
                &AtomicBool::new(false),
                options,
            )
            .map_err(failed)?;
        let mut paths = Vec::new();
        for (path, doubted) in collected.0 {
            let path = path.map_err(|path| Error::UnsafePath { path, reason: "it is not UTF-8".into() })?;
            if !doubted.is_some_and(|id| self.has_bytes_of(&work_dir.join(&path), &BlobId::from_gix(id))) {
                paths.push(path);
            }
        }
        Ok(paths)
    }

    fn has_bytes_of(&self, path: &Path, blob_id: &BlobId) -> bool {
        let is_small = fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES);
        is_small && fs::read(path).is_ok_and(|bytes| self.blob_id_of(&bytes) == *blob_id)
    }
}

/// The paths that were seen to differ; a file whose content was compared comes with the content of the index.
#[derive(Default)]
struct Collected(BTreeMap<Result<String, String>, Option<gix::ObjectId>>);

impl Collected {
    fn add(&mut self, path: &BStr, doubted: Option<gix::ObjectId>) {
        let path = path.to_str().map(|path| path.trim_end_matches('/').to_owned()).map_err(|_| path.to_string());
        self.0.insert(path, doubted);
    }
}

impl<'index> VisitEntry<'index> for Collected {
    type ContentChange = ();
    type SubmoduleStatus = ();

    fn visit_entry(&mut self, seen: Seen<'index, (), ()>) {
        match seen {
            Seen::Modification { entry, rela_path, status, .. } => match status {
                EntryStatus::Change(Change::Modification { executable_bit_changed: false, .. }) => {
                    self.add(rela_path, Some(entry.id));
                }
                EntryStatus::Change(_) | EntryStatus::Conflict { .. } => self.add(rela_path, None),
                EntryStatus::NeedsUpdate(_) | EntryStatus::IntentToAdd => {}
            },
            Seen::DirectoryContents { entry, .. } if entry.status == gix::dir::entry::Status::Untracked => {
                self.add(entry.rela_path.as_bstr(), None);
            }
            // Renames are not looked for.
            Seen::DirectoryContents { .. } | Seen::Rewrite { .. } => {}
        }
    }
}

/// Compares as git does, and takes what cannot be compared for changed.
#[derive(Clone)]
struct Comparison;

impl CompareBlobs for Comparison {
    type Output = ();

    fn compare_blobs<'a, 'b>(
        &mut self,
        entry: &Entry,
        size: u64,
        data: impl ReadData<'a>,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<()>, gix::Error> {
        Ok(FastEq.compare_blobs(entry, size, data, buffer).unwrap_or(Some(())))
    }
}

/// No submodule is opened.
#[derive(Clone)]
struct Submodules;

impl SubmoduleStatus for Submodules {
    type Output = ();

    fn status(&mut self, _: &Entry, _: &BStr) -> Result<Option<()>, gix::Error> {
        Ok(None)
    }
}
