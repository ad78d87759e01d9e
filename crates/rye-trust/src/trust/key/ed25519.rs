//! Keys and the two names each has: a short key id and an OpenSSH fingerprint.
//!
//! How private keys are read and written is in `key_text`. A signing key is wiped from memory when dropped and prints nothing of itself.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::Signer as _;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePublicKey, EncodePublicKey};
use ssh_key::public::KeyData;
use ssh_key::{Algorithm, HashAlg};
use thiserror::Error;

use super::other::OtherKey;
use crate::trust::{ContentHash, SshSigError};

/// A public key that can verify signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(Kind);

/// What this program signs with, and the types of which it only verifies signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ed25519(ed25519_dalek::VerifyingKey),
    Other(&'static OtherKey),
}

/// A private key that can sign.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// The first 16 hexadecimal digits of the SHA-256 of an Ed25519 key's SPKI PEM text (the last field of a signature line), or
/// of another SSH key's bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(String);

/// A key that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum KeyError {
    /// The text is not an OpenSSH key.
    #[error("this is not an OpenSSH {what} key")]
    Unreadable {
        /// Whether a public or private key was expected.
        what: &'static str,
        #[source]
        source: ssh_key::Error,
    },
    /// The text is not a readable private key in PKCS#8.
    #[error("this is not an Ed25519 key in PKCS#8")]
    Pkcs8,
    /// The text is nothing like a key.
    #[error("this is not a key in the format of OpenSSH or PKCS#8")]
    NoKey,
    /// The text is a key in PuTTY's own form.
    #[error("this is a key in PuTTY's form; OpenSSH's is needed")]
    Putty,
    /// The text is PKCS#8 behind a passphrase.
    #[error("this is a PKCS#8 key behind a passphrase; of such keys only OpenSSH's can be opened")]
    EncryptedPkcs8,
    /// A private key is needed and this is a public one.
    #[error("this is the public half of a key; signing takes the private one")]
    PublicHalf,
    /// The key is of an algorithm other than Ed25519.
    #[error("the key is of type `{algorithm}`; only ssh-ed25519 keys can be used")]
    Algorithm {
        /// The algorithm's name: a constant, never a part of the key's text.
        algorithm: &'static str,
    },
    /// The key is of RSA, and too short or too long.
    #[error("the RSA key has {bits} bits; 2048 to 8192 can be used")]
    RsaBits {
        /// The length of its modulus.
        bits: usize,
    },
    /// The key is of an algorithm without a name here.
    #[error("the key is of a type that is not known here; only ssh-ed25519 keys can be used")]
    UnknownAlgorithm,
    /// The key is protected by a passphrase.
    #[error("the key is protected by a passphrase")]
    Encrypted,
    /// The key is protected by another passphrase.
    #[error("this is not the key's passphrase")]
    WrongPassphrase,
    /// The key is a point of small order: any signature could be made to fit it.
    #[error("the key is weak: signatures by it prove nothing")]
    Weak,
    /// The text is not a key id.
    #[error("`{text}` is not a key id (expected 16 lowercase hexadecimal digits)")]
    KeyId { text: String },
}

impl KeyError {
    /// Says what the parser of OpenSSH's forms found. `what` is `public` or `private`.
    pub(in crate::trust) fn of(what: &'static str, source: ssh_key::Error) -> Self {
        match source {
            ssh_key::Error::AlgorithmUnknown => Self::UnknownAlgorithm,
            ssh_key::Error::AlgorithmUnsupported { algorithm } => Self::other(&algorithm),
            source => Self::Unreadable { what, source },
        }
    }

    /// Says of which other algorithm a key is.
    pub(in crate::trust) fn other(algorithm: &Algorithm) -> Self {
        let algorithm = match algorithm {
            Algorithm::Dsa => "ssh-dss",
            Algorithm::Ecdsa { .. } => "ecdsa",
            Algorithm::Rsa { .. } => "ssh-rsa",
            Algorithm::SkEcdsaSha2NistP256 => "sk-ecdsa-sha2-nistp256@openssh.com",
            Algorithm::SkEd25519 => "sk-ssh-ed25519@openssh.com",
            // The name of another one is text of the key.
            _ => return Self::UnknownAlgorithm,
        };
        Self::Algorithm { algorithm }
    }
}

impl PublicKey {
    /// Reads a key of any type that OpenSSH signs with, in its one-line form. Only Ed25519 keys sign for this program.
    ///
    /// # Errors
    ///
    /// Fails on other formats, other algorithms, and weak keys.
    pub fn of_any_type(text: &str) -> Result<Self, KeyError> {
        let key = ssh_key::PublicKey::from_openssh(text.trim()).map_err(|source| KeyError::of("public", source))?;
        Self::of_data(key.key_data())
    }

    pub(in crate::trust) fn of_data(data: &KeyData) -> Result<Self, KeyError> {
        match data {
            KeyData::Ed25519(_) => Self::from_key_data(data),
            other => OtherKey::ssh(other).map(Kind::Other).map(Self),
        }
    }

    /// Reads an Ed25519 key in OpenSSH's one-line form, with or without a comment.
    ///
    /// # Errors
    ///
    /// Fails on other formats, other algorithms, and weak keys.
    pub fn from_openssh(text: &str) -> Result<Self, KeyError> {
        let key = ssh_key::PublicKey::from_openssh(text.trim()).map_err(|source| KeyError::of("public", source))?;
        Self::from_key_data(key.key_data())
    }

