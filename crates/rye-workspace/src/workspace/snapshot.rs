//! The former content of some folders of a project, and the changes since: how a thread learns what a tool wrote.
//!
//! Content is compared by digest, never by time, except for files too large to be read: those are compared by size,
//! time and inode, and only named. Refused places are passed over. Unsupported entries (symlinks, nested repositories,
//! names that are not UTF-8) are left out and reported.

use std::collections::{BTreeMap, BTreeSet};

use rustix::fs::{FileType, Stat};
use serde::{Deserialize, Serialize};

use super::error::Error;
use super::folder::{Folder, Name, kind, read_bounded};
use super::{Doing, ProjectDir, protected_places};
use crate::capability::ProjectPath;
use crate::trust::Blake3Hash;

/// Folders deeper than this are left out.
const MAX_DEPTH: usize = 64;

/// How much a snapshot may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotLimits {
    /// The greatest number of files; more is an error.
    pub max_files: usize,
    /// The size in bytes above which a file is named but not read.
    pub max_file_bytes: u64,
    /// The sum of sizes in bytes beyond which files are named but not read.
    pub max_total_bytes: u64,
}

/// The files below some prefixes at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The files that were read.
    pub files: BTreeMap<ProjectPath, FileState>,
    /// The files that were too large to read.
    pub oversized: BTreeMap<ProjectPath, Oversized>,
    /// What cannot be recorded, as `(path to show, reason)`.
    pub left_out: BTreeSet<(String, LeftOut)>,
}

/// A file's content and mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileState {
    /// Whether its owner may execute it.
    pub executable: bool,
    /// Its size in bytes.
    pub size: u64,
    /// The digest of its bytes.
    pub blake3: Blake3Hash,
}

/// The facts about a file that was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Oversized {
    /// Its size in bytes.
    pub size: u64,
    /// Its last change, in nanoseconds since 1970.
    pub modified: i128,
    /// Its inode: a replaced file has another.
    pub inode: u64,
}

/// Why something cannot be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// A git repository inside the project.
    NestedRepository,
    /// A symlink.
    Symlink,
    /// A pipe, socket or device.
    NotRegular,
    /// A name that is not UTF-8 or holds a backslash.
    Unnameable,
    /// Deeper than 64 folders.
    TooDeep,
    /// Not readable by this process.
    Unreadable,
}

/// What differs between two snapshots, each sorted by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The files that are new, or have other content or another executable bit.
    pub written: Vec<ProjectPath>,
    /// The files that are gone.
    pub removed: Vec<ProjectPath>,
    /// The changed files that are too large to record.
    pub oversized: Vec<ProjectPath>,
    /// What appeared and cannot be recorded.
    pub left_out: Vec<(String, LeftOut)>,
}

impl Snapshot {
    /// Compares two snapshots of the same prefixes. Entries that the later snapshot could not read are not gone.
    #[must_use]
    pub fn changes(before: &Self, after: &Self) -> Changes {
        let written = after.files.iter().filter(|(path, state)| before.files.get(path) != Some(state));
        let oversized = after.oversized.iter().filter(|(path, state)| before.oversized.get(path) != Some(state));
        let known = before.files.keys().chain(before.oversized.keys());
        let is_gone = |path: &&ProjectPath| !after.files.contains_key(*path) && !after.oversized.contains_key(*path);
        let removed: BTreeSet<_> = known.filter(is_gone).filter(|path| !after.hides(path)).collect();
        Changes {
            written: written.map(|(path, _)| path.clone()).collect(),
            removed: removed.into_iter().cloned().collect(),
            oversized: oversized.map(|(path, _)| path.clone()).collect(),
            left_out: after.left_out.difference(&before.left_out).cloned().collect(),
        }
    }

