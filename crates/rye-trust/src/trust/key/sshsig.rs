//! The SSHSIG envelope around every signature (OpenSSH, PROTOCOL.sshsig), with SHA-512 as its hash.
//!
//! Each use has a namespace of its own, so that no signature can be replayed as another. A namespace is an enum here:
//! only names in the list can be signed under.

use ssh_key::{Algorithm, HashAlg, LineEnding, Signature, SshSig};

use super::error::SshSigError;
use crate::trust::{PublicKey, SigningKey};

/// How an armored envelope begins, and how it ends.
const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";

/// What a signature is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Namespace {
    /// Items: the signature line.
    Item,
    /// Commits, as stock git makes and checks them.
    Git,
    /// Commits that a forge signs for every account.
    Forge,
    /// Turns of threads: commits by the agent of another person, which count in threads and nowhere else.
    Turns,
    /// Capability tokens of threads.
    Agent,
    /// What a running thread received and has not committed.
    Journal,
    /// The manifest of a project's trust files.
    Trust,
    /// Lines and checkpoints of a registry.
    Registry,
    /// The manifest of a plugin.
    Plugin,
}

/// A 64-byte Ed25519 signature inside the envelope, without the envelope's constant parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RawSignature(pub [u8; 64]);

/// The signed bytes: the envelope's fixed fields and the message's SHA-512. It is made for one [`Namespace`] or not at
/// all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedData(Vec<u8>);

impl Namespace {
    /// Returns the name as in the envelope and in allowed_signers files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Item => "rye",
            Self::Git => "git",
            Self::Forge => "git-forge",
            Self::Turns => "git-turns",
            Self::Agent => "rye-agent",
            Self::Journal => "rye-journal",
            Self::Trust => "rye-trust",
            Self::Registry => "rye-registry",
            Self::Plugin => "rye-plugin",
        }
    }
}

impl SignedData {
    pub(in crate::trust) fn new(namespace: Namespace, message: &[u8]) -> Self {
        Self(
            SshSig::signed_data(namespace.as_str(), HashAlg::Sha512, message)
                .expect("because a namespace of the list is never empty and memory takes every write"),
        )
    }

    /// Returns the bytes that the raw signature is over.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl SigningKey {
    /// Signs `message` for one use.
    #[must_use]
    pub fn sign(&self, namespace: Namespace, message: &[u8]) -> RawSignature {
        RawSignature(self.sign_raw(SignedData::new(namespace, message).as_bytes()))
    }

    /// Signs `message` and returns the armored envelope, as in a commit's `gpgsig` header.
    #[must_use]
    pub fn sign_armored(&self, namespace: Namespace, message: &[u8]) -> String {
        armored(&self.public(), namespace, self.sign(namespace, message))
    }
}

impl PublicKey {
    /// Tells whether `signature` was made by this key over `message` for this use.
    #[must_use]
    pub fn verifies(&self, namespace: Namespace, message: &[u8], signature: RawSignature) -> bool {
        self.accepts(SignedData::new(namespace, message).as_bytes(), &signature.0)
    }
}

/// Builds the armored envelope that `ssh-keygen -Y verify` reads.
#[must_use]
pub fn armored(key: &PublicKey, namespace: Namespace, signature: RawSignature) -> String {
    let data = key.key_data().expect("because only Ed25519 keys sign here");
    Signature::new(Algorithm::Ed25519, signature.0.to_vec())
        .and_then(|signature| SshSig::new(data, namespace.as_str(), HashAlg::Sha512, signature))
        .and_then(|envelope| envelope.to_pem(LineEnding::LF))
        .expect("because an envelope of fixed parts always encodes into memory")
}

/// Checks an armored envelope over `message` and returns the key that made it. Whether that key is trusted is
/// another question.
///
/// # Errors
///
/// Fails when the envelope is malformed, of another use, or does not fit.
pub fn verify_armored(envelope: &str, namespace: Namespace, message: &[u8]) -> Result<PublicKey, SshSigError> {
    // The reader skips text before the armour, and carriage returns; git rejects such a signature.
    if !envelope.starts_with(BEGIN) || !envelope.trim_end().ends_with(END) || envelope.contains('\r') {
        return Err(SshSigError::Malformed);
    }
    let envelope = SshSig::from_pem(envelope).map_err(|_| SshSigError::Malformed)?;
    if envelope.namespace() != namespace.as_str() {
        return Err(SshSigError::Namespace { namespace: envelope.namespace().to_owned() });
    }
    let key = PublicKey::of_data(envelope.public_key()).map_err(|_| SshSigError::Malformed)?;
    let signed =
        SshSig::signed_data(namespace.as_str(), envelope.hash_alg(), message).map_err(|_| SshSigError::Malformed)?;
    key.check(&signed, envelope.signature()).map(|()| key)
}

/// Tells whether an armored envelope is written as OpenSSH writes it: another version number, which
/// the reader lets pass, or other line breaks would be a second spelling of the same signature.
pub(in crate::trust) fn is_canonical(envelope: &str) -> bool {
    let rebuilt = |read: SshSig| {
        let (key, signature) = (read.public_key().clone(), read.signature().clone());
        SshSig::new(key, read.namespace(), read.hash_alg(), signature)?.to_pem(LineEnding::LF)
    };
    SshSig::from_pem(envelope).and_then(rebuilt).is_ok_and(|written| written == envelope)
}
