//! Keys: Ed25519 keys, which sign, and others, whose signatures are verified.
//!
//! How private keys are read and written is in `key_text`. A signing key is wiped from memory when dropped and prints nothing of itself.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::Signer as _;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePublicKey, EncodePublicKey};
use rye_openpgp::{Certificate, CertificateError};
use ssh_key::public::KeyData;
use ssh_key::{Algorithm, HashAlg};

use super::error::{KeyError, SshSigError};
use super::key_id::KeyId;
use super::other::{OPENPGP, OtherKey};
use crate::trust::ContentHash;

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

impl PublicKey {
    /// Reads a key of any type in the one-line form of trust files: OpenSSH's, or `openpgp BASE64`. Only Ed25519 keys sign
    /// for this program.
    ///
    /// # Errors
    ///
    /// Fails on other formats, other algorithms, and weak keys.
    pub fn of_any_type(text: &str) -> Result<Self, KeyError> {
        if let Some(base64) = text.trim().strip_prefix(OPENPGP).and_then(|rest| rest.strip_prefix(' ')) {
            let bytes = STANDARD.decode(base64.split(' ').next().unwrap_or_default());
            return Ok(Self::of_certificate(Certificate::from_bytes(&bytes.map_err(|_| KeyError::NoKey)?)?));
        }
        let key = ssh_key::PublicKey::from_openssh(text.trim());
        let key = key.map_err(|source| KeyError::of("public", source).of_public())?;
        Self::of_data(key.key_data()).map_err(KeyError::of_public)
    }

    /// Reads the armour of an OpenPGP key, and the names that its holder signed.
    ///
    /// # Errors
    ///
    /// Fails on anything but one OpenPGP key that can be used.
    pub fn from_openpgp_armor(text: &str) -> Result<(Self, Vec<String>), KeyError> {
        let certificate = Certificate::from_armor(text)?;
        let names = certificate.names();
        Ok((Self::of_certificate(certificate), names))
    }

    /// Reads every OpenPGP key of a file, each with the names that its holder signed; none if the bytes do not begin with such a key.
    ///
    /// # Errors
    ///
    /// Fails when a key of the file cannot be used: none is left out.
    pub fn every_openpgp(bytes: &[u8]) -> Result<Vec<(Self, Vec<String>)>, KeyError> {
        if !Certificate::begins(bytes) {
            return Ok(Vec::new());
        }
        let every = Certificate::every(bytes)?;
        let count = every.len();
        let one = |(index, read): (usize, Result<Certificate, CertificateError>)| match read {
            Ok(certificate) => Ok((certificate.names(), certificate)),
            Err(source) if count == 1 => Err(source.into()),
            Err(source) => Err(KeyError::OneOfOpenPgp { number: index + 1, count, source }),
        };
        let named = |(names, certificate)| (Self::of_certificate(certificate), names);
        every.into_iter().enumerate().map(one).map(|read| read.map(named)).collect()
    }

    /// Tells whether bytes are a private key of OpenPGP without an armour.
    #[must_use]
    pub fn is_private_openpgp(bytes: &[u8]) -> bool {
        Certificate::begins_private(bytes)
    }

    fn of_certificate(certificate: Certificate) -> Self {
        Self(Kind::Other(OtherKey::openpgp(certificate)))
    }

    /// Returns the certificate of an OpenPGP key.
    pub(in crate::trust) fn certificate(&self) -> Option<&'static Certificate> {
        match self.0 {
            Kind::Other(OtherKey::OpenPgp(certificate)) => Some(certificate),
            Kind::Other(OtherKey::Ssh(_)) | Kind::Ed25519(_) => None,
        }
    }

    /// Tells whether this is a key that OpenSSH knows.
    #[must_use]
    pub const fn is_ssh(&self) -> bool {
        !matches!(self.0, Kind::Other(OtherKey::OpenPgp(_)))
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
            Kind::Other(OtherKey::OpenPgp(key)) => key.as_bytes().to_vec(),
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

    /// Returns OpenSSH's fingerprint, `SHA256:` and 43 characters, or that of an OpenPGP key, 40 digits.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        match self.0 {
            Kind::Ed25519(key) => {
                ssh_key::PublicKey::from(KeyData::Ed25519(key.into())).fingerprint(HashAlg::Sha256).to_string()
            }
            Kind::Other(OtherKey::Ssh(key)) => key.fingerprint(),
            Kind::Other(OtherKey::OpenPgp(key)) => key.fingerprint(),
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
            // As `gpg --keyid-format long` shows it.
            Kind::Other(OtherKey::OpenPgp(key)) => KeyId::of_digits(&key.fingerprint()[24..]),
        }
    }

    /// Returns the key as an SSHSIG has it; none for one of OpenPGP.
    pub(in crate::trust) fn key_data(&self) -> Option<KeyData> {
        match self.0 {
            Kind::Ed25519(key) => Some(KeyData::Ed25519(key.into())),
            Kind::Other(OtherKey::Ssh(key)) => Some(key.data().clone()),
            Kind::Other(OtherKey::OpenPgp(_)) => None,
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
            Kind::Other(OtherKey::OpenPgp(_)) => Err(SshSigError::Malformed),
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