    /// Tells whether a path is, or lies in, something that is there and was not looked into.
    fn hides(&self, path: &ProjectPath) -> bool {
        self.left_out.iter().any(|(hidden, reason)| match reason {
            LeftOut::NestedRepository | LeftOut::TooDeep | LeftOut::Unreadable => {
                path.as_str().strip_prefix(hidden.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            LeftOut::Symlink | LeftOut::NotRegular | LeftOut::Unnameable => false,
        })
    }
}

impl ProjectDir {
    /// Records the files at or below each of `prefixes`; a prefix that does not exist holds none.
    ///
    /// # Errors
    ///
    /// Fails when there are more files than allowed or a folder vanishes in an unexpected way.
    pub fn snapshot(&self, prefixes: &[ProjectPath], limits: &SnapshotLimits) -> Result<Snapshot, Error> {
        self.snapshot_without(prefixes, limits, &|_, _| false)
    }

    /// Records as [`ProjectDir::snapshot`] does, passing over each path for which `skip(path, is_folder)` holds, such
    /// as what git ignores.
    ///
    /// # Errors
    ///
    /// As [`ProjectDir::snapshot`].
    pub fn snapshot_without(
        &self,
        prefixes: &[ProjectPath],
        limits: &SnapshotLimits,
        skip: &dyn Fn(&ProjectPath, bool) -> bool,
    ) -> Result<Snapshot, Error> {
        let mut walk = Walk { limits, skip, budget: limits.max_total_bytes, snapshot: Snapshot::default() };
        for prefix in prefixes.iter().collect::<BTreeSet<_>>() {
            walk.prefix(&self.root, prefix)?;
        }
        Ok(walk.snapshot)
    }
}

/// A walk that fills a snapshot.
struct Walk<'a> {
    limits: &'a SnapshotLimits,
    skip: &'a dyn Fn(&ProjectPath, bool) -> bool,
    budget: u64,
    snapshot: Snapshot,
}

impl Walk<'_> {
    fn prefix(&mut self, root: &Folder, prefix: &ProjectPath) -> Result<(), Error> {
        let mut above: Vec<&str> = prefix.parts().collect();
        let name = above.pop();
        let depth = above.len();
        if let Some(repository) = nested_repository(root, &above) {
            self.leave_out(repository, LeftOut::NestedRepository);
            return Ok(());
        }
        match (root.descend(above), name) {
            (Ok(folder), Some(name)) => self.entry(&folder, name, prefix, depth),
            (Ok(folder), None) => self.folder(&folder, "", depth),
            (Err(Error::NotFound { .. } | Error::NotDirectory { .. }), _) => Ok(()),
            (Err(Error::Symlink { path }), _) => {
                self.leave_out(path.to_string_lossy().into_owned(), LeftOut::Symlink);
                Ok(())
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Records everything in `folder`, whose path is `path`, empty for the project itself.
    fn folder(&mut self, folder: &Folder, path: &str, depth: usize) -> Result<(), Error> {
        for name in folder.names()? {
            let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            match name {
                Name::Lossy(name) => self.leave_out(below(&name), LeftOut::Unnameable),
                Name::Text(name) => match below(&name).parse::<ProjectPath>() {
                    Ok(path) => self.entry(folder, &name, &path, depth + 1)?,
                    Err(_) => self.leave_out(below(&name), LeftOut::Unnameable),
                },
            }
        }
        Ok(())
    }

    fn entry(&mut self, parent: &Folder, name: &str, path: &ProjectPath, depth: usize) -> Result<(), Error> {
        let Some(stat) = Error::absent_is_none(parent.stat(name))? else { return Ok(()) };
        let file_type = kind(&stat);
        if protected_places::reason(path).is_some() || (self.skip)(path, file_type == FileType::Directory) {
            return Ok(());
        }
        match file_type {
            FileType::RegularFile => return self.file(parent, name, path, &stat),
            FileType::Directory if depth > MAX_DEPTH => self.leave_out(path.to_string(), LeftOut::TooDeep),
            FileType::Directory => return self.enter(parent, name, path, depth),
            FileType::Symlink => self.leave_out(path.to_string(), LeftOut::Symlink),
            _ => self.leave_out(path.to_string(), LeftOut::NotRegular),
        }
        Ok(())
    }

    fn enter(&mut self, parent: &Folder, name: &str, path: &ProjectPath, depth: usize) -> Result<(), Error> {
        let folder = match parent.step(name) {
            Ok(folder) => folder,
            Err(error) => return self.forgive(path, error),
        };
        if folder.stat(".git").is_ok() {
            self.leave_out(path.to_string(), LeftOut::NestedRepository);
            return Ok(());
        }
        self.folder(&folder, path.as_str(), depth)
    }

    fn file(&mut self, parent: &Folder, name: &str, path: &ProjectPath, stat: &Stat) -> Result<(), Error> {
        if self.snapshot.files.contains_key(path) || self.snapshot.oversized.contains_key(path) {
            // Prefixes may lie in one another.
            return Ok(());
        }
        if self.snapshot.files.len() + self.snapshot.oversized.len() >= self.limits.max_files {
            return Err(Error::TooManyFiles { path: parent.path.clone(), limit: self.limits.max_files });
        }
        let room = self.budget.min(self.limits.max_file_bytes);
        if stat.st_size.cast_unsigned() > room {
            self.snapshot.oversized.insert(path.clone(), oversized(stat));
            return Ok(());
        }
        let (file, stat) = match parent.open_file(name) {
            Ok(opened) => opened,
            Err(error) => return self.forgive(path, error),
        };
        let read = read_bounded(file, stat.st_size.cast_unsigned(), room)
            .map_err(|source| Error::of(Doing::Read, &parent.path.join(name), source))?;
        self.keep(path, &read, &stat);
        Ok(())
    }

    fn keep(&mut self, path: &ProjectPath, (bytes, more): &(Vec<u8>, bool), stat: &Stat) {
        if *more {
            // It grew while it was read.
            self.snapshot.oversized.insert(path.clone(), oversized(stat));
            return;
        }
        let size = bytes.len() as u64;
        self.budget = self.budget.saturating_sub(size);
        let executable = stat.st_mode & 0o100 != 0;
        self.snapshot.files.insert(path.clone(), FileState { executable, size, blake3: Blake3Hash::of(bytes) });
    }

    /// Passes over what vanished or changed its kind while it was looked at, and leaves out what may not be read.
    fn forgive(&mut self, path: &ProjectPath, error: Error) -> Result<(), Error> {
        match error {
            Error::NotFound { .. } | Error::NotDirectory { .. } | Error::Symlink { .. } | Error::NotRegular { .. } => {
                Ok(())
            }
            Error::PermissionDenied { .. } => {
                self.leave_out(path.to_string(), LeftOut::Unreadable);
                Ok(())
            }
            error => Err(error),
        }
    }

    fn leave_out(&mut self, path: String, reason: LeftOut) {
        self.snapshot.left_out.insert((path, reason));
    }
}

/// Returns the first of the folders `above` that is a git repository of its own.
fn nested_repository(root: &Folder, above: &[&str]) -> Option<String> {
    let is_repository =
        |depth: &usize| root.descend(above[..*depth].iter().copied()).is_ok_and(|folder| folder.stat(".git").is_ok());
    (1..=above.len()).find(is_repository).map(|depth| above[..depth].join("/"))
}

fn oversized(stat: &Stat) -> Oversized {
    let modified = i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec);
    Oversized { size: stat.st_size.cast_unsigned(), modified, inode: stat.st_ino }
}
