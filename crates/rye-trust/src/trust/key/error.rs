//! Keys and envelopes that cannot be used.

use rye_openpgp::CertificateError;
use ssh_key::Algorithm;
use thiserror::Error;

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
    /// The public key is of an algorithm that no signature counts by.
    #[error("a public key of type `{algorithm}` cannot be used; {}", TAKEN)]
    PublicAlgorithm {
        /// The algorithm's name, as of [`KeyError::Algorithm`].
        algorithm: &'static str,
    },
    /// The public key is of an algorithm without a name here.
    #[error("a public key of this type cannot be used; {}", TAKEN)]
    UnknownPublicAlgorithm,
    /// The key is of RSA, and too short or too long.
    #[error("the RSA key has {bits} bits; 2048 to 8192 can be used")]
    RsaBits {
        /// The length of its modulus.
        bits: usize,
    },
    /// The key is of OpenPGP, and cannot be used.
    #[error(transparent)]
    OpenPgp(#[from] CertificateError),
    /// One of several OpenPGP keys in a file cannot be used.
    #[error("key {number} of {count} in the file cannot be used: {source}")]
    OneOfOpenPgp {
        /// Which one, from 1.
        number: usize,
        /// How many there are.
        count: usize,
        source: CertificateError,
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

/// Which public keys are taken.
const TAKEN: &str = "OpenPGP keys are taken, and SSH keys of the types ssh-ed25519, ecdsa-sha2-nistp256, ecdsa-sha2-nistp384, \
                     ecdsa-sha2-nistp521, ssh-rsa, sk-ssh-ed25519@openssh.com and sk-ecdsa-sha2-nistp256@openssh.com";

impl KeyError {
    /// Says it of a public key, which may be of any type that signatures count by.
    pub(in crate::trust) fn of_public(self) -> Self {
        match self {
            Self::Algorithm { algorithm } => Self::PublicAlgorithm { algorithm },
            Self::UnknownAlgorithm => Self::UnknownPublicAlgorithm,
            other => other,
        }
    }

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

/// An armored envelope that cannot be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum SshSigError {
    /// Not an SSHSIG envelope, or by a key that cannot be used.
    #[error("this is not an SSH signature by a key that can be used")]
    Malformed,
    /// By a security key that no person touched.
    #[error("the security key that signed was not touched")]
    Untouched,
    /// Made for another use.
    #[error("the signature was made for another use (namespace `{namespace}`)")]
    Namespace { namespace: String },
    /// It does not fit the message.
    #[error("the signature does not fit its data")]
    Mismatch,
}
