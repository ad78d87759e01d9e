//! The project's own files, for the built-in file tools and the snapshots of a thread.
//!
//! Every component is opened from the handle of the one above it, following no symlink; nothing is canonicalised and
//! compared. Some places are refused at any spelling (`protected_places.rs`). Pipes, sockets and devices are never opened. Paths
//! shown are relative to the project: a model does not see names of the machine.

use std::path::Path;

use rustix::fs::{FileType, RawMode};
use serde::{Deserialize, Serialize};

use super::error::{Doing, Error};
use super::folder::{Folder, Name, kind};
use super::item_file::Expected;
use super::own_places::{Own, OwnPlaces};
use super::{git_folder, protected_places};
use crate::capability::ProjectPath;

/// The open folder of a project.
#[derive(Debug)]
pub struct ProjectDir {
    pub(super) root: Folder,
    /// What of it belongs to the program itself.
    pub(super) own: Own,
}

/// The beginning of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// At most as many bytes as asked for.
    pub bytes: Vec<u8>,
    /// Whether the file is longer.
    pub truncated: bool,
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Whether the file is new.
    pub created: bool,
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirEntry {
    /// The name; invalid UTF-8 is replaced by U+FFFD.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Its size in bytes; 0 for everything but a file.
    pub size: u64,
}

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symlink, wherever it leads.
    Symlink,
    /// A pipe, socket or device.
    Other,
}

impl ProjectDir {
    /// Opens the project's folder for its person, who may change the program's own files in it.
    ///
    /// # Errors
    ///
    /// Fails when it is missing, no folder or not readable.
    pub fn open(root: &Path) -> Result<Self, Error> {
        Ok(Self { root: Folder::open_root(root, Path::new(""))?, own: Own::default() })
    }

    /// Opens the project's folder `root` for tools: the program's own places in it are refused. `project` is the person's
    /// folder, which `root` may be a thread's copy of.
    ///
    /// # Errors
    ///
    /// As [`ProjectDir::open`].
    pub fn open_without(root: &Path, project: &Path, own: OwnPlaces) -> Result<Self, Error> {
        Ok(Self { own: own.seen_from(project), ..Self::open(root)? })
    }

    /// Says that the folder goes with the run that made it, as a thread's tree does: what is written there is whole, but not flushed.
    #[must_use]
    pub fn passing(self) -> Self {
        Self { root: Folder { is_passing: true, ..self.root }, ..self }
    }

    /// Tells whether a path is still that of this very folder, and not of a link or another folder in its place.
    #[must_use]
    pub fn is_at(&self, path: &Path) -> bool {
        match (rustix::fs::fstat(&self.root.dir), rustix::fs::lstat(path)) {
            (Ok(here), Ok(there)) => (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino),
            _ => false,
        }
    }

    pub(super) fn check(&self, path: &ProjectPath) -> Result<(), Error> {
        protected_places::check(path)?;
        self.own.check(path)
    }

    /// Refuses a path that belongs to the program itself, whether anything is there or not.
    ///
    /// # Errors
    ///
    /// Returns the refusal.
    pub fn check_own(&self, path: &ProjectPath) -> Result<(), Error> {
        self.own.check(path)?;
        let (above, name) = split(path)?;
        match self.descend(above) {
            Ok(folder) => self.check_name(&folder, name),
            Err(error @ Error::Refused { .. }) => Err(error),
            // A missing entry, or one that is not a folder, belongs to no repository yet.
            Err(_) => Ok(()),
        }
    }

    /// Refuses a path that lies in what git takes for a repository, whatever it is called: its configuration may hold
    /// credentials.
    ///
    /// # Errors
    ///
    /// Returns the refusal.
    pub fn check_no_repository(&self, path: &ProjectPath) -> Result<(), Error> {
        git_folder::check_read(&self.root, path)
    }

    /// Reads at most `max_bytes` of a regular file.
    ///
    /// # Errors
    ///
    /// Fails on a refused place, a symlink anywhere on the way, anything but a regular file, and what the operating
    /// system refuses.
    pub fn read(&self, path: &ProjectPath, max_bytes: u64) -> Result<FileContent, Error> {
        let (folder, name) = self.parent(path)?;
        let (bytes, truncated) = folder.read_file(name, max_bytes)?;
        Ok(FileContent { bytes, truncated })
    }

    /// Writes a file completely or not at all; an existing one keeps its mode, missing folders are made if asked.
    ///
    /// The commit point is the rename of a synced temporary file over the target.
    ///
    /// # Errors
    ///
    /// Fails, with the old content in place, as [`ProjectDir::read`] does, where it would make or change a repository,
    /// on a write-protected file and on a full disk.
    pub fn write(&self, path: &ProjectPath, bytes: &[u8], create_dirs: bool) -> Result<Written, Error> {
        self.check(path)?;
        let (above, name) = split(path)?;
        git_folder::check(&self.root, path)?;
        let folder = if create_dirs { self.descend_creating(above)? } else { self.descend(above)? };
        self.check_name(&folder, name)?;
        Ok(Written { created: folder.replace(name, bytes, Expected::Any)? })
    }

    /// Makes a folder with those above it; one that is there stays as it is.
    ///
    /// # Errors
    ///
    /// Fails as [`ProjectDir::list`] does, and where it would make what git takes for a repository.
    pub fn make_folder(&self, path: &ProjectPath) -> Result<(), Error> {
        self.check(path)?;
        git_folder::check(&self.root, path)?;
        self.descend_creating(path.parts()).map(drop)
    }

