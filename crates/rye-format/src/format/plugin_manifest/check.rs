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
    /// Fails when the manifest has none.
    pub fn library(&self) -> Result<&Library, PluginFault> {
        let missing = || PluginFault::Target { target: TARGET, found: self.manifest.targets() };
        self.manifest.library(TARGET).ok_or_else(missing)
    }

    /// Checks again whether its signature counts, by the present trust.
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::format::plugin_manifest::{plugin_manifest_draft, plugin_manifest_text};
    use crate::id::Timestamp;
    use crate::trust::{RevocationList, Scope, SigningKey};

    const AT: &str = "2026-11-27T10:00:00Z";

    fn draft() -> String {
        format!(
            "manifest = 1\nname = \"acme\"\ncrate = \"acme\"\nkind = \"provider\"\nversion = \"1.0.0\"\nabi = 1\n\
             description = \"d\"\nlicense = \"MIT\"\n[needs]\nhosts = [\"*\"]\n[[library]]\ntarget = \"{TARGET}\"\n\
             file = \"acme.so\"\n"
        )
    }

    /// A signed manifest, and the key of its signature.
    fn signed() -> (String, String, SigningKey) {
        let key = SigningKey::from_seed(&[7; 32]);
        let measured = |_: &str| Ok::<_, ()>((ContentHash::of(b"library"), 7));
        let manifest = plugin_manifest_draft(draft().as_bytes()).unwrap().complete(AT.parse().unwrap(), measured);
        let text = plugin_manifest_text(&manifest.unwrap());
        let signature = key.sign_armored(Namespace::Plugin, text.as_bytes());
        (text, signature, key)
    }

    fn trusting(key: TrustedKey) -> TrustedKeys {
        let mut keys = TrustedKeys::default();
        keys.add(key);
        keys
    }

    #[test]
    fn no_byte_of_a_signed_plugin_can_change() {
        let (text, signature, key) = signed();
        let keys = trusting(TrustedKey::new(key.public(), "ada", "here"));
        let check = |manifest: &[u8], signature: &[u8]| check_manifest(manifest, Some(signature), &keys);
        let checked = check(text.as_bytes(), signature.as_bytes()).unwrap();
        assert_eq!(plugin_manifest_text(checked.manifest()), text);
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            assert!(check(&bytes, signature.as_bytes()).is_err(), "byte {at}");
        }
        for at in 0..signature.trim_end().len() {
            let mut bytes = signature.clone().into_bytes();
            bytes[at] ^= 1;
            assert!(check(text.as_bytes(), &bytes).is_err(), "byte {at} of the signature");
        }
        for wrong in [&b"librarx"[..], b"librar", b"library\n", b""] {
            let other = checked.clone().with_library(wrong.to_vec());
            assert!(matches!(other, Err(PluginFault::Library { .. })));
        }
        assert_eq!(checked.with_library(b"library".to_vec()).unwrap().bytes(), b"library");
    }

    #[test]
    fn only_a_decision_that_reaches_everything_lets_a_signer_count() {
        let (text, signature, key) = signed();
        let word = |keys: &TrustedKeys| match check_manifest(text.as_bytes(), Some(signature.as_bytes()), keys) {
            Ok(_) => "good",
            Err(fault) => fault.word(),
        };
        let ada = || TrustedKey::new(key.public(), "ada", "here");
        let uses = |name: &str| TrustedKey { namespaces: vec![name.to_owned()], ..ada() };
        let scoped = |scope| TrustedKey { scope, ..ada() };
        let moment = |text: &str| text.parse::<Timestamp>().ok();
        let team = Scope::of_namespace("team/tools").unwrap();
        assert_eq!(word(&TrustedKeys::default()), "untrusted");
        for (key, wanted) in [
            (ada(), "good"),
            (uses("rye-plugin"), "good"),
            (uses("rye"), "untrusted"),
            (scoped(Scope::Project), "untrusted"),
            (scoped(team), "untrusted"),
            (TrustedKey { valid_before: moment("2026-11-27T10:00:01Z"), ..ada() }, "good"),
            (TrustedKey { valid_before: moment(AT), ..ada() }, "retired"),
            (TrustedKey { valid_after: moment("2026-11-28T10:00:00Z"), ..ada() }, "retired"),
        ] {
            assert_eq!(word(&trusting(key.clone())), wanted, "{key:?}");
        }
        let list = RevocationList::parse(key.public().to_openssh().as_bytes(), "revoked").unwrap();
        let mut keys = trusting(ada());
        // A project's list revokes for the project.
        keys.revoke(&list, &Scope::Project);
        assert_eq!(word(&keys), "good");
        keys.revoke(&list, &Scope::Everything);
        assert_eq!(word(&keys), "revoked");
        // The agent's key signs in its threads alone.
        let mut keys = TrustedKeys::default();
        keys.set_agent(key.public());
        assert_eq!(word(&keys), "untrusted");
    }
}
