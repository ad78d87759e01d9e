//! The facts about one plugin that counts.

use std::path::PathBuf;

use serde::Serialize;

use crate::format::plugin_manifest::{CheckedManifest, Needs, PluginFault, PluginKind, PluginName};
use crate::id::{Timestamp, Version};
use crate::trust::{ContentHash, KeyId};

/// A plugin that counts.
#[derive(Debug, Clone, Serialize)]
pub struct Info {
    /// Its name.
    pub name: PluginName,
    /// What it is.
    pub kind: PluginKind,
    /// Its version.
    pub version: Version,
    /// What it does.
    pub description: String,
    /// Its license.
    pub license: String,
    /// The version of the contract.
    pub abi: u32,
    /// The target of its library.
    pub target: String,
    /// The file of its library.
    pub file: String,
    /// The digest of its library.
    pub sha256: ContentHash,
    /// The size of its library, in bytes.
    pub size: u64,
    /// What it declares that it needs.
    pub needs: Needs,
    /// When it was signed, as its signer says.
    pub signed_at: Timestamp,
    /// Who signed it.
    pub signed_by: SignedBy,
    /// Its folder, where it is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
}

/// Who signed a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignedBy {
    /// The id of the key.
    pub key_id: KeyId,
    /// Its whole fingerprint.
    pub fingerprint: String,
    /// The names that it is trusted under.
    pub principals: Vec<String>,
}

impl Info {
    /// Tells of a checked plugin.
    pub(super) fn of(checked: &CheckedManifest, path: Option<PathBuf>) -> Result<Self, PluginFault> {
        let manifest = checked.manifest();
        let library = checked.library()?.clone();
        Ok(Self {
            name: manifest.name.clone(),
            kind: manifest.kind,
            version: manifest.version,
            description: manifest.description.clone(),
            license: manifest.license.clone(),
            abi: manifest.abi,
            target: library.target,
            file: library.file,
            sha256: library.sha256,
            size: library.size,
            needs: manifest.needs.clone(),
            signed_at: manifest.signed_at,
            signed_by: SignedBy {
                key_id: checked.key().key_id(),
                fingerprint: checked.key().fingerprint(),
                principals: checked.signer().principals.clone(),
            },
            path,
        })
    }
}
