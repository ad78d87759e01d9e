//! Which files of a work tree are not as the index has them, told as `git status` tells it: by file times, then by content.
//!
//! gix's own comparison goes by the `.gitattributes` of the tree and runs the filters that these name, which is as git does it in a
//! person's tree and must not be in a thread's: there only file times decide, and the caller compares the doubtful
//! files. It also fails on files whose attributes have `-working-tree-encoding`, which `rye init` sets for items.
//! Submodules are passed over.

use std::{collections::BTreeMap, fs, path::Path, sync::atomic::AtomicBool};

use gix::{
    bstr::{BStr, ByteSlice},
    dir::walk::EmissionMode,
    index::{Entry, State},
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

use super::tree::text;
use super::{BlobId, Error, Repository};
use crate::capability::raw_name;

/// The size above which a file that cannot be converted is not read, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The paths that differ.
#[derive(Debug, Default)]
pub(super) struct Differing {
    pub(super) paths: Vec<String>,
    /// Those that are not UTF-8.
    pub(super) unnameable: Vec<String>,
    /// The `.git` of folders that are no repositories, or that have files of the index. Git passes them over.
    pub(super) git_names: Vec<String>,
}

/// Tells whether git would store a file as a blob.
pub type IsSame<'a> = dyn FnMut(&str, &BlobId) -> bool + 'a;

/// How the content of a file is compared whose times are not those of the index.
#[derive(Debug, Clone, Copy)]
pub(super) enum Comparison {
    /// As git does, by the tree's attributes and filters. Files that cannot be compared so are in doubt.
    AsGit,
    /// Not at all: it is in doubt.
    None,
}

impl Repository {
    /// Lists the paths of files that differ from an index, untracked ones included, ignored ones not. `is_same` tells of a
    /// file in doubt whether git would store it as this blob.
    pub(super) fn differing(
        &self,
        index: &State,
        comparison: Comparison,
        is_same: &mut IsSame<'_>,
    ) -> Result<Differing, Error> {
        let work_dir = self.require_work_dir()?;
        let failed = |source: gix::Error| Error::Status { work_dir: work_dir.to_owned(), source: source.into() };
        let walk = self.inner.dirwalk_options().map_err(failed)?;
        let walk = walk.emit_untracked(EmissionMode::Matching).emit_pruned(true);
        let options = Options { dirwalk_options: Some(walk), ..Options::default() };
        let mut collected = Collected::default();
        self.inner
            .index_worktree_status(
                index,
                None::<&BStr>,
                &mut collected,
                comparison,
                Submodules,
                &mut Discard,
                &AtomicBool::new(false),
                options,
            )
            .map_err(failed)?;
        let mut differing = Differing { git_names: collected.git_names, ..Differing::default() };
        for (path, doubted) in collected.paths {
            match path {
                Err(path) if doubted.is_some_and(|id| is_same(&path, &BlobId::from_gix(id))) => {}
                Err(path) => differing.unnameable.push(path),
                Ok(path) => {
                    if !doubted.is_some_and(|id| is_same(&path, &BlobId::from_gix(id))) {
                        differing.paths.push(path);
                    }
                }
            }
        }
        Ok(differing)
    }

    /// Tells whether a file has the very bytes of a blob, or a link its target.
    pub fn has_bytes_of(&self, path: &Path, blob_id: &BlobId) -> bool {
        let bytes = match fs::symlink_metadata(path) {
            Ok(found) if found.is_file() && found.len() <= MAX_BYTES => fs::read(path).ok(),
            Ok(found) if found.is_symlink() => {
                fs::read_link(path).ok().map(|target| target.into_os_string().into_encoded_bytes())
            }
            Ok(_) | Err(_) => None,
        };
        bytes.is_some_and(|bytes| self.blob_id_of(&bytes) == *blob_id)
    }
}

/// What was seen.
#[derive(Default)]
struct Collected {
    /// The paths that differ; a file whose content was compared comes with the content of the index.
    paths: BTreeMap<Result<String, String>, Option<gix::ObjectId>>,
    git_names: Vec<String>,
}

impl Collected {
    fn add(&mut self, path: &BStr, doubted: Option<gix::ObjectId>) {
        let path = text(path).trim_end_matches('/').to_owned();
        self.paths.insert(if raw_name::is_raw(&path) { Err(path) } else { Ok(path) }, doubted);
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
                // Announced by `git add --intent-to-add`: as good as untracked.
                EntryStatus::IntentToAdd => self.add(rela_path, None),
                EntryStatus::NeedsUpdate(_) => {}
            },
            Seen::DirectoryContents { entry, .. } if entry.status == gix::dir::entry::Status::Untracked => {
                self.add(entry.rela_path.as_bstr(), None);
            }
            // The work tree's own is at the top.
            Seen::DirectoryContents { entry, .. }
                if entry.property == Some(gix::dir::entry::Property::DotGit) && entry.rela_path != ".git" =>
            {
                self.git_names.push(text(entry.rela_path.as_bstr()));
            }
            // Renames are not looked for.
            Seen::DirectoryContents { .. } | Seen::Rewrite { .. } => {}
        }
    }
}

impl CompareBlobs for Comparison {
    type Output = ();

    fn compare_blobs<'a, 'b>(
        &mut self,
        entry: &Entry,
        size: u64,
        data: impl ReadData<'a>,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<()>, gix::Error> {
        match self {
            Self::AsGit => Ok(FastEq.compare_blobs(entry, size, data, buffer).unwrap_or(Some(()))),
            Self::None => Ok(Some(())),
        }
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
