//! Tracked files as the work tree has them, in the bytes that git would store; and those that git does not track.
//!
//! Only reads. No filter of a configuration is run: a file that one would store otherwise counts by its own bytes.

use std::{fs, path::Path, sync::atomic::AtomicBool};

use gix::{
    bstr::{BStr, ByteSlice as _},
    dir::{
        entry::{Kind, Status},
        walk::EmissionMode,
    },
    index::entry::{Flags, Mode as IndexMode},
    progress::Discard,
    status::{
        index_worktree::Options,
        plumbing::{
            index_as_worktree::traits::SubmoduleStatus,
            index_as_worktree_with_renames::{Entry as Seen, VisitEntry},
        },
    },
};

use super::difference::Comparison;
use super::stage::mode_of;
use super::tree::{os_path, text};
use super::{BlobId, Cleaner, Error, Mode, Repository, Stored};

/// A tracked file as the work tree has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    /// From the top of the work tree.
    pub path: String,
    /// Its kind; never [`Mode::Tree`].
    pub mode: Mode,
    /// What it holds.
    pub content: TrackedContent,
}

/// What a tracked file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrackedContent {
    /// These bytes, as git would store them; of a link its target, of a submodule the digits of its commit.
    Bytes(Vec<u8>),
    /// More bytes than are read, none that can be read, or others than git would store in more than line ends (`ident`,
    /// `working-tree-encoding`): what is read is not what is committed.
    Unread,
    /// There is no such file.
    Absent,
    /// There is none, as a sparse checkout wants it.
    LeftOut,
}

/// Files that git does not track.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Untracked {
    /// Those that it would take, and those that it only intends to (`git add -N`).
    pub new: Vec<String>,
    /// Other repositories, which it does not look into.
    pub repositories: Vec<String>,
    /// Those that it ignores. A folder that is ignored as a whole is one path.
    pub ignored: Vec<String>,
}

