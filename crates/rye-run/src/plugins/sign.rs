//! Signing the plugin in a folder: digests and sizes of its libraries, the time, and a signature over the manifest.

use std::path::{Path, PathBuf};

use rye_plugin_abi::ABI;
use serde::Serialize;

use super::Error;
use crate::format::plugin_manifest::{
    Library, PLUGIN_MANIFEST, PLUGIN_SIGNATURE, PluginFault, PluginName, plugin_manifest_text,
};
use crate::id::Version;
use crate::plugin::{PluginFolder, Plugins};
use crate::project::Project;
use crate::trust::{ContentHash, KeyId, Namespace, Signer};

/// What became of the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SignStatus {
    /// It is signed now.
    Signed,
    /// It was signed by this key already, with these libraries.
    Unchanged,
}

/// A plugin that was signed.
#[derive(Debug, Clone, Serialize)]
pub struct SignOutcome {
    /// Its result.
    pub status: SignStatus,
    /// The plugin.
    pub name: PluginName,
    /// Its version.
    pub version: Version,
    /// Its libraries.
    pub libraries: Vec<SignedLibrary>,
    /// The key.
    pub key_id: KeyId,
    /// The files of manifest and signature.
    pub files: [PathBuf; 2],
}

/// A library of a signed manifest.
#[derive(Debug, Clone, Serialize)]
pub struct SignedLibrary {
    /// Its target.
    pub target: String,
    /// Its file.
    pub file: String,
    /// Its digest.
    pub sha256: ContentHash,
    /// Its size, in bytes.
    pub size: u64,
}

/// Signs the plugin in a folder.
///
/// # Errors
///
/// Fails when manifest or libraries cannot be read, the contract is another one, the name is the program's, and when the key does
/// not sign.
pub fn sign(project: &Project, folder: &Path, signer: &dyn Signer) -> Result<SignOutcome, Error> {
    let wrong = |fault| Error::Sign { folder: folder.to_path_buf(), fault };
    let folder = project.context().current_dir().join(folder);
    let opened = PluginFolder::open(&folder).map_err(wrong)?;
    let draft = opened.draft().map_err(wrong)?;
    if draft.abi() != ABI {
        return Err(wrong(PluginFault::Abi { found: draft.abi(), expected: ABI }.into()));
    }
    if Plugins::is_own(draft.name().as_str()) {
        return Err(Error::OwnName { name: draft.name().to_string() });
    }
    let measure = |file: &str| opened.measure(file).map_err(wrong);
    let mut manifest = draft.complete(project.context().now(), measure)?;
    let key = signer.public();
    let before = opened.signed_by(&key).map_err(wrong)?;
    let status = match before {
        Some(before) if before.is_but_for_time(&manifest) => {
            manifest = before;
            SignStatus::Unchanged
        }
        Some(_) | None => {
            let text = plugin_manifest_text(&manifest);
            let signature = signer.sign_armored(Namespace::Plugin, text.as_bytes())?;
            opened.write_signed(&text, &signature).map_err(wrong)?;
            SignStatus::Signed
        }
    };
    let signed = |Library { target, file, sha256, size }| SignedLibrary { target, file, sha256, size };
    Ok(SignOutcome {
        status,
        name: manifest.name,
        version: manifest.version,
        libraries: manifest.libraries.into_iter().map(signed).collect(),
        key_id: key.key_id(),
        files: [PLUGIN_MANIFEST, PLUGIN_SIGNATURE].map(|name| folder.join(name)),
    })
}
