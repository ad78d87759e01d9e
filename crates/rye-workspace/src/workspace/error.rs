//! Everything that can go wrong with a file of a space or of the project, each with a sentence a person can act on.
//!
//! The operating system's codes that have a known way out become cases of their own; the rest stays [`Error::Io`].

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use thiserror::Error;

use crate::id::{Extension, ItemId, ItemType, Space};

/// Why a symlink is not an item and contains none.
pub(super) const SYMLINK: &str = "it is a symlink, and symlinks are not followed";

/// Why a pipe, socket or device is not an item.
pub(super) const NOT_REGULAR: &str = "it is not a regular file";

/// The operation that the operating system refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// Opening or reading.
    Read,
    /// Creating, writing, renaming or syncing.
    Write,
    /// Listing a folder.
    List,
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::List => "list",
        })
    }
}

/// Why a file could not be found, read, listed or written.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// Several files of one space are the same item.
    #[error("{item_type} `{id}` is ambiguous: {} differ only by extension", quoted(paths))]
    Ambiguous {
        item_type: ItemType,
        id: ItemId,
        /// Every file, sorted.
        paths: Vec<PathBuf>,
    },
    /// An extension that items of the type cannot have.
    #[error("a {item_type} cannot be a `.{extension}` file")]
    UnsuitableExtension { item_type: ItemType, extension: Extension },
    /// A folder that is part of the project around it.
    #[error("`{}` cannot be a project: it lies in `{folder}` of `{}`", path.display(), around.display())]
    PartOfProject {
        path: PathBuf,
        around: PathBuf,
        /// The folder of that work tree.
        folder: &'static str,
    },
    /// There is no such file or folder.
    #[error("`{}` does not exist", path.display())]
    NotFound { path: PathBuf },
    /// A file was to be created where one is.
    #[error("`{}` exists already", path.display())]
    AlreadyExists { path: PathBuf },
    /// The file is not what the caller read.
    #[error("`{}` was changed by another program meanwhile, so it was not written", path.display())]
    ChangedMeanwhile { path: PathBuf },
    /// Git ignores a file in the folder of a skill, whose new files have one of the same name.
    #[error("git ignores `{}`, and the new files of the skill have a file of that name", path.display())]
    IgnoredInTheWay { path: PathBuf },
    /// More bytes than allowed.
    #[error("`{}` is larger than {limit} bytes", path.display())]
    TooLarge {
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A place that no tool may touch.
    #[error("`{}` is refused: {reason}", path.display())]
    Refused { path: PathBuf, reason: &'static str },
    /// A symlink where a real file or folder is needed.
    #[error("`{}` is a symlink, and symlinks are not followed here", path.display())]
    Symlink { path: PathBuf },
    /// A folder where a file is needed.
    #[error("`{}` is a folder", path.display())]
    IsDirectory { path: PathBuf },
    /// A file where a folder is needed.
    #[error("`{}` is not a folder", path.display())]
    NotDirectory { path: PathBuf },
    /// A pipe, socket or device.
    #[error("`{}` is not a regular file", path.display())]
    NotRegular { path: PathBuf },
    /// A file whose mode denies writing to all users.
    #[error("`{}` is write-protected (its mode has no write bit for its owner)", path.display())]
    WriteProtected { path: PathBuf },
    /// The operating system denies it.
    #[error("no permission to {doing} `{}`", path.display())]
    PermissionDenied { doing: Doing, path: PathBuf },
    /// The file system is mounted read-only.
    #[error("cannot write `{}`: its file system is read-only", path.display())]
    ReadOnlyFileSystem { path: PathBuf },
    /// No room for the bytes.
    #[error("cannot write `{}`: {reason}{}", path.display(), if *is_kept { "; the old content is unchanged" } else { "" })]
    NoRoom {
        path: PathBuf,
        /// Disk full, quota used up, or a file-size limit.
        reason: &'static str,
        /// Whether there was such a file, which is as it was.
        is_kept: bool,
    },
    /// A name or path longer than the file system allows.
    #[error("`{}` is longer than the file system allows", path.display())]
    NameTooLong { path: PathBuf },
    /// The system space is part of the program.
    #[error("the system space is compiled into the program and cannot be written")]
    SystemSpace,
    /// The space does not exist here.
    #[error("no {space} space here: this is not a git repository of its own")]
    NoSpace { space: Space },
    /// A snapshot would hold more files than allowed.
    #[error("more than {limit} files lie below `{}`: narrow the declared write paths", path.display())]
    TooManyFiles {
        /// The folder where the limit was reached.
        path: PathBuf,
        limit: usize,
    },
    /// A search that was stopped, or took too long.
    #[error("the search for git folders in `{}` was stopped", path.display())]
    Stopped { path: PathBuf },
    /// Anything else the operating system says.
    #[error("cannot {doing} `{}`", path.display())]
    Io {
        doing: Doing,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Error {
    /// Gives the operating system's answer about `path` its case.
    pub(super) fn of(doing: Doing, path: &Path, source: impl Into<io::Error>) -> Self {
        let source = source.into();
        let path = path.to_owned();
        match Errno::from_io_error(&source) {
            Some(Errno::NOENT) => Self::NotFound { path },
            Some(Errno::EXIST) => Self::AlreadyExists { path },
            Some(Errno::LOOP) => Self::Symlink { path },
            Some(Errno::ISDIR) => Self::IsDirectory { path },
            Some(Errno::NOTDIR) => Self::NotDirectory { path },
            Some(Errno::ACCESS | Errno::PERM) => Self::PermissionDenied { doing, path },
            Some(Errno::ROFS) => Self::ReadOnlyFileSystem { path },
            Some(Errno::NOSPC) => Self::NoRoom { path, reason: "the disk is full", is_kept: false },
            Some(Errno::DQUOT) => Self::NoRoom { path, reason: "the disk quota is used up", is_kept: false },
            Some(Errno::FBIG) => Self::NoRoom { path, reason: "it would exceed the file-size limit", is_kept: false },
            Some(Errno::NAMETOOLONG) => Self::NameTooLong { path },
            _ => Self::Io { doing, path, source },
        }
    }

    /// Says that the file, which was to be replaced, is as it was.
    pub(super) fn keeping(self) -> Self {
        match self {
            Self::NoRoom { path, reason, .. } => Self::NoRoom { path, reason, is_kept: true },
            error => error,
        }
    }

    /// Returns the one file or folder that this is about, and its fault, to report it with the other results. None for
    /// an error that stops all the rest too.
    #[must_use]
    pub fn of_one_file(&self) -> Option<(&Path, String)> {
        let (path, reason) = match self {
            Self::TooLarge { path, limit } => (path, format!("it is larger than {limit} bytes")),
            Self::NotFound { path } => (path, "it is gone".to_owned()),
            Self::ChangedMeanwhile { path } => (path, "it was changed by another program meanwhile".to_owned()),
            Self::Symlink { path } => (path, SYMLINK.to_owned()),
            Self::IsDirectory { path } => (path, "it is a folder".to_owned()),
            Self::NotDirectory { path } => (path, "it is not a folder".to_owned()),
            Self::NotRegular { path } => (path, NOT_REGULAR.to_owned()),
            Self::WriteProtected { path } => (path, "it is write-protected".to_owned()),
            Self::PermissionDenied { path, doing } => (path, format!("no permission to {doing} it")),
            Self::NameTooLong { path } => (path, "its name is too long".to_owned()),
            Self::Io { path, doing, source } => (path, format!("cannot {doing} it: {source}")),
            Self::Ambiguous { .. }
            | Self::UnsuitableExtension { .. }
            | Self::AlreadyExists { .. }
            | Self::IgnoredInTheWay { .. }
            | Self::Refused { .. }
            | Self::ReadOnlyFileSystem { .. }
            | Self::NoRoom { .. }
            | Self::SystemSpace
            | Self::NoSpace { .. }
            | Self::PartOfProject { .. }
            | Self::TooManyFiles { .. }
            | Self::Stopped { .. } => return None,
        };
        Some((path, reason))
    }

    /// Turns "not found" into `None`.
    pub(super) fn absent_is_none<T>(result: Result<T, Self>) -> Result<Option<T>, Self> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Self::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn quoted(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(" and ")
}