    /// Reads a key as PEM text of its SubjectPublicKeyInfo (RFC 8410).
    ///
    /// # Errors
    ///
    /// Fails on other formats, other algorithms, and weak keys.
    pub fn from_spki_pem(text: &str) -> Result<Self, KeyError> {
        let key = ed25519_dalek::VerifyingKey::from_public_key_pem(text).map_err(|_| KeyError::NoKey)?;
        if key.is_weak() { Err(KeyError::Weak) } else { Ok(Self(Kind::Ed25519(key))) }
    }

    /// Returns the key as inside of other structures of OpenSSH: its type and its parts, each with a length.
    #[must_use]
    pub fn to_wire(&self) -> Vec<u8> {
        match self.0 {
            Kind::Ed25519(key) => ssh_key::PublicKey::from(KeyData::Ed25519(key.into()))
                .to_bytes()
                .expect("because an Ed25519 key always encodes into memory"),
            Kind::Other(OtherKey::Ssh(key)) => key.to_wire(),
        }
    }

    /// Tells whether this is a key that this program signs with.
    #[must_use]
    pub const fn is_ed25519(&self) -> bool {
        matches!(self.0, Kind::Ed25519(_))
    }

    pub(in crate::trust) fn from_key_data(data: &KeyData) -> Result<Self, KeyError> {
        let ed25519 = data.ed25519().ok_or_else(|| KeyError::other(&data.algorithm()))?;
        let key = ed25519_dalek::VerifyingKey::try_from(ed25519).map_err(|_| KeyError::Weak)?;
        if key.is_weak() { Err(KeyError::Weak) } else { Ok(Self(Kind::Ed25519(key))) }
    }

    /// Returns the key in OpenSSH's one-line form without a comment: `ssh-ed25519 AAAA…`.
    #[must_use]
    pub fn to_openssh(&self) -> String {
        match self.0 {
            Kind::Ed25519(key) => ssh_key::PublicKey::from(KeyData::Ed25519(key.into()))
                .to_openssh()
                .expect("because an Ed25519 key always encodes into memory"),
            Kind::Other(other) => other.to_text(),
        }
    }

    /// Returns OpenSSH's fingerprint: `SHA256:` and 43 characters.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        match self.0 {
            Kind::Ed25519(key) => {
                ssh_key::PublicKey::from(KeyData::Ed25519(key.into())).fingerprint(HashAlg::Sha256).to_string()
            }
            Kind::Other(OtherKey::Ssh(key)) => key.fingerprint(),
        }
    }

    /// Returns the 32 bytes of an Ed25519 key.
    #[must_use]
    pub fn ed25519_bytes(&self) -> Option<[u8; 32]> {
        match self.0 {
            Kind::Ed25519(key) => Some(key.to_bytes()),
            Kind::Other(_) => None,
        }
    }

    /// Returns an Ed25519 key as PEM text of its SubjectPublicKeyInfo (RFC 8410), final newline included.
    #[must_use]
    pub fn to_spki_pem(&self) -> Option<String> {
        match self.0 {
            Kind::Ed25519(key) => Some(spki_pem(&key)),
            Kind::Other(_) => None,
        }
    }

    /// Computes the key id.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        match self.0 {
            Kind::Ed25519(key) => KeyId::of_digest(ContentHash::of(spki_pem(&key).as_bytes())),
            Kind::Other(OtherKey::Ssh(key)) => key.key_id(),
        }
    }

    pub(in crate::trust) fn key_data(&self) -> KeyData {
        match self.0 {
            Kind::Ed25519(key) => KeyData::Ed25519(key.into()),
            Kind::Other(OtherKey::Ssh(key)) => key.data().clone(),
        }
    }

    /// Checks a raw Ed25519 signature over `message` by the strict rules (no small-order points, canonical scalars).
    pub(in crate::trust) fn accepts(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        match self.0 {
            Kind::Ed25519(key) => key.verify_strict(message, &ed25519_dalek::Signature::from_bytes(signature)).is_ok(),
            Kind::Other(_) => false,
        }
    }

    /// Checks the signature of an SSHSIG over its signed data, by the rules of the key's type.
    pub(in crate::trust) fn check(&self, signed: &[u8], signature: &ssh_key::Signature) -> Result<(), SshSigError> {
        match self.0 {
            Kind::Ed25519(_) => {
                let raw: [u8; 64] = signature.as_bytes().try_into().map_err(|_| SshSigError::Malformed)?;
                let is_by_it = signature.algorithm() == Algorithm::Ed25519 && self.accepts(signed, &raw);
                if is_by_it { Ok(()) } else { Err(SshSigError::Mismatch) }
            }
            Kind::Other(OtherKey::Ssh(key)) => key.check(signed, signature),
        }
    }
}

fn spki_pem(key: &ed25519_dalek::VerifyingKey) -> String {
    key.to_public_key_pem(LineEnding::LF).expect("because an Ed25519 key always encodes into memory")
}

impl SigningKey {
    /// Makes the key that `seed` determines; the seed must come from a secure source.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// Returns the public half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(Kind::Ed25519(self.0.verifying_key()))
    }

    pub(in crate::trust) fn as_dalek(&self) -> &ed25519_dalek::SigningKey {
        &self.0
    }

    pub(in crate::trust) fn sign_raw(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl From<ed25519_dalek::SigningKey> for SigningKey {
    fn from(key: ed25519_dalek::SigningKey) -> Self {
        Self(key)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public().key_id())
    }
}

impl KeyId {
    /// Takes the first digits of a digest.
    pub(super) fn of_digest(digest: ContentHash) -> Self {
        Self(digest.to_string()[..16].to_owned())
    }

    /// Returns the 16 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for KeyId {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == 16 && text.bytes().all(digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(KeyError::KeyId { text: text.to_owned() })
        }
    }
}

crate::id::serde_as_text!(KeyId);
