//! Errors with installing, listing and signing plugins.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::error::with_causes;
use crate::id::Version;
use crate::plugin::{self, InstalledError};
use crate::trust::SignerError;

/// Errors with installing, listing and signing plugins.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The plugin in a folder cannot be installed.
    #[error("cannot install the plugin in `{}`: {}", folder.display(), reason(folder, fault))]
    Install { folder: PathBuf, fault: InstalledError },
    /// A plugin of the program has the name.
    #[error("the name `{name}` belongs to a plugin of the program itself")]
    OwnName { name: String },
    /// Something else runs files of an extension.
    #[error("files with the extension `{extension}` are run by the plugin `{by}` already")]
    Taken {
        extension: String,
        /// What runs them.
        by: String,
    },
    /// The installed version is a later one.
    #[error("version {installed} of the plugin `{name}` is installed, and {offered} is older")]
    Older {
        name: String,
        /// The version that is installed.
        installed: Version,
        offered: Version,
    },
    /// The plugin in a folder cannot be signed.
    #[error("cannot sign the plugin in `{}`: {}", folder.display(), reason(folder, fault))]
    Sign { folder: PathBuf, fault: InstalledError },
    /// The key does not sign.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The installed plugins cannot be read or written.
    #[error(transparent)]
    Installed(#[from] InstalledError),
    /// A library is not what its manifest says.
    #[error(transparent)]
    Plugin(#[from] plugin::Error),
}

/// Says why a folder's plugin cannot be used.
fn reason(folder: &Path, fault: &InstalledError) -> String {
    match fault {
        InstalledError::Io { path, source, .. } if source.kind() == ErrorKind::NotFound && path.ends_with(folder) => {
            "no such folder".to_owned()
        }
        fault => with_causes(fault),
    }
}
