//! What can be wrong with an installed plugin, or with one that is to be installed.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::context::{ContextError, Exposed};
use crate::format::plugin_manifest::PluginFault;

/// What can be wrong with an installed plugin, or with one that is to be installed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum InstalledError {
    /// It does not count.
    #[error(transparent)]
    Fault(#[from] PluginFault),
    /// A file or folder cannot be read or written.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A link, or something else, is in the place of a folder.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    /// A link, or something else, is in the place of a file.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile { path: PathBuf },
    /// A file is too large.
    #[error("`{}` is larger than {} KiB", path.display(), most / 1024)]
    TooLarge {
        path: PathBuf,
        /// The most bytes it may have.
        most: u64,
    },
    /// Another user could have written it.
    #[error("`{}` can be written by others (mode {mode:04o})", path.display())]
    Writable { path: PathBuf, mode: u32 },
    /// It belongs to another user.
    #[error("`{}` belongs to another user (user {owner})", path.display())]
    Foreign { path: PathBuf, owner: u32 },
    /// A link on the way to it leads to nothing.
    #[error("the link `{}` leads to nothing", path.display())]
    Nowhere { path: PathBuf },
    /// Its folder has another name than its manifest.
    #[error("the folder `{folder}` contains the plugin `{name}`")]
    Misplaced { folder: String, name: String },
    /// No plugin of this name is installed.
    #[error("the plugin `{name}` is not installed")]
    Unknown {
        name: String,
        /// Those that are installed.
        known: Vec<String>,
    },
    /// The program cannot open libraries.
    #[error("this build of the program is linked statically and cannot open plugins")]
    Static,
    /// The checked bytes cannot be kept.
    #[error("cannot keep a private copy of the library")]
    Copy(#[source] io::Error),
    /// The file system cannot exchange two folders in one step.
    #[error("cannot replace the installed plugin: the file system of `{}` cannot exchange folders", path.display())]
    Exchange { path: PathBuf },
    /// The folders of the person are not known.
    #[error(transparent)]
    Context(#[from] ContextError),
}

impl From<Exposed> for InstalledError {
    fn from(exposed: Exposed) -> Self {
        match exposed {
            Exposed::Writable { path, mode } => Self::Writable { path, mode },
            Exposed::Foreign { path, owner } => Self::Foreign { path, owner },
            Exposed::Nowhere { path } => Self::Nowhere { path },
        }
    }
}
