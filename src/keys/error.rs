//! What can go wrong with keys and trust files.

use std::path::PathBuf;

use thiserror::Error;

use crate::context::ContextError;
use crate::trust::{AllowedSignersError, KeyError, ManifestFault, RevocationError};

/// A key or trust file that cannot be used.
#[derive(Debug, Error)]
pub enum KeysError {
    /// A file or folder cannot be read or written.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
    /// Others could read a private key.
    #[error("the private key `{}` can be read by others (mode {mode:04o})", path.display())]
    LooseMode {
        /// The file or folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Others could change what is trusted.
    #[error("`{}` can be changed by everybody (mode {mode:04o}), so what it says is not trusted", path.display())]
    WritableByOthers {
        /// The file or folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The key file cannot be read.
    #[error("the key `{}` cannot be used", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: KeyError,
    },
    /// There is no such key.
    #[error("there is no key `{name}`")]
    Missing {
        /// The name or path asked for.
        name: String,
    },
    /// A key of that name exists already.
    #[error("the key `{}` exists already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A trust file cannot be read.
    #[error(transparent)]
    AllowedSigners(#[from] AllowedSignersError),
    /// A list of revoked keys cannot be read.
    #[error(transparent)]
    Revoked(#[from] RevocationError),
    /// A trust file is endless, or no file.
    #[error("`{}` cannot be read: {reason}", path.display())]
    NotReadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// What is kept of an accepted proposal cannot be used.
    #[error("what was accepted for this project cannot be used: `{}` {reason}", path.display())]
    Pin {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The copy of an accepted proposal's files is damaged.
    #[error("the copy of the accepted proposal in `{}` cannot be used", path.display())]
    AcceptedFiles {
        /// The folder.
        path: PathBuf,
        /// Why not.
        #[source]
        fault: ManifestFault,
    },
    /// Somebody accepted another proposal for the project meanwhile.
    #[error("another proposal was accepted for this project meanwhile")]
    AcceptedMeanwhile,
    /// The surroundings are wrong.
    #[error(transparent)]
    Context(#[from] ContextError),
}
