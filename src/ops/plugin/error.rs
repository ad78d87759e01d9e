//! Errors with installing, listing and signing plugins.

use std::path::PathBuf;

use thiserror::Error;

use crate::id::Version;
use crate::plugin::{self, InstalledError};
use crate::trust::SignerError;

/// Errors with installing, listing and signing plugins.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The plugin in a folder cannot be installed.
    #[error("cannot install the plugin in `{}`", folder.display())]
    Install {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        #[source]
        source: InstalledError,
    },
    /// A plugin of the program has the name.
    #[error("the name `{name}` belongs to a plugin of the program itself")]
    OwnName {
        /// The name.
        name: String,
    },
    /// Something else runs files of an extension.
    #[error("files with the extension `{extension}` are run by the plugin `{by}` already")]
    Taken {
        /// The extension.
        extension: String,
        /// What runs them.
        by: String,
    },
    /// The installed version is a later one.
    #[error("version {installed} of the plugin `{name}` is installed, and {offered} is older")]
    Older {
        /// The plugin.
        name: String,
        /// The version that is installed.
        installed: Version,
        /// The version in the folder.
        offered: Version,
    },
    /// The plugin in a folder cannot be signed.
    #[error("cannot sign the plugin in `{}`", folder.display())]
    Sign {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        #[source]
        source: InstalledError,
    },
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
