//! What can be wrong with the surroundings.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{ConfigError, Unreadable};

/// A surrounding the program cannot work in.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum ContextError {
    /// The current folder is gone or unreadable.
    #[error("the current folder cannot be read")]
    CurrentDir(#[source] std::io::Error),
    /// The folder of `-C` or `RYE_PROJECT` does not exist.
    #[error("{}", change_dir(dir, source.kind()))]
    ChangeDir {
        dir: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The program does not know where it lies.
    #[error("the program's own path cannot be found")]
    Program(#[source] std::io::Error),
    /// There is no home folder.
    #[error("cannot find your home folder: `HOME` is not set")]
    NoHome,
    /// A variable that must be absolute is not.
    #[error("`{name}` must be an absolute path, not `{}`", path.display())]
    Relative { name: &'static str, path: PathBuf },
    /// Every user can rename files in the folder for temporary files.
    #[error("temporary files are not safe: everybody can rename what lies in `{}` (mode {mode:04o})", path.display())]
    OpenTemp {
        /// The folder for temporary files, or one above it.
        path: PathBuf,
        mode: u32,
    },
    /// Another user can rename what lies in the folder for temporary files.
    #[error("temporary files are not safe: `{}` belongs to another user (user {owner})", path.display())]
    ForeignTemp { path: PathBuf, owner: u32 },
    /// There is no folder for temporary files.
    #[error("no such folder for temporary files: `{}`", path.display())]
    NoTemp {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Others can read a secret.
    #[error("the secret in `{}` can be read by others (mode {mode:04o})", path.display())]
    OpenSecret { path: PathBuf, mode: u32 },
    /// The operating system has no randomness.
    #[error("the operating system gives no random bytes")]
    Random,
    /// A file of the person's own cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

fn change_dir(dir: &Path, why: ErrorKind) -> String {
    match why {
        ErrorKind::NotFound => format!("no such folder `{}`", dir.display()),
        _ => format!("cannot work in `{}`", dir.display()),
    }
}