impl Repository {
    /// Lists the tracked files that are wanted by path and tracked kind, sorted by path. At most `most` bytes of each are read.
    ///
    /// # Errors
    /// [`super::Unusable::Bare`], [`Error::ReadIndex`], or [`Error::Status`].
    pub fn tracked(&self, mut is_wanted: impl FnMut(&str, Mode) -> bool, most: u64) -> Result<Vec<Tracked>, Error> {
        let work_dir = self.require_work_dir()?;
        let Some(index) = self.index_at(None)? else { return Ok(Vec::new()) };
        let mut cleaner = None;
        let mut found: Vec<Tracked> = Vec::new();
        for entry in index.entries().iter().filter(|entry| !entry.flags.contains(Flags::INTENT_TO_ADD)) {
            let path = text(entry.path(&index));
            if entry.mode == IndexMode::DIR {
                let leaves = self.leaves_below(path.trim_end_matches('/'), entry.id, MAX_LEFT_OUT)?;
                for leaf in leaves.into_iter().filter(|leaf| is_wanted(&leaf.path, leaf.mode)) {
                    found.push(Tracked { path: leaf.path, mode: leaf.mode, content: TrackedContent::LeftOut });
                }
                continue;
            }
            // Of a conflict, its first entry stands for the file.
            let Some(staged) = mode_of(entry.mode) else { continue };
            if found.last().is_some_and(|last| last.path == path) || !is_wanted(&path, staged) {
                continue;
            }
            let cleaner = match &mut cleaner {
                Some(cleaner) => cleaner,
                none => none.insert(self.cleaner_without_drivers(&index)?),
            };
            let is_left_out = entry.flags.contains(Flags::SKIP_WORKTREE);
            let (mode, content) = match staged {
                Mode::Submodule => (staged, TrackedContent::Bytes(entry.id.to_string().into_bytes())),
                _ => self.read_tracked(cleaner, (&path, &work_dir.join(os_path(&path))), staged, most),
            };
            let content = match content {
                TrackedContent::Absent if is_left_out => TrackedContent::LeftOut,
                content => content,
            };
            found.push(Tracked { path, mode, content });
        }
        found.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    /// Lists the paths of the tracked files that are wanted. Those in folders that a sparse index names as one are left out.
    ///
    /// # Errors
    /// [`super::Unusable::Bare`], or [`Error::ReadIndex`].
    pub fn tracked_paths(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, Error> {
        self.require_work_dir()?;
        let Some(index) = self.index_at(None)? else { return Ok(Vec::new()) };
        let files = index.entries().iter().filter(|entry| entry.mode != IndexMode::DIR);
        Ok(files.map(|entry| text(entry.path(&index))).filter(|path| is_wanted(path)).collect())
    }

    /// Reads a file of the work tree that the index has with some kind.
    fn read_tracked(
        &self,
        cleaner: &mut Cleaner,
        (path, file): (&str, &Path),
        staged: Mode,
        most: u64,
    ) -> (Mode, TrackedContent) {
        let Ok(found) = fs::symlink_metadata(file) else { return (staged, TrackedContent::Absent) };
        if found.is_symlink() {
            let target = fs::read_link(file).map(|target| target.into_os_string().into_encoded_bytes());
            return (Mode::Symlink, target.map_or(TrackedContent::Unread, TrackedContent::Bytes));
        }
        if !found.is_file() {
            return (staged, TrackedContent::Absent);
        }
        let mode = match staged {
            Mode::File | Mode::Executable if !self.knows_executables() => staged,
            _ if is_executable(&found) => Mode::Executable,
            _ => Mode::File,
        };
        let bytes = if found.len() <= most { fs::read(file).ok() } else { None };
        let Some(bytes) = bytes else { return (mode, TrackedContent::Unread) };
        let content = match cleaner.clean(path, &bytes) {
            Ok(Stored::As(stored)) if differs_in_line_ends(&stored, &bytes) => TrackedContent::Bytes(stored),
            Ok(Stored::As(_)) => TrackedContent::Unread,
            Ok(Stored::AsIs | Stored::NotConvertible) | Err(_) => TrackedContent::Bytes(bytes),
        };
        (mode, content)
    }

    /// Lists the wanted files that git does not track.
    ///
    /// # Errors
    /// [`super::Unusable::Bare`], or [`Error::Status`].
    pub fn untracked(&self, mut is_wanted: impl FnMut(&str) -> bool) -> Result<Untracked, Error> {
        let work_dir = self.require_work_dir()?;
        let failed = |source: gix::Error| Error::Status { work_dir: work_dir.to_owned(), source: source.into() };
        let index = self.inner.index_or_empty().map_err(failed)?;
        let walk = self.inner.dirwalk_options().map_err(failed)?;
        let walk = walk.emit_untracked(EmissionMode::Matching).emit_ignored(Some(EmissionMode::CollapseDirectory));
        let options = Options { dirwalk_options: Some(walk), ..Options::default() };
        let mut seen = Collected::default();
        self.inner
            .index_worktree_status(
                &index,
                None::<&BStr>,
                &mut seen,
                Comparison::None,
                NoSubmodules,
                &mut Discard,
                &AtomicBool::new(false),
                options,
            )
            .map_err(failed)?;
        let Untracked { mut new, mut repositories, mut ignored } = seen.0;
        let intended = index.entries().iter().filter(|entry| entry.flags.contains(Flags::INTENT_TO_ADD));
        new.extend(intended.map(|entry| text(entry.path(&index))));
        new.retain(|path| is_wanted(path));
        ignored.retain(|path| is_wanted(path));
        new.sort();
        new.dedup();
        repositories.sort();
        ignored.sort();
        Ok(Untracked { new, repositories, ignored })
    }
}

/// The most files of a folder that a sparse index names as one.
const MAX_LEFT_OUT: usize = 200_000;

/// Tells whether two texts differ in nothing but CRLF for LF.
fn differs_in_line_ends(stored: &[u8], bytes: &[u8]) -> bool {
    let without = |bytes: &[u8]| bytes.replace("\r\n", "\n");
    without(stored) == without(bytes)
}

fn is_executable(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o100 != 0
}

/// The untracked files that were seen.
#[derive(Default)]
struct Collected(Untracked);

impl<'index> VisitEntry<'index> for Collected {
    type ContentChange = ();
    type SubmoduleStatus = ();

    fn visit_entry(&mut self, seen: Seen<'index, (), ()>) {
        let Seen::DirectoryContents { entry, .. } = seen else { return };
        let path = text(entry.rela_path.as_ref()).trim_end_matches('/').to_owned();
        match entry.status {
            Status::Untracked if entry.disk_kind == Some(Kind::Repository) => self.0.repositories.push(path),
            Status::Untracked => self.0.new.push(path),
            Status::Ignored(_) => self.0.ignored.push(path),
            Status::Pruned | Status::Tracked => {}
        }
    }
}

/// No submodule is opened.
#[derive(Clone)]
struct NoSubmodules;

impl SubmoduleStatus for NoSubmodules {
    type Output = ();

    fn status(&mut self, _: &gix::index::Entry, _: &BStr) -> Result<Option<()>, gix::Error> {
        Ok(None)
    }
}

impl Repository {
    /// Reads at most `most` bytes of a file of a commit, as [`TrackedContent`] of the work tree.
    ///
    /// # Errors
    /// As [`blob_within`](Self::blob_within).
    pub fn committed(&self, mode: Mode, blob_id: &BlobId, most: u64) -> Result<TrackedContent, Error> {
        Ok(match mode {
            Mode::Submodule => TrackedContent::Bytes(blob_id.to_string().into_bytes()),
            Mode::File | Mode::Executable | Mode::Symlink | Mode::Tree => {
                self.blob_within(blob_id, most)?.map_or(TrackedContent::Unread, TrackedContent::Bytes)
            }
        })
    }
}