    /// Replaces a file that holds exactly `old`, completely or not at all; it keeps its mode.
    ///
    /// # Errors
    ///
    /// Fails as [`ProjectDir::write`] does, also when the file holds something else.
    pub fn replace(&self, path: &ProjectPath, old: &[u8], new: &[u8]) -> Result<(), Error> {
        git_folder::check(&self.root, path)?;
        let (folder, name) = self.parent(path)?;
        folder.replace(name, new, Expected::Content(old)).map(drop)
    }

    /// Fails as a replacement of a file would, as far as can be told before.
    ///
    /// # Errors
    ///
    /// Returns the obstacle.
    pub fn check_replaceable(&self, path: &ProjectPath) -> Result<(), Error> {
        let (folder, name) = self.parent(path)?;
        folder.check_replaceable(name)
    }

    /// Lists at most `max_entries` names of a folder, sorted, and tells whether there are more.
    ///
    /// Refused places are named like all else; they cannot be entered.
    ///
    /// # Errors
    ///
    /// Fails on a refused place, a symlink anywhere on the way, anything but a folder, and what the operating system
    /// refuses.
    pub fn list(&self, path: &ProjectPath, max_entries: usize) -> Result<(Vec<DirEntry>, bool), Error> {
        self.check(path)?;
        let folder = self.descend(path.parts())?;
        let names = folder.names()?;
        let truncated = names.len() > max_entries;
        Ok((names.into_iter().take(max_entries).map(|name| entry(&folder, name)).collect(), truncated))
    }

    /// Tells whether there is a file or folder, reached without symlinks; refused places count as absent.
    #[must_use]
    pub fn exists(&self, path: &ProjectPath) -> bool {
        self.parent(path).is_ok_and(|(folder, name)| folder.stat(name).is_ok())
    }

    /// Tells whether the owner of a file may execute it.
    #[must_use]
    pub fn is_executable(&self, path: &ProjectPath) -> bool {
        let mode = self.parent(path).and_then(|(folder, name)| folder.stat(name)).map(|stat| stat.st_mode);
        mode.is_ok_and(|mode| mode & 0o100 != 0)
    }

    /// Returns the permissions of a file; those of its owner alone if they cannot be told.
    #[must_use]
    pub fn mode(&self, path: &ProjectPath) -> RawMode {
        let found = self.parent(path).and_then(|(folder, name)| folder.stat(name));
        found.map_or(0o600, |stat| stat.st_mode & 0o777)
    }

    /// Says whether a file may be executed, by whoever may read it.
    ///
    /// # Errors
    ///
    /// As [`ProjectDir::read`], and where git takes a folder above for a repository.
    pub fn set_executable(&self, path: &ProjectPath, executable: bool) -> Result<(), Error> {
        git_folder::check(&self.root, path)?;
        let (folder, name) = self.parent(path)?;
        folder.set_executable(name, executable)
    }

    /// Opens the folder a file lies in, and returns it with the file's name.
    pub(super) fn parent<'a>(&self, path: &'a ProjectPath) -> Result<(Folder, &'a str), Error> {
        self.check(path)?;
        let (above, name) = split(path)?;
        let folder = self.descend(above)?;
        self.check_name(&folder, name)?;
        Ok((folder, name))
    }

    /// Opens a folder of the project, unless it or one above it is the program's own.
    pub(super) fn descend<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Result<Folder, Error> {
        parts.into_iter().try_fold(self.root.descend([])?, |folder, part| self.checked(folder.step(part)?))
    }

    /// The same, creating missing folders.
    pub(super) fn descend_creating<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Result<Folder, Error> {
        parts.into_iter().try_fold(self.root.descend([])?, |folder, part| self.checked(folder.step_creating(part)?))
    }

    fn checked(&self, folder: Folder) -> Result<Folder, Error> {
        let found = rustix::fs::fstat(&folder.dir).map_err(|code| Error::of(Doing::Read, &folder.path, code))?;
        self.own.check_found(&folder.path, &found)?;
        Ok(folder)
    }

    /// Refuses a file that is the program's own by another name. A missing entry is reported by its reader.
    pub(super) fn check_name(&self, folder: &Folder, name: &str) -> Result<(), Error> {
        folder.stat(name).map_or(Ok(()), |found| self.own.check_found(&folder.path.join(name), &found))
    }
}

/// Splits a path into its folders and its name. The project itself is a folder and has no name.
pub(super) fn split(path: &ProjectPath) -> Result<(Vec<&str>, &str), Error> {
    let mut parts: Vec<&str> = path.parts().collect();
    match parts.pop() {
        Some(name) => Ok((parts, name)),
        None => Err(Error::IsDirectory { path: ".".into() }),
    }
}

fn entry(folder: &Folder, name: Name) -> DirEntry {
    match name {
        Name::Lossy(name) => DirEntry { name, kind: EntryKind::Other, size: 0 },
        Name::Text(name) => match folder.stat(&name) {
            Ok(stat) => {
                let kind = EntryKind::of(kind(&stat));
                let size = if kind == EntryKind::File { stat.st_size.cast_unsigned() } else { 0 };
                DirEntry { name, kind, size }
            }
            // Removed while it was looked at.
            Err(_) => DirEntry { name, kind: EntryKind::Other, size: 0 },
        },
    }
}

impl EntryKind {
    pub(super) const fn of(file_type: FileType) -> Self {
        match file_type {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Symlink,
            _ => Self::Other,
        }
    }
}
