//! The check of a plugin's signature and of its library, and what passed it.

use rye_plugin_abi::ABI;

use super::{Library, Manifest, PluginFault, plugin_manifest};
use crate::trust::{
    ContentHash, Fault, Namespace, Place, PublicKey, Signatory, TrustedKey, TrustedKeys, verify_armored,
};

/// The target that this program was built for.
const TARGET: &str = env!("RYE_TARGET");

/// A manifest that a key signed which is trusted for everything.
#[derive(Debug, Clone)]
pub struct CheckedManifest {
    manifest: Manifest,
    key: PublicKey,
    signer: Signatory,
}

/// The bytes of a library that a checked manifest names, for this machine.
#[derive(Debug)]
pub struct CheckedLibrary {
    manifest: CheckedManifest,
    bytes: Vec<u8>,
}

/// Checks a manifest: the signature fits its bytes and this use, and its key is trusted for everything.
///
/// # Errors
///
/// Says why it does not count.
pub fn check_manifest(
    bytes: &[u8],
    signature: Option<&[u8]>,
    keys: &TrustedKeys,
) -> Result<CheckedManifest, PluginFault> {
    let envelope = std::str::from_utf8(signature.ok_or(PluginFault::Unsigned)?).unwrap_or_default();
    let key = verify_armored(envelope, Namespace::Plugin, bytes).map_err(PluginFault::Signature)?;
    let manifest = plugin_manifest(bytes).map_err(|reason| PluginFault::Manifest { reason })?;
    let signer = judge(keys, &key, &manifest)?;
    if manifest.abi != ABI {
        return Err(PluginFault::Abi { found: manifest.abi, expected: ABI });
    }
    Ok(CheckedManifest { manifest, key, signer })
}

/// A decision about a project or a namespace of a registry does not reach a plugin, which is neither.
fn judge(keys: &TrustedKeys, key: &PublicKey, manifest: &Manifest) -> Result<Signatory, PluginFault> {
    let (key_id, place) = (key.key_id(), Place::default());
    keys.judge(Namespace::Plugin, place, &key_id, manifest.signed_at, |known| known == key).map_err(|fault| {
        let limited = keys.with_id(&key_id).iter().find(|decision| decision.key == *key);
        match (fault, limited) {
            (Fault::UntrustedKey { .. }, Some(decision)) => {
                PluginFault::Limited { key_id: key_id.clone(), reach: TrustedKey::reach(decision) }
            }
            (fault, _) => PluginFault::Signer(fault),
        }
    })
}

impl CheckedManifest {
    /// The target that this program was built for.
    pub const TARGET: &str = TARGET;

    /// Returns the manifest.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the key that signed it.
    #[must_use]
    pub const fn key(&self) -> &PublicKey {
        &self.key
    }

    /// Returns who signed it.
    #[must_use]
    pub const fn signer(&self) -> &Signatory {
        &self.signer
    }

    /// Returns the library for this machine.
    ///
    /// # Errors
    ///
    /// Fails when there is none.
    pub fn library(&self) -> Result<&Library, PluginFault> {
        let missing = || PluginFault::Target { target: TARGET, found: self.manifest.targets() };
        self.manifest.library(TARGET).ok_or_else(missing)
    }

    /// Checks again whether its signature counts, by what is trusted now.
    ///
    /// # Errors
    ///
    /// Says why it does not count any more.
    pub fn check_again(&self, keys: &TrustedKeys) -> Result<(), PluginFault> {
        judge(keys, &self.key, &self.manifest).map(drop)
    }

    /// Checks the bytes of its library.
    ///
    /// # Errors
    ///
    /// Fails when they are not those that were signed.
    pub fn with_library(self, bytes: Vec<u8>) -> Result<CheckedLibrary, PluginFault> {
        let library = self.library()?;
        if bytes.len() as u64 != library.size || ContentHash::of(&bytes) != library.sha256 {
            return Err(PluginFault::Library { file: library.file.clone() });
        }
        Ok(CheckedLibrary { manifest: self, bytes })
    }
}

impl CheckedLibrary {
    /// Returns the checked manifest.
    #[must_use]
    pub const fn checked(&self) -> &CheckedManifest {
        &self.manifest
    }

    /// Returns the manifest.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest.manifest
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
