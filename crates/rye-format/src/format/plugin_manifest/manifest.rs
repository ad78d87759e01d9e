//! The manifest as a value, and how large its files may be.

use super::{Needs, PluginKind, PluginName};
use crate::id::{Timestamp, Version};
use crate::trust::ContentHash;

/// The name of the file.
pub const PLUGIN_MANIFEST: &str = "plugin.toml";

/// The name of the file with its signature, as `ssh-keygen -Y sign` names it.
pub const PLUGIN_SIGNATURE: &str = "plugin.toml.sig";

/// The largest manifest, in bytes.
pub const MAX_PLUGIN_MANIFEST_BYTES: u64 = 64 * 1024;

/// The largest signature, in bytes.
pub const MAX_PLUGIN_SIGNATURE_BYTES: u64 = 4 * 1024;

/// The largest library, in bytes.
pub const MAX_PLUGIN_LIBRARY_BYTES: u64 = 64 * 1024 * 1024;

/// A plugin's manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// What it is called, and selected by.
    pub name: PluginName,
    /// The name of its crate, with underscores: the end of its symbol.
    pub crate_name: String,
    /// What it is.
    pub kind: PluginKind,
    /// Its version.
    pub version: Version,
    /// The version of the contract that it was made for.
    pub abi: u32,
    /// What it does.
    pub description: String,
    /// Its license.
    pub license: String,
    /// When it was signed, as its signer says.
    pub signed_at: Timestamp,
    /// What it needs.
    pub needs: Needs,
    /// Its libraries, one for each target.
    pub libraries: Vec<Library>,
}

/// The library of one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// The target it was built for, as rustc names it.
    pub target: String,
    /// The name of its file, in the folder of the manifest.
    pub file: String,
    /// The SHA-256 of its bytes.
    pub sha256: ContentHash,
    /// Their number.
    pub size: u64,
}

impl Manifest {
    /// Returns the library for a target.
    #[must_use]
    pub fn library(&self, target: &str) -> Option<&Library> {
        self.libraries.iter().find(|library| library.target == target)
    }

    /// Tells whether two manifests differ in nothing but the time of their signature.
    #[must_use]
    pub fn is_but_for_time(&self, other: &Self) -> bool {
        Self { signed_at: other.signed_at, ..self.clone() } == *other
    }

    /// Returns the targets that it has libraries for.
    #[must_use]
    pub fn targets(&self) -> Vec<String> {
        self.libraries.iter().map(|library| library.target.clone()).collect()
    }
}
