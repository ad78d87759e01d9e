//! A key as text, in whatever form people have it: what a key file holds, or the variable of a pipeline.
//!
//! OpenSSH's form, with a passphrase or without, PKCS#8 as PEM (RFC 8410), and public halves. What is something else is
//! named, so that the sentence about it can say how to turn it into one of these. Text of a private key stays out of
//! every error.

use std::fmt;

use ed25519_dalek::pkcs8::{self, DecodePrivateKey, spki};
use ssh_key::private::{Ed25519Keypair, KeypairData};
use ssh_key::{Cipher, Kdf};
use zeroize::Zeroizing;

use crate::trust::{KeyError, Passphrase, PublicKey, SigningKey};

/// How often the passphrase is hashed over for a key made here: OpenSSH's own number since its version 9.4.
const ROUNDS: u32 = 24;

/// A key, as far as its text gives it away.
#[derive(Debug)]
pub enum KeyText {
    /// Both halves.
    Open(SigningKey),
    /// The public half, and the private one behind a passphrase.
    Locked(LockedKey),
    /// The public half alone.
    Public(PublicKey),
}

/// A private key that a passphrase opens.
pub struct LockedKey {
    key: Box<ssh_key::PrivateKey>,
    public: PublicKey,
}

impl KeyText {
    /// Reads a key in any of the forms.
    ///
    /// # Errors
    ///
    /// Fails on other formats, other algorithms, and weak keys.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        match pem_label(text) {
            Some("OPENSSH PRIVATE KEY") => openssh(text),
            Some("PRIVATE KEY") => pkcs8(text).map(Self::Open),
            Some("PUBLIC KEY") => PublicKey::from_spki_pem(text).map(Self::Public),
            Some("ENCRYPTED PRIVATE KEY") => Err(KeyError::EncryptedPkcs8),
            Some(label) => Err(match label.strip_suffix(" PRIVATE KEY") {
                Some(algorithm) => KeyError::Algorithm { algorithm: algorithm.to_lowercase() },
                None => KeyError::NoKey,
            }),
            None if text.starts_with("PuTTY-User-Key-File-") => Err(KeyError::Putty),
            None if is_public_line(text) => PublicKey::from_openssh(text).map(Self::Public),
            None => Err(KeyError::NoKey),
        }
    }

    /// Tells whether `text` is meant to be a key, and not the path of one.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        let text = text.trim_start();
        text.starts_with("-----BEGIN") || text.starts_with("PuTTY-User-Key-File-") || is_public_line(text)
    }

    /// Returns the public half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        match self {
            Self::Open(key) => key.public(),
            Self::Locked(key) => key.public,
            Self::Public(key) => *key,
        }
    }
}

impl LockedKey {
    /// Opens the key.
    ///
    /// # Errors
    ///
    /// Fails when the passphrase is another one, or what it opens is not the private half of this key.
    pub fn open(&self, passphrase: &Passphrase) -> Result<SigningKey, KeyError> {
        let opened = self.key.decrypt(passphrase.as_bytes()).map_err(|error| match error {
            ssh_key::Error::Crypto => KeyError::WrongPassphrase,
            source => KeyError::Unreadable { what: "private", source },
        })?;
        let key = ed25519(&opened)?;
        let fits = key.public() == self.public;
        if fits { Ok(key) } else { Err(KeyError::Unreadable { what: "private", source: ssh_key::Error::PublicKey }) }
    }

    /// Returns the key in OpenSSH's PEM form, as closed as it is.
    #[must_use]
    pub fn to_openssh(&self) -> Zeroizing<String> {
        self.key.to_openssh(ssh_key::LineEnding::LF).expect("because what was read from memory encodes into memory")
    }
}

