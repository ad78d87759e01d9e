//! A key as text, in whatever form people have it: what a key file holds, or the variable of a pipeline.
//!
//! OpenSSH's form, with a passphrase or without, PKCS#8 as PEM (RFC 8410), and public halves. Other formats are named,
//! so that the message can say how to convert them into one of these. Text of a private key stays out of every error:
//! an error contains only constants of this program. Secrets of a pipeline often lose their line breaks, so PEM is read
//! with any blanks in it.

use std::fmt;

use ed25519_dalek::pkcs8::{self, DecodePrivateKey, spki};
use ssh_key::private::{Ed25519Keypair, KeypairData};
use ssh_key::{Cipher, Kdf};
use zeroize::Zeroizing;

use crate::trust::{KeyError, Passphrase, PublicKey, SigningKey};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// The label of a public key of OpenPGP.
const PGP_PUBLIC: &str = "PGP PUBLIC KEY BLOCK";

/// How often the passphrase is hashed over for a key made here: OpenSSH's own number since its version 9.4.
const ROUNDS: u32 = 24;

/// How wide OpenSSH writes its PEM, and how wide others do (RFC 7468).
const OPENSSH_WIDTH: usize = 70;
const PEM_WIDTH: usize = 64;

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
            Some("OPENSSH PRIVATE KEY") => openssh(&with_line_breaks(text, OPENSSH_WIDTH)),
            Some("PRIVATE KEY") => pkcs8(&with_line_breaks(text, PEM_WIDTH)).map(Self::Open),
            Some("PUBLIC KEY") => PublicKey::from_spki_pem(&with_line_breaks(text, PEM_WIDTH)).map(Self::Public),
            Some("ENCRYPTED PRIVATE KEY") => Err(KeyError::EncryptedPkcs8),
            Some("RSA PRIVATE KEY") => Err(KeyError::Algorithm { algorithm: "rsa" }),
            Some("EC PRIVATE KEY") => Err(KeyError::Algorithm { algorithm: "ec" }),
            Some("DSA PRIVATE KEY") => Err(KeyError::Algorithm { algorithm: "dsa" }),
            Some("PGP PRIVATE KEY BLOCK" | PGP_PUBLIC) => Err(KeyError::Algorithm { algorithm: "openpgp" }),
            Some(label) if label.ends_with(" PRIVATE KEY") => Err(KeyError::UnknownAlgorithm),
            Some(_) => Err(KeyError::NoKey),
            None if text.starts_with("PuTTY-User-Key-File-") => Err(KeyError::Putty),
            None if text.starts_with("ecdsa-sha2-") => Err(KeyError::Algorithm { algorithm: "ecdsa" }),
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

    /// Tells whether `text` is in a form of public keys, of whatever algorithm: then its file is not a secret.
    #[must_use]
    pub fn is_public(text: &str) -> bool {
        let text = text.trim();
        (is_public_line(text) || matches!(pem_label(text), Some("PUBLIC KEY" | PGP_PUBLIC)))
            && !text.contains("PRIVATE KEY")
    }

    /// Returns the comment of `key` in one of OpenSSH's forms; none behind a passphrase, and none of another key.
    #[must_use]
    pub fn comment(text: &str, key: &PublicKey) -> Option<String> {
        let text = text.trim();
        let public = if is_public_line(text) {
            ssh_key::PublicKey::from_openssh(text).ok()?
        } else if pem_label(text) == Some("OPENSSH PRIVATE KEY") {
            let private = ssh_key::PrivateKey::from_openssh(&*with_line_breaks(text, OPENSSH_WIDTH)).ok()?;
            private.public_key().clone()
        } else {
            return None;
        };
        let is_of_key = PublicKey::from_key_data(public.key_data()).is_ok_and(|public| public == *key);
        let comment = public.comment().as_str().ok()?.trim().to_owned();
        (is_of_key && !comment.is_empty() && !comment.contains(char::is_control)).then_some(comment)
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
    /// a secure source, and is not secret.
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

/// Returns the label of PEM text: the text between the first dashes, whatever follows them.
fn pem_label(text: &str) -> Option<&str> {
    let (label, _) = text.strip_prefix(BEGIN)?.split_once(DASHES)?;
    Some(label)
}

/// Returns PEM text with its line breaks where they belong: they are lost where a variable or a form takes one line. An
/// incomplete one comes back unchanged, for its reader to refuse.
fn with_line_breaks(text: &str, width: usize) -> Zeroizing<String> {
    // The space is taken at once: growing would leave copies behind.
    let mut whole = Zeroizing::new(String::with_capacity(2 * text.len() + 8));
    let Some((label, body)) = body_of(text) else {
        whole.push_str(text);
        return whole;
    };
    for part in [BEGIN, label, DASHES, "\n"] {
        whole.push_str(part);
    }
    for (at, character) in body.chars().filter(|character| !character.is_ascii_whitespace()).enumerate() {
        if at > 0 && at % width == 0 {
            whole.push('\n');
        }
        whole.push(character);
    }
    for part in ["\n", END, label, DASHES, "\n"] {
        whole.push_str(part);
    }
    whole
}

/// Returns the label of PEM text, and the text between its two lines.
fn body_of(text: &str) -> Option<(&str, &str)> {
    let (label, rest) = text.strip_prefix(BEGIN)?.split_once(DASHES)?;
    let (body, end) = rest.split_once(END)?;
    (end.strip_prefix(label)?.trim_end() == DASHES).then_some((label, body))
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
        _ => Err(KeyError::other(&key.algorithm())),
    }
}

fn pkcs8(text: &str) -> Result<SigningKey, KeyError> {
    let key = ed25519_dalek::SigningKey::from_pkcs8_pem(text).map_err(|error| match error {
        pkcs8::Error::PublicKey(spki::Error::OidUnknown { oid }) => of_oid(&oid),
        _ => KeyError::Pkcs8,
    })?;
    Ok(SigningKey::from(key))
}

/// Names the algorithm of a key in PKCS#8, if it is one that keys of people have.
fn of_oid(oid: &pkcs8::ObjectIdentifier) -> KeyError {
    let algorithm = match oid.to_string().as_str() {
        "1.2.840.113549.1.1.1" => "rsa",
        "1.2.840.10045.2.1" => "ec",
        "1.3.101.110" => "x25519",
        "1.3.101.113" => "ed448",
        _ => return KeyError::UnknownAlgorithm,
    };
    KeyError::Algorithm { algorithm }
}
