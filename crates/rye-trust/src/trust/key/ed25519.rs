//! Ed25519 keys and the two names each has: a short key id and an OpenSSH fingerprint.
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

use crate::trust::ContentHash;

/// A public key that can verify signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(ed25519_dalek::VerifyingKey);

/// A private key that can sign.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// The first 16 hexadecimal digits of the SHA-256 of a public key's SPKI PEM text: the last field of a signature line.
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
    /// Reads a key in OpenSSH's one-line form, with or without a comment.
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
        if key.is_weak() { Err(KeyError::Weak) } else { Ok(Self(key)) }
    }

    /// Returns the key as inside of other structures of OpenSSH: its type and 32 bytes, each with a length.
    #[must_use]
    pub fn to_wire(&self) -> Vec<u8> {
        ssh_key::PublicKey::from(self.key_data()).to_bytes().expect("because an Ed25519 key always encodes into memory")
    }

    pub(in crate::trust) fn from_key_data(data: &KeyData) -> Result<Self, KeyError> {
        let ed25519 = data.ed25519().ok_or_else(|| KeyError::other(&data.algorithm()))?;
        let key = ed25519_dalek::VerifyingKey::try_from(ed25519).map_err(|_| KeyError::Weak)?;
        if key.is_weak() { Err(KeyError::Weak) } else { Ok(Self(key)) }
    }

    /// Returns the key in OpenSSH's one-line form without a comment: `ssh-ed25519 AAAA…`.
    #[must_use]
    pub fn to_openssh(&self) -> String {
        ssh_key::PublicKey::from(self.key_data())
            .to_openssh()
            .expect("because an Ed25519 key always encodes into memory")
    }

    /// Returns OpenSSH's fingerprint: `SHA256:` and 43 characters.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        ssh_key::PublicKey::from(self.key_data()).fingerprint(HashAlg::Sha256).to_string()
    }

    /// Returns the 32 bytes of the key.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Returns the key as PEM text of its SubjectPublicKeyInfo (RFC 8410), final newline included.
    #[must_use]
    pub fn to_spki_pem(&self) -> String {
        self.0.to_public_key_pem(LineEnding::LF).expect("because an Ed25519 key always encodes into memory")
    }

    /// Computes the key id.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        KeyId(ContentHash::of(self.to_spki_pem().as_bytes()).to_string()[..16].to_owned())
    }

    pub(in crate::trust) fn key_data(&self) -> KeyData {
        KeyData::Ed25519(self.0.into())
    }

    /// Checks a raw signature over `message` by the strict rules (no small-order points, canonical scalars).
    pub(in crate::trust) fn accepts(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.0.verify_strict(message, &ed25519_dalek::Signature::from_bytes(signature)).is_ok()
    }
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
        PublicKey(self.0.verifying_key())
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