impl SigningKey {
    /// Reads a private key that no passphrase protects.
    ///
    /// # Errors
    ///
    /// As [`KeyText::parse`], and for a key that is closed or has its public half only.
    pub fn from_text(text: &str) -> Result<Self, KeyError> {
        match KeyText::parse(text)? {
            KeyText::Open(key) => Ok(key),
            KeyText::Locked(_) => Err(KeyError::Encrypted),
            KeyText::Public(_) => Err(KeyError::PublicHalf),
        }
    }

    /// Returns the private key in OpenSSH's PEM form, unprotected, for a file of mode 0600.
    #[must_use]
    pub fn to_openssh(&self, comment: &str) -> Zeroizing<String> {
        self.to_ssh(comment)
            .to_openssh(ssh_key::LineEnding::LF)
            .expect("because an Ed25519 key always encodes into memory")
    }

    /// Returns the private key in OpenSSH's PEM form behind `passphrase`, which must not be empty. `salt` must come from
    /// a secure source, and is no secret.
    #[must_use]
    pub fn to_openssh_protected(
        &self,
        comment: &str,
        passphrase: &Passphrase,
        salt: [u8; 16],
        check: [u8; 4],
    ) -> Zeroizing<String> {
        let kdf = Kdf::Bcrypt { salt: salt.to_vec(), rounds: ROUNDS };
        self.to_ssh(comment)
            .encrypt_with(Cipher::Aes256Ctr, kdf, u32::from_be_bytes(check), passphrase.as_bytes())
            .and_then(|key| key.to_openssh(ssh_key::LineEnding::LF))
            .expect("because an Ed25519 key always encodes into memory, and the passphrase is not empty")
    }

    fn to_ssh(&self, comment: &str) -> ssh_key::PrivateKey {
        ssh_key::PrivateKey::new(KeypairData::from(Ed25519Keypair::from(self.as_dalek())), comment)
            .expect("because an Ed25519 key always encodes into memory")
    }
}

impl fmt::Debug for LockedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LockedKey({})", self.public.key_id())
    }
}

/// Returns what stands in the first line of PEM text.
fn pem_label(text: &str) -> Option<&str> {
    text.strip_prefix("-----BEGIN ")?.lines().next()?.trim_end().strip_suffix("-----")
}

/// Tells whether this is how OpenSSH writes public keys.
fn is_public_line(text: &str) -> bool {
    let algorithm = text.split([' ', '\t']).next().unwrap_or_default();
    ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"].iter().any(|prefix| algorithm.starts_with(prefix))
}

fn openssh(text: &str) -> Result<KeyText, KeyError> {
    let key = ssh_key::PrivateKey::from_openssh(text).map_err(|source| KeyError::of("private", source))?;
    if !key.is_encrypted() {
        return ed25519(&key).map(KeyText::Open);
    }
    let public = PublicKey::from_key_data(key.public_key().key_data())?;
    Ok(KeyText::Locked(LockedKey { key: Box::new(key), public }))
}

fn ed25519(key: &ssh_key::PrivateKey) -> Result<SigningKey, KeyError> {
    match key.key_data() {
        KeypairData::Ed25519(pair) => Ok(SigningKey::from_seed(pair.private.as_ref())),
        _ => Err(KeyError::Algorithm { algorithm: key.algorithm().to_string() }),
    }
}

fn pkcs8(text: &str) -> Result<SigningKey, KeyError> {
    let key = ed25519_dalek::SigningKey::from_pkcs8_pem(text).map_err(|error| match error {
        pkcs8::Error::PublicKey(spki::Error::OidUnknown { oid }) => KeyError::Algorithm { algorithm: oid_name(&oid) },
        _ => KeyError::Pkcs8,
    })?;
    Ok(SigningKey::from(key))
}

fn oid_name(oid: &pkcs8::ObjectIdentifier) -> String {
    match oid.to_string().as_str() {
        "1.2.840.113549.1.1.1" => "rsa".to_owned(),
        "1.2.840.10045.2.1" => "ec".to_owned(),
        "1.3.101.110" => "x25519".to_owned(),
        "1.3.101.113" => "ed448".to_owned(),
        other => other.to_owned(),
    }
}
